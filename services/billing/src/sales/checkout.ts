import type { openSaleCheckout, settleSale } from '@operon/contracts/billing/selling-events'

import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import { ensureCustomer } from '../accounts.ts'
import type { BillingCtx, Db, Deps } from '../deps.ts'
import type { BillingDb } from '../schema.ts'
import { isReady, sellerRow } from '../sellers/accounts.ts'
import type { SaleCheckoutRequest } from '../stripe-sales.ts'
import { keepCheckout, lookAtCheckout } from './settle.ts'

type Wanted = z.output<(typeof openSaleCheckout)['input']>
type Opened = z.input<(typeof openSaleCheckout)['reply']>
type Settled = z.input<(typeof settleSale)['reply']>
type CheckoutRow = Selectable<BillingDb['sale_checkouts']>

/** A payment page for what a buyer chose. What is wanted stands in a row before the provider is asked, and the row's id is the key. */
export async function openCheckout(deps: Deps, { db }: BillingCtx, wanted: Wanted): Promise<Opened> {
  if (!isReady(await sellerRow(db, wanted.seller_id))) return { state: 'seller_not_ready' }
  const row = await keepWanted(deps, db, wanted)
  if (row.state !== 'open') return { state: row.state }
  if (row.url) return { state: 'open', url: row.url }
  const made = await deps.provider.createSaleCheckout(row.request as SaleCheckoutRequest, `sale-${row.id}`)
  // The page is made, and the way back to it opens the order: nothing keeps it in clear.
  await db.updateTable('sale_checkouts').set({ session: made.id, url: made.url, request: '{}' }).where('id', '=', row.id).execute()
  return { state: 'open', url: made.url }
}

async function keepWanted(deps: Deps, db: Db, wanted: Wanted): Promise<CheckoutRow> {
  const find = () =>
    db.selectFrom('sale_checkouts').selectAll().where('kind', '=', wanted.kind).where('reference', '=', wanted.reference).executeTakeFirst()
  const known = await find()
  if (known) return known
  const id = newId()
  const { kind, reference, seller_id, buyer_id, email, currency, lines, seller } = wanted
  const request: SaleCheckoutRequest = {
    ...{ checkout: id, kind, reference, seller: seller_id, email, currency },
    customer: buyer_id ? await customerOf(deps, db, buyer_id) : null,
    lines: lines.map(({ title, amount_cents }) => ({ title, amountCents: amount_cents })),
    successUrl: deps.publicUrl + wanted.success_path,
    cancelUrl: deps.publicUrl + wanted.cancel_path,
  }
  const amount_cents = lines.reduce((sum, line) => sum + line.amount_cents, 0)
  await db
    .insertInto('sale_checkouts')
    .values({
      ...{ id, kind, reference, seller_id, buyer_id, email, currency, amount_cents },
      ...{
        lines: JSON.stringify(lines),
        seller: seller ? JSON.stringify(seller) : null,
        request: JSON.stringify(request),
        session: null,
        url: null,
      },
    })
    .onConflict((conflict) => conflict.columns(['kind', 'reference']).doNothing())
    .execute()
  return (await find())!
}

/** A buyer who has an account here pays as its customer. */
async function customerOf(deps: Deps, db: Db, buyer: string): Promise<string | null> {
  const account = await db.selectFrom('accounts').select('user_id').where('user_id', '=', buyer).executeTakeFirst()
  return account ? ensureCustomer(deps, db, buyer) : null
}

/** Asked by the page that a buyer comes back to: it does not wait for a webhook. */
export async function settleNow(
  deps: Deps,
  { db }: BillingCtx,
  { kind, reference }: z.output<(typeof settleSale)['input']>,
): Promise<Settled> {
  const row = () =>
    db
      .selectFrom('sale_checkouts as c')
      .leftJoin('sales as s', 's.id', 'c.id')
      .select(['c.state', 'c.session', 's.status'])
      .where('c.kind', '=', kind)
      .where('c.reference', '=', reference)
      .executeTakeFirst()
  const before = await row()
  if (!before) return { state: 'unknown' }
  if (before.state === 'open' && before.session) await refreshCheckout(deps, db, before.session)
  const after = (await row())!
  return { state: after.state === 'open' && after.status === 'failed' ? 'failed' : after.state }
}

async function refreshCheckout(deps: Deps, db: Db, session: string) {
  const seen = await lookAtCheckout(deps, session)
  if (seen) await inTransaction(db, (trx) => keepCheckout(trx, seen))
}

const LOOKED_AT_TOGETHER = 50
/** Payment pages that no webhook told of for a while. */
export async function sweepCheckouts(deps: Deps, { db, log }: BillingCtx): Promise<void> {
  const { rows } = await sql<{ session: string }>`
    update sale_checkouts set looked_at = now() where id in (
      select id from sale_checkouts where state = 'open' and session is not null
        and looked_at < now() - least(interval '1 hour', greatest(interval '1 minute', (now() - created_at) / 4))
      order by looked_at limit ${LOOKED_AT_TOGETHER} for update skip locked)
    returning session`.execute(db)
  for (const { session } of rows)
    await refreshCheckout(deps, db, session).catch((err) =>
      log.warn({ err, session }, 'a payment page could not be checked; a later sweep tries again'),
    )
}
