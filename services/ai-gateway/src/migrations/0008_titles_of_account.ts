import { type Kysely, sql } from 'kysely'

/** The words of a title beside whose it is: one index answers for one account alone. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create index ai_conversations_titles on ai_conversations
    using gin ((array_to_tsvector(array[user_id::text]) || to_tsvector('simple', title)))`.execute(db)
  await sql`drop index ai_conversations_words`.execute(db)
}
