import { type Kysely, sql } from 'kysely'

/** Where money is booked that came in for something we do not know, and the credit that a deleted account leaves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`insert into ledger_accounts (code, kind) values ('suspense', 'liability'), ('forfeited_credit', 'income') on conflict (code) do nothing`.execute(
    db,
  )
}
