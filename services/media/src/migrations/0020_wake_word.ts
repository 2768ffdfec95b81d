import { type Kysely, sql } from 'kysely'

/** With defaults: the version before goes on writing rows that do not know these. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table voice_settings add column wakes boolean not null default false, add column wake_word text not null default 'Hey Jarvis',
      add column sensitivity double precision not null default 0.7`.execute(db)
}
