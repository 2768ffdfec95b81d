import { type Kysely, sql } from 'kysely'

/** Whether the emails of a mailbox may be shown with contacts. Nobody is taken to have agreed. */
export async function up(db: Kysely<unknown>) {
  await sql`alter table connections add column on_timelines boolean not null default false`.execute(db)
}
