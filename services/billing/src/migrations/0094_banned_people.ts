import { type Kysely, sql } from 'kysely'

/** Until when an operator keeps an account out: nothing is paid out to it meanwhile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column banned_until timestamptz`.execute(db)
}
