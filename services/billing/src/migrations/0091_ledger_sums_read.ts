import { type Kysely, sql } from 'kysely'

/** Everything is queued or added: from here on a balance is its sum and what waits. The accounts of all sellers together have a row of their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace view ledger_balances as
    select account, currency, sum(amount_cents)::bigint as amount_cents from (
      select account, currency, amount_cents from account_sums where account not like 'seller\\_%' or account like '%:%'
      union all
      select p.account, p.currency, p.amount_cents from ledger_entries_unsummed u join ledger_postings p on p.entry_id = u.id
    ) parts group by account, currency`.execute(db)
  for (const table of ['ledger_entries', 'tax_lines']) await sql`drop table ${sql.table(`${table}_unsummed_fill`)}`.execute(db)
}
