import { type Kysely, sql } from 'kysely'

/**
 * Messages become a tree: another version follows the same message. A message written by an earlier release has no `after_id` and follows the message
 * before it, so both releases can run together and nothing has to be rewritten. The indexes serve the search by words, newest first.
 */
export async function up(db: Kysely<unknown>) {
  await sql`alter table ai_messages add column after_id uuid`.execute(db)
  await sql`alter table ai_conversations add column tip_id uuid`.execute(db)
}

export const indexes = {
  ai_messages_newest: 'on ai_messages (user_id, id desc)',
  ai_messages_words: "on ai_messages using gin (to_tsvector('simple', left(content, 20000))) where state <> 'streaming'",
}

export const dropped = ['ai_messages_mine']
