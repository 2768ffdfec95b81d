import { type Kysely, sql } from 'kysely'

/** An answer remembers that a stand-in wrote it; a proposal remembers the message that made it. */
export async function up(db: Kysely<unknown>) {
  await sql`alter table ai_messages add column sandbox boolean not null default false`.execute(db)
  await sql`alter table ai_actions add column message_id uuid references ai_messages on delete cascade`.execute(db)
  await sql`alter table ai_actions add column prompts integer not null default 1`.execute(db)
}

export const indexes = {
  ai_actions_of: 'on ai_actions (message_id)',
}
