import { type Kysely, sql } from 'kysely'

/** How often an account had an address asked for consent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table email_opt_ins add column asks int not null default 1`.execute(db)
}
