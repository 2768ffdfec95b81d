import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Db, Trx } from '../deps.ts'
import { chart, sellerAccounts } from './chart.ts'

const PIECE = 2_000
const LOCK = sql`select pg_advisory_xact_lock(hashtext('ledger sums'))`

/** Entries count on the day when they happened; those that came after the close of its month, when they were booked. */
const dayOf = sql`((case when e.booked_at > c.closed_at then e.booked_at else e.occurred_at end) at time zone 'utc')::date`
const closed = sql`left join month_closes c on c.month = to_char(e.occurred_at at time zone 'utc', 'YYYY-MM')`
const root = sql`split_part(p.account, ':', 1)`

/** Closing a month waits for the sums and they for it, so that each entry is seen either before the close or with it. */
export const holdSums = (trx: Trx) => LOCK.execute(trx)

/** Adds what waits, each entry once: it leaves the queue in the statement that adds it. Entries that do not balance are counted, as the proof. */
export async function sumLedger(db: Db): Promise<void> {
  for (const piece of [sumEntries, sumTax]) while ((await inTransaction(db, piece)) === PIECE) {}
}

async function sumEntries(trx: Trx): Promise<number> {
  await holdSums(trx)
  const { rows } = await sql<{ taken: number }>`
    with taken as (delete from ledger_entries_unsummed where id in (select id from ledger_entries_unsummed order by id limit ${PIECE}) returning id),
    posted as materialized (
      select e.id, e.kind, ${dayOf} as day, p.account, ${root} as root, p.currency, p.amount_cents as cents
      from taken t join ledger_entries e on e.id = t.id ${closed} join ledger_postings p on p.entry_id = e.id),
    days as (
      insert into ledger_sums as s (day, kind, account, currency, debit_cents, credit_cents)
      select day, kind, root, currency, coalesce(sum(cents) filter (where cents > 0), 0), coalesce(0 - sum(cents) filter (where cents < 0), 0)
      from posted group by day, kind, root, currency
      on conflict (day, kind, account, currency) do update set debit_cents = s.debit_cents + excluded.debit_cents,
        credit_cents = s.credit_cents + excluded.credit_cents),
    accounts as (
      insert into account_sums as s (account, currency, amount_cents)
      select account, currency, sum(cents) from (
        select account, currency, cents from posted union all select root, currency, cents from posted where root <> account) parts
      group by account, currency
      on conflict (account, currency) do update set amount_cents = s.amount_cents + excluded.amount_cents),
    uneven as (select count(distinct id) as entries from (select id from posted group by id, currency having sum(cents) <> 0) each),
    proof as (
      update ledger_proof set summed = summed + (select count(*) from taken), unbalanced = unbalanced + (select entries from uneven))
    select count(*)::int as taken from taken`.execute(trx)
  return rows[0]!.taken
}

const taxKeys = sql`date_trunc('month', l.at at time zone 'utc')::date as month, l.country, coalesce(l.state, '') as state, l.currency, l.reverse_charge`

async function sumTax(trx: Trx): Promise<number> {
  await holdSums(trx)
  const { rows } = await sql<{ taken: number }>`
    with taken as (
      delete from tax_lines_unsummed where reference in (select reference from tax_lines_unsummed order by reference limit ${PIECE}) returning reference),
    added as (
      insert into tax_sums as s (month, country, state, currency, reverse_charge, taxable_cents, tax_cents)
      select ${taxKeys}, sum(l.taxable_cents), sum(l.tax_cents) from taken t join tax_lines l on l.reference = t.reference group by 1, 2, 3, 4, 5
      on conflict (month, country, state, currency, reverse_charge) do update set taxable_cents = s.taxable_cents + excluded.taxable_cents,
        tax_cents = s.tax_cents + excluded.tax_cents)
    select count(*)::int as taken from taken`.execute(trx)
  return rows[0]!.taken
}

/** `day`, `kind`, `account`, `currency`, `debit_cents`, `credit_cents` of the days between, several of one key. Sellers' accounts together. */
export const postedBetween = (from: Date, to: Date) => {
  const [first, end] = [sql`(${from}::timestamptz at time zone 'utc')::date`, sql`(${to}::timestamptz at time zone 'utc')::date`]
  return sql`
    select day, kind, account, currency, debit_cents, credit_cents from ledger_sums where day >= ${first} and day < ${end}
    union all
    select ${dayOf}, e.kind, ${root}, p.currency, greatest(p.amount_cents, 0), greatest(0 - p.amount_cents, 0)
    from ledger_entries_unsummed u join ledger_entries e on e.id = u.id ${closed} join ledger_postings p on p.entry_id = e.id
    where ${dayOf} >= ${first} and ${dayOf} < ${end}`
}

/** Tax by month, several rows of one key. */
export const taxSums = sql`
  select month, country, state, currency, reverse_charge, taxable_cents, tax_cents from tax_sums
  union all
  select ${taxKeys}, l.taxable_cents, l.tax_cents from tax_lines_unsummed u join tax_lines l on l.reference = u.reference`

/** Each account of the platform, and those of all sellers together; with the proof that each entry balances. */
export async function platformBalances(db: Db) {
  const roots = [...Object.keys(chart), ...Object.keys(sellerAccounts)]
  const { rows: balances } = await sql<{ account: string; currency: string; amount_cents: number }>`
    select account, currency, sum(amount_cents)::bigint as amount_cents from (
      select account, currency, amount_cents from account_sums where account = any(${roots}::text[])
      union all
      select ${root}, p.currency, p.amount_cents from ledger_entries_unsummed u join ledger_postings p on p.entry_id = u.id
    ) parts group by account, currency order by account, currency`.execute(db)
  return { balances, ...(await proofOf(db)) }
}

export async function proofOf(db: Db): Promise<{ entries: number; unbalanced: number }> {
  const { rows } = await sql<{ entries: number; unbalanced: number }>`
    select summed + (select count(*) from ledger_entries_unsummed) as entries, unbalanced + (
      select count(distinct id) from (
        select u.id from ledger_entries_unsummed u join ledger_postings p on p.entry_id = u.id group by u.id, p.currency having sum(p.amount_cents) <> 0
      ) uneven) as unbalanced from ledger_proof`.execute(db)
  return rows[0]!
}
