import type * as contract from '@operon/contracts/billing/months'
import type { Input, Output } from '@operon/contracts/contract'
import { sql } from 'kysely'
import type { BillingCtx } from '../deps.ts'
import { type Account, kindOf } from '../ledger/chart.ts'
import { cell, decimal } from '../ledger/statement.ts'
import { postedBetween, taxSums } from '../ledger/sums.ts'
import { log } from '../staff/log.ts'
import { endOf, startOf } from './close.ts'

export async function staffMonth(
  ctx: BillingCtx,
  { month, reason }: Input<typeof contract.staffMonth>,
): Promise<Output<typeof contract.staffMonth>> {
  await log(ctx, 'read month', reason, null, {})
  const [from, to] = [startOf(month), endOf(month)]
  const closed = await ctx.db.selectFrom('month_closes').select('closed_at').where('month', '=', month).executeTakeFirst()
  const { rows } = await sql<{ account: string; currency: string; debit_cents: number; credit_cents: number }>`
    select account, currency, sum(debit_cents)::bigint as debit_cents, sum(credit_cents)::bigint as credit_cents
    from (${postedBetween(from, to)}) posted group by account, currency order by account, currency`.execute(ctx.db)
  const { rows: tax } = await sql<Output<typeof contract.staffMonth>['tax'][number]>`
    select country, nullif(state, '') as state, currency, reverse_charge, sum(taxable_cents)::bigint as taxable_cents, sum(tax_cents)::bigint as tax_cents
    from (${taxSums}) t where month = ${`${month}-01`}::date group by country, state, currency, reverse_charge
    order by country, nullif(state, '') nulls first, currency, reverse_charge`.execute(ctx.db)
  return {
    closed_at: closed?.closed_at.toISOString() ?? null,
    accounts: rows.map((row) => ({ ...row, kind: kindOf(accountOf(row.account)) })),
    tax,
  }
}

type Row = { day: string; kind: string; account: string; currency: string; cents: number }

/** Each day's movements of a kind are one journal entry, so that a month of any size is one file. */
export async function staffJournal(
  ctx: BillingCtx,
  { month, format, reason }: Input<typeof contract.staffJournal>,
): Promise<Output<typeof contract.staffJournal>> {
  await log(ctx, 'export journal', reason, null, {})
  const { rows } = await sql<Row>`
    select to_char(day, 'YYYY-MM-DD') as day, kind, account, currency, (sum(debit_cents) - sum(credit_cents))::bigint as cents
    from (${postedBetween(startOf(month), endOf(month))}) posted group by day, kind, currency, account
    having sum(debit_cents) <> sum(credit_cents) order by day, kind, currency, account`.execute(ctx.db)
  const written = writers[format](rows)
  return { filename: `journal-${month}.${format === 'ledger' ? 'journal' : 'csv'}`, text: written }
}

const lines = (cells: string[][]) => cells.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
const numberOf = ({ day, kind, currency }: Row) => `${day.replaceAll('-', '')}-${kind}-${currency}`
const accountOf = (account: string) => account as Account
const groups = { asset: 'assets', liability: 'liabilities', income: 'income', expense: 'expenses' }

const writers: Record<Input<typeof contract.staffJournal>['format'], (rows: Row[]) => string> = {
  csv: (rows) =>
    lines([
      ['date', 'entry', 'account', 'type', 'debit', 'credit', 'currency'],
      ...rows.map((row) => [
        row.day,
        numberOf(row),
        row.account,
        kindOf(accountOf(row.account)),
        ...sides(row),
        row.currency.toUpperCase(),
      ]),
    ]),
  // As QuickBooks Online imports journal entries.
  quickbooks: (rows) =>
    lines([
      ['Journal No', 'Journal Date', 'Currency', 'Account', 'Debits', 'Credits', 'Description'],
      ...rows.map((row) => {
        const [year, month, day] = row.day.split('-')
        return [
          numberOf(row),
          `${month}/${day}/${year}`,
          row.currency.toUpperCase(),
          row.account,
          ...sides(row),
          row.kind.replaceAll('_', ' '),
        ]
      }),
    ]),
  // Plain text accounting: hledger, ledger and beancount's importers read it.
  ledger: (rows) =>
    [...Map.groupBy(rows, numberOf)]
      .map(([number, entry]) => {
        const { day, kind } = entry[0]!
        const postings = entry.map(
          ({ account, currency, cents }) =>
            `    ${groups[kindOf(accountOf(account))]}:${account}  ${decimal(cents)} ${currency.toUpperCase()}`,
        )
        return `${day} (${number}) ${kind.replaceAll('_', ' ')}\n${postings.join('\n')}\n`
      })
      .join('\n'),
}
const sides = ({ cents }: Row) => (cents > 0 ? [decimal(cents), ''] : ['', decimal(-cents)])
