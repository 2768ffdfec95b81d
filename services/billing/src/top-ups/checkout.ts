import type * as contract from '@operon/contracts/billing/top-ups'
import type { Input, Output } from '@operon/contracts/contract'
import { type TopUp, type TopUpUnit, topUpOf } from '@operon/contracts/plans'
import { topUpTitle } from '@operon/contracts/words'
import { signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { accountOf, ensureCustomer } from '../accounts.ts'
import type { BillingCtx, Db, Deps } from '../deps.ts'
import { bookCharge } from '../ledger/book.ts'
import { askAgain, isOutage } from '../stripe-errors.ts'
import type { TopUpRow } from './settle.ts'

/** Stripe ends its pages after a day. */
const PAGE_LIVES_MS = 20 * 3_600_000

export async function buyTopUp(
  deps: Deps,
  ctx: BillingCtx,
  { unit }: Input<typeof contract.buyTopUp>,
): Promise<Output<typeof contract.buyTopUp>> {
  const { user_id: userId } = await accountOf(ctx)
  const offer = topUpOf(unit)
  try {
    const customer = await ensureCustomer(deps, ctx.db, userId)
    const { id, url } = await openPage(deps, ctx.db, { userId, customer, offer })
    return { top_up_id: id, url, amount_cents: offer.priceCents, currency: offer.currency }
  } catch (error) {
    if (error instanceof DomainError && error.status < 500) throw error
    ctx.log.warn({ err: error }, 'no checkout of a top-up could be created')
    throw new DomainError('checkout_failed', { cause: error, ...(isOutage(error) && askAgain) })
  }
}

type Wanted = { userId: string; customer: string; offer: TopUp }
/** One open page a person and unit: who asks again gets the same. Its row stands before the provider is asked, and the row's id is the key. */
async function openPage(deps: Deps, db: Db, wanted: Wanted): Promise<{ id: string; url: string }> {
  const row = await openRow(db, wanted)
  const { offer } = wanted
  const isCurrent =
    row.price_cents === offer.priceCents && row.units === offer.units && Date.now() - row.created_at.getTime() < PAGE_LIVES_MS
  if (!isCurrent) {
    if (row.session) await deps.provider.expireCheckout(row.session)
    await lookAtTopUp(deps, db, row)
    await endPage(db, row.id)
    return openPage(deps, db, wanted)
  }
  if (row.session && row.url) {
    if ((await lookAtTopUp(deps, db, row)) === 'open') return { id: row.id, url: row.url }
    await endPage(db, row.id)
    return openPage(deps, db, wanted)
  }
  const request = {
    ...{ topUp: row.id, customer: wanted.customer, userId: wanted.userId, title: topUpTitle(offer), currency: offer.currency },
    amountCents: offer.priceCents,
    successUrl: `${deps.publicUrl}/thank-you?top_up=${row.id}`,
    cancelUrl: `${deps.publicUrl}/pricing`,
  }
  const made = await deps.provider.createTopUpCheckout(request, `top-up-${row.id}`)
  await db.updateTable('top_ups').set({ session: made.id, url: made.url }).where('id', '=', row.id).where('state', '=', 'open').execute()
  return { id: row.id, url: made.url }
}

/** Where its payment is still under way, or was none of ours, the row stays behind: a payment that comes later is booked to it all the same. */
const endPage = (db: Db, id: string) =>
  db.updateTable('top_ups').set({ state: 'expired', url: null }).where('id', '=', id).where('state', '=', 'open').execute()

async function openRow(db: Db, { userId, offer }: Wanted): Promise<TopUpRow> {
  const { unit, units, unitMicrousd: unit_microusd, priceCents: price_cents, currency } = offer
  for (;;) {
    await db
      .insertInto('top_ups')
      .values({ id: newId(), user_id: userId, unit, units, unit_microusd, price_cents, currency })
      .onConflict((conflict) => conflict.columns(['user_id', 'unit']).where('state', '=', 'open').doNothing())
      .execute()
    const row = await db
      .selectFrom('top_ups')
      .selectAll()
      .where('user_id', '=', userId)
      .where('unit', '=', unit)
      .where('state', '=', 'open')
      .executeTakeFirst()
    if (row) return row
  }
}

/** The state of a purchase as the provider's page says it is now; what was paid is booked. */
async function lookAtTopUp({ provider }: Deps, db: Db, { id, session }: Pick<TopUpRow, 'id' | 'session'>) {
  const seen = session ? await provider.getTopUpCheckout(session) : null
  const charge = seen?.charge ? await provider.getCharge(seen.charge) : null
  await inTransaction(db, async (trx) => {
    if (charge) await bookCharge(trx, charge)
    const looked = { looked_at: sql<Date>`now()`, ...(seen?.status === 'expired' && { state: 'expired' as const, url: null }) }
    await trx.updateTable('top_ups').set(looked).where('id', '=', id).where('state', '=', 'open').execute()
  })
  return seen?.status ?? 'open'
}

export async function topUpStatus(
  deps: Deps,
  ctx: BillingCtx,
  { top_up_id: id }: Input<typeof contract.topUpStatus>,
): Promise<Output<typeof contract.topUpStatus>> {
  const read = () =>
    ctx.db.selectFrom('top_ups').selectAll().where('id', '=', id).where('user_id', '=', signedIn(ctx).id).executeTakeFirst()
  const before = await read()
  if (!before) throw new DomainError('not_found')
  if (before.state === 'open') await lookAtTopUp(deps, ctx.db, before)
  const { state, unit, units } = (await read())!
  const status = state === 'open' || state === 'expired' ? state : 'complete'
  return { status, unit: unit as TopUpUnit, units }
}

const LOOKED_AT_TOGETHER = 50
/** Payment pages that no webhook told of for a while. */
export async function sweepTopUps(deps: Deps, { db, log }: BillingCtx): Promise<void> {
  const { rows } = await sql<{ id: string; session: string }>`
    update top_ups set looked_at = now() where id in (
      select id from top_ups where state = 'open' and session is not null and looked_at < now() - interval '5 minutes'
      order by looked_at limit ${LOOKED_AT_TOGETHER} for update skip locked)
    returning id, session`.execute(db)
  for (const row of rows)
    await lookAtTopUp(deps, db, row).catch((err) =>
      log.warn({ err, top_up: row.id }, 'the payment page of a top-up could not be checked; the next sweep tries again'),
    )
}
