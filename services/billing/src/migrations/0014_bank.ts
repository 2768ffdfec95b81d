import { type Kysely, sql } from 'kysely'

/** Our own bank account, which the provider pays out to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`insert into ledger_accounts (code, kind) values ('bank', 'asset') on conflict (code) do nothing`.execute(db)
}
