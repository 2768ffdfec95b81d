import type * as contract from '@operon/contracts/billing/sales'
import type { Input, Output } from '@operon/contracts/contract'
import { signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { BillingCtx } from '../deps.ts'
import { cell, decimal } from '../ledger/statement.ts'
import { pdfOf } from './pdf.ts'

/** What a reply may carry. */
const MOST_ROWS = 5_000
type Row = { at: Date; kind: string; description: string; currency: string; cents: number; sale_id: string | null }

/** Every movement of what is the seller's, by the ledger: what a month adds and takes is the difference of its balances. */
export async function salesStatement(
  ctx: BillingCtx,
  { month, format }: Input<typeof contract.salesStatement>,
): Promise<Output<typeof contract.salesStatement>> {
  const seller = signedIn(ctx).id
  const from = new Date(`${month}-01T00:00:00Z`)
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1))
  const accounts = ['held', 'due', 'reserve', 'paying', 'owes'].map((part) => `seller_${part}:${seller}`)
  const { rows } = await sql<Row>`
    select e.occurred_at as at, e.kind, e.description, p.currency, (0 - sum(p.amount_cents))::bigint as cents, e.sale_id
    from ledger_postings p join ledger_entries e on e.id = p.entry_id
    where p.account = any(${accounts}::text[]) and e.occurred_at >= ${from} and e.occurred_at < ${to}
    group by e.id, p.currency having sum(p.amount_cents) <> 0
    order by e.occurred_at, e.id limit ${MOST_ROWS + 1}`.execute(ctx.db)
  const cut = rows.length > MOST_ROWS
  const shown = rows.slice(0, MOST_ROWS)
  if (format === 'pdf') {
    const title = `Sales statement ${month}`
    const lines = [...shown.map(lineOf), '', ...sumsOf(shown)]
    return { filename: `sales-${month}.pdf`, content_type: 'application/pdf', pdf: pdfOf(title, lines).toString('base64'), cut }
  }
  const header = ['date', 'type', 'description', 'sale', 'amount', 'currency']
  const body = shown.map((row) => [row.at.toISOString(), row.kind, row.description, row.sale_id ?? '', decimal(row.cents), row.currency])
  const csv = [header, ...body].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('')
  return { filename: `sales-${month}.csv`, content_type: 'text/csv', csv, cut }
}

const lineOf = ({ at, description, currency, cents }: Row) =>
  `${at.toISOString().slice(0, 10)}  ${decimal(cents).padStart(12)} ${currency.toUpperCase()}  ${description.slice(0, 60)}`

function sumsOf(rows: Row[]): string[] {
  const sums = new Map<string, number>()
  for (const { currency, cents } of rows) sums.set(currency, (sums.get(currency) ?? 0) + cents)
  return [...sums].map(([currency, cents]) => `Change of your balance: ${decimal(cents)} ${currency.toUpperCase()}`)
}
