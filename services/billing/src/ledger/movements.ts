import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Db, Deps } from '../deps.ts'
import { readSetting, replaceSetting } from '../settings.ts'
import { isMissing } from '../stripe-errors.ts'
import type { ProviderBalanceMove } from '../stripe-money.ts'
import { balanceMoved } from './entries.ts'
import { post } from './post.ts'

/** Up to where the provider's list was read: the last time, and the time before. */
export const MOVEMENTS = 'movements:taken'
type Taken = { from: string | null; to: string | null }
const TOGETHER = 500
const ROWS_NAMED = 50

/** Copies what moved at the provider. Each run begins where the run before the last one ended, so that what was listed late is not missed. */
export async function takeMovements(deps: Deps, db: Db): Promise<void> {
  const taken = await readSetting<Taken>(db, MOVEMENTS)
  const from = taken?.from ?? null
  const to = await copyAfter(deps, db, from).catch((error) => {
    if (!from || !isMissing(error)) throw error
    return copyAfter(deps, db, null)
  })
  await replaceSetting(db, MOVEMENTS, { from: taken?.to ?? to, to: to ?? taken?.to ?? null })
}

/** Answers the newest that was read. */
async function copyAfter({ provider }: Deps, db: Db, after: string | null): Promise<string | null> {
  let newest: string | null = null
  for await (const page of provider.movements(after)) {
    if (after || !newest) newest = page[0]!.id
    await copy(db, page)
  }
  return newest
}

async function copy(db: Db, page: ProviderBalanceMove[]): Promise<void> {
  const rows = page.map(({ id, source, type, currency, netCents, feeCents, movedAt }) => ({
    ...{ id, source, type, currency, net_cents: netCents, fee_cents: feeCents, moved_at: movedAt },
  }))
  await db
    .insertInto('provider_movements')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export type Unmatched = { source: string; currency: string; type: string; ours: number; theirs: number }

/** Holds each movement against the entries of what caused it. Those that agree are done: neither ever changes. */
export async function matchMovements(db: Db): Promise<Unmatched[]> {
  const found: Unmatched[] = []
  for (let after = { source: '', currency: '' }; ; ) {
    const rows = await sumsBySource(db, after)
    const same = rows.filter(({ ours, theirs }) => ours === theirs)
    if (same.length > 0)
      await sql`update provider_movements set matched = true where id = any(${same.flatMap(({ ids }) => ids)}::text[])`.execute(db)
    for (const { ids: _, ...row } of rows) if (row.ours !== row.theirs && found.length < 1_000) found.push(row)
    const last = rows.at(-1)
    if (rows.length < TOGETHER || !last) return found
    after = last
  }
}

/** An entry is named by what moved the money, or by the movement itself. */
const bySource = ['charge', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'dispute_fee', 'transfer', 'transfer_reversed']
const byMovement = ['fee', 'dispute', 'dispute_won', 'dispute_fee', 'moved']

async function sumsBySource(db: Db, after: { source: string; currency: string }): Promise<(Unmatched & { ids: string[] })[]> {
  const { rows } = await sql<Unmatched & { ids: string[] }>`
    with batch as (
      select distinct source, currency from provider_movements where not matched and (source, currency) > (${after.source}, ${after.currency})
      order by source, currency limit ${TOGETHER}),
    theirs as (
      select m.source, m.currency, min(m.type) as type, sum(m.net_cents)::bigint as cents, array_agg(m.id) as ids
      from batch b join provider_movements m on m.source = b.source and m.currency = b.currency group by m.source, m.currency),
    named as (
      select source, currency, prefix || ':' || source as reference from theirs, unnest(${bySource}::text[]) prefix
      union select source, currency, prefix || ':' || id from theirs, unnest(ids) id, unnest(${byMovement}::text[]) prefix),
    ours as (
      select n.source, n.currency, sum(p.amount_cents)::bigint as cents from named n join ledger_entries e on e.reference = n.reference
      join ledger_postings p on p.entry_id = e.id and p.account = 'provider_balance' and p.currency = n.currency group by n.source, n.currency)
    select t.source, t.currency, t.type, t.ids, t.cents as theirs, coalesce(o.cents, 0)::bigint as ours
    from theirs t left join ours o on o.source = t.source and o.currency = t.currency order by t.source, t.currency`.execute(db)
  return rows
}

/** Entries of the last weeks about our balance that the provider has no movement for. */
export async function entriesWithoutMovement(db: Db, currency: string): Promise<string[]> {
  const { rows } = await sql<{ reference: string; cents: number }>`
    select e.reference, p.amount_cents as cents from ledger_postings p join ledger_entries e on e.id = p.entry_id
    where p.account = 'provider_balance' and p.currency = ${currency} and e.kind <> 'closing' and e.booked_at > now() - interval '40 days'
      and not exists (select from provider_movements m where m.source = substr(e.reference, strpos(e.reference, ':') + 1))
      and not exists (select from provider_movements m where m.id = substr(e.reference, strpos(e.reference, ':') + 1))
    order by p.entry_id desc limit ${ROWS_NAMED}`.execute(db)
  return rows.map(({ reference, cents }) => `booked ${reference}: ${cents} ${currency}, unknown to the provider`)
}

/** Payouts to our bank and the provider's own charges: nobody paid them, so no charge leads to them. */
export async function bookOwnMovements(db: Db): Promise<void> {
  const own = await db
    .selectFrom('provider_movements')
    .selectAll()
    .where('matched', '=', false)
    .where('type', 'in', Object.keys(ownMovements))
    .orderBy('id')
    .limit(10_000)
    .execute()
  await inTransaction(db, async (trx) => {
    for (const { id, type, currency, net_cents, moved_at } of own) {
      const { to, says } = ownMovements[type]!
      const lines = balanceMoved(currency, net_cents, to)
      if (lines.length > 0)
        await post(trx, { reference: `moved:${id}`, kind: 'moved', userId: null, description: says, occurredAt: moved_at, lines })
    }
  })
}

const ownMovements: Record<string, { to: 'bank' | 'provider_fees'; says: string }> = {
  payout: { to: 'bank', says: 'Paid out to our bank' },
  payout_cancel: { to: 'bank', says: 'Payout to our bank called off' },
  payout_failure: { to: 'bank', says: 'Payout to our bank returned' },
  stripe_fee: { to: 'provider_fees', says: 'Provider fee' },
  stripe_fx_fee: { to: 'provider_fees', says: 'Provider fee for an exchange' },
  tax_fee: { to: 'provider_fees', says: 'Tax on provider fees' },
}

/** Our bank and the provider's fees, according to the copied movements. */
export async function sumsOfMovements(db: Db): Promise<{ bank: Record<string, number>; provider_fees: Record<string, number> }> {
  const types = Object.entries(ownMovements)
  const ofKind = (to: string) => types.filter(([, own]) => own.to === to).map(([type]) => type)
  const { rows } = await sql<{ currency: string; bank: number; fees: number }>`
    select currency, (0 - coalesce(sum(net_cents) filter (where type = any(${ofKind('bank')}::text[])), 0))::bigint as bank,
      (coalesce(sum(fee_cents) filter (where not type = any(${Object.keys(ownMovements)}::text[])), 0)
        - coalesce(sum(net_cents) filter (where type = any(${ofKind('provider_fees')}::text[])), 0))::bigint as fees
    from provider_movements group by currency`.execute(db)
  return {
    bank: Object.fromEntries(rows.map(({ currency, bank }) => [currency, bank])),
    provider_fees: Object.fromEntries(rows.map(({ currency, fees }) => [currency, fees])),
  }
}

/** The owner of the money behind each source. */
export async function sellersOf(db: Db, sources: string[]): Promise<string[]> {
  if (sources.length === 0) return []
  const { rows } = await sql<{ seller_id: string }>`
    select seller_id from sales where charge = any(${sources}::text[])
    union select s.seller_id from sale_refunds r join sales s on s.id = r.sale_id where r.id = any(${sources}::text[])
    union select s.seller_id from disputes d join sales s on s.id = d.sale_id where d.id = any(${sources}::text[])
    union select seller_id from payouts where transfer = any(${sources}::text[])`.execute(db)
  return rows.map(({ seller_id }) => seller_id)
}
