import type * as contract from '@operon/contracts/billing/sales'
import type { Input, Output } from '@operon/contracts/contract'
import { signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { BillingCtx } from '../deps.ts'
import { cell, decimal } from '../ledger/statement.ts'
import { pdfOf } from '../pdf/lines.ts'

/** The most that a reply may carry. */
const MOST_ROWS = 5_000
type Row = { at: Date; kind: string; description: string; currency: string; cents: number; sale_id: string | null }

/** Every movement of what is the seller's, by the ledger: what a month adds and takes is the difference of its balances. */
export const salesStatement =
  (issuer: string) =>
  async (ctx: BillingCtx, { month, format }: Input<typeof contract.salesStatement>): Promise<Output<typeof contract.salesStatement>> => {
    const seller = signedIn(ctx).id
    const from = new Date(`${month}-01T00:00:00Z`)
    const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1))
    const account = await ctx.db
      .selectFrom('accounts')
      .select(['name', 'email', sql<Date>`provider_now(user_id)`.as('now')])
      .where('user_id', '=', seller)
      .executeTakeFirst()
    // A month that still runs ends for now.
    const until = new Date(Math.min(to.getTime(), Math.max(from.getTime(), (account?.now ?? to).getTime())))
    const accounts = ['held', 'due', 'reserve', 'paying', 'owes'].map((part) => `seller_${part}:${seller}`)
    const balances = await balancesAround(ctx, seller, from)
    const { rows } = await sql<Row>`
    select e.occurred_at as at, e.kind, e.description, p.currency, (0 - sum(p.amount_cents))::bigint as cents, e.sale_id
    from ledger_postings p join ledger_entries e on e.id = p.entry_id
    where p.account = any(${accounts}::text[]) and e.occurred_at >= ${from} and e.occurred_at < ${to}
      and p.entry_id between ${leastOf(balances)} and ${mostOf(balances)}
    group by e.id, p.currency having sum(p.amount_cents) <> 0
    order by e.occurred_at, e.id limit ${MOST_ROWS + 1}`.execute(ctx.db)
    const cut = rows.length > MOST_ROWS
    const shown = rows.slice(0, MOST_ROWS)
    if (format === 'pdf') {
      const title = `Sales statement, ${new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(from)}`
      const parties = [`Seller: ${[account?.name, account?.email].filter(Boolean).join(', ') || seller}`, `Marketplace: ${issuer}`, '']
      const opening = balances.map(({ currency, opening }) => `Balance on ${month}-01: ${amount(opening, currency)}`)
      const closing = balances.map((each) => `Balance on ${dayOf(until)}: ${amount(each.closing, each.currency)}`)
      const change = balances.map((each) => `Change: ${amount(each.closing - each.opening, each.currency)}`)
      const left = cut ? [`The first ${MOST_ROWS} movements are listed. The balances count all of them.`] : []
      const lines = [...parties, ...opening, '', ...shown.map(lineOf), '', ...left, ...change, ...closing]
      return { filename: `sales-${month}.pdf`, content_type: 'application/pdf', pdf: pdfOf(title, lines).toString('base64'), cut }
    }
    const header = ['date', 'type', 'description', 'sale', 'amount', 'currency']
    const body = shown.map((row) => [row.at.toISOString(), row.kind, row.description, row.sale_id ?? '', decimal(row.cents), row.currency])
    const at = (moment: Date, kind: string, cents: number, currency: string) => [
      moment.toISOString(),
      kind,
      '',
      '',
      decimal(cents),
      currency,
    ]
    const opening = balances.map((each) => at(from, 'opening balance', each.opening, each.currency))
    const closing = balances.map((each) => at(until, 'closing balance', each.closing, each.currency))
    const csv = [header, ...opening, ...body, ...closing].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('')
    return { filename: `sales-${month}.csv`, content_type: 'text/csv', csv, cut }
  }

type Around = { currency: string; opening: number; closing: number; first_entry: string | null; last_entry: string | null }
/** The seller's money at the beginning and the end of the month, held and on its way included, less their debts; and between which entries its are. */
async function balancesAround({ db }: BillingCtx, seller: string, month: Date): Promise<Around[]> {
  const { rows } = await sql<Around>`
    select currency, coalesce(sum(cents) filter (where month < m), 0)::bigint as opening, coalesce(sum(cents) filter (where month <= m), 0)::bigint as closing,
      min(first_entry::text) filter (where month = m) as first_entry, max(last_entry::text) filter (where month = m) as last_entry
    from seller_months, (select (${month}::timestamptz at time zone 'UTC')::date as m) asked
    where seller_id = ${seller} group by currency order by currency`.execute(db)
  return rows
}
const NO_ENTRY = '00000000-0000-0000-0000-000000000000'
const entriesIn = (balances: Around[], name: 'first_entry' | 'last_entry') => balances.map((each) => each[name]).filter((id) => id !== null)
const leastOf = (balances: Around[]) => entriesIn(balances, 'first_entry').toSorted()[0] ?? NO_ENTRY
const mostOf = (balances: Around[]) => entriesIn(balances, 'last_entry').toSorted().at(-1) ?? NO_ENTRY
const dayOf = (at: Date) => at.toISOString().slice(0, 10)
const amount = (cents: number, currency: string) => `${decimal(cents)} ${currency.toUpperCase()}`

const lineOf = ({ at, description, currency, cents }: Row) =>
  `${dayOf(at)}  ${decimal(cents).padStart(12)} ${currency.toUpperCase()}  ${description.slice(0, 60)}`
