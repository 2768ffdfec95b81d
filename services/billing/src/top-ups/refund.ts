import type * as contract from '@operon/contracts/billing/top-ups'
import type { Input, Output } from '@operon/contracts/contract'
import { REFUND_WINDOW_DAYS, type TopUpUnit, topUps } from '@operon/contracts/plans'
import { topUpTitle } from '@operon/contracts/words'
import { signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Db, Deps } from '../deps.ts'
import { bookCharge } from '../ledger/book.ts'
import { callOnce } from '../provider-calls.ts'
import { refused } from '../stripe-errors.ts'
import { addDays } from '../subscriptions/entitlement.ts'
import { shareOf, type TopUpRow } from './settle.ts'

const SHOWN = 20

export async function listTopUps(ctx: BillingCtx): Promise<Output<typeof contract.listTopUps>> {
  const userId = signedIn(ctx).id
  const found = await ctx.db
    .selectFrom('top_ups')
    .selectAll()
    .select(sql<Date>`provider_now(user_id)`.as('now'))
    .where('user_id', '=', userId)
    .where('paid_at', 'is not', null)
    .orderBy('paid_at', 'desc')
    .orderBy('id', 'desc')
    .limit(SHOWN + 1)
    .execute()
  return {
    offers: topUps.map(({ unit, units, priceCents, currency }) => ({ unit, units, amount_cents: priceCents, currency })),
    top_ups: found.slice(0, SHOWN).map((row) => {
      const left = row.state === 'closed' ? 0 : row.units - row.drawn
      const until = addDays(row.paid_at!, REFUND_WINDOW_DAYS)
      const cents = row.state === 'paid' && row.now < until ? shareOf(row, left) : 0
      return {
        ...{ id: row.id, unit: row.unit as TopUpUnit, units: row.units, amount_cents: row.gross_cents!, currency: row.currency, left },
        state: row.state === 'paid' ? 'open' : (row.state as 'held' | 'refunding' | 'closed'),
        bought_at: row.paid_at!.toISOString(),
        refunded_cents: row.returned_cents,
        refund_cents: cents > 0 ? cents : null,
        refundable_until: until.toISOString(),
      }
    }),
    more: found.length > SHOWN,
  }
}

async function refundable(ctx: BillingCtx, id: string) {
  const row = await ctx.db
    .selectFrom('top_ups')
    .selectAll()
    .select(sql<Date>`provider_now(user_id)`.as('now'))
    .where('id', '=', id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('paid_at', 'is not', null)
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  if (row.state === 'held') throw new DomainError('refund_disputed')
  if (row.state === 'closed') throw new DomainError('top_up_closed')
  if (row.state === 'paid' && row.now >= addDays(row.paid_at!, REFUND_WINDOW_DAYS)) throw new DomainError('top_up_late')
  if (row.state === 'paid' && row.drawn >= row.units) throw new DomainError('top_up_used')
  return row
}

export async function previewTopUpRefund(
  ctx: BillingCtx,
  { top_up_id: id }: Input<typeof contract.previewTopUpRefund>,
): Promise<Output<typeof contract.previewTopUpRefund>> {
  const row = await refundable(ctx, id)
  const left = row.refund_units ?? row.units - row.drawn
  return {
    ...{ top_up: topUpTitle({ unit: row.unit as TopUpUnit, units: row.units }), left },
    ...{ amount_cents: Math.max(0, shareOf(row, left)), currency: row.currency },
  }
}

/**
 * Ends a top-up where it is metered, before its money moves: what is left there then is what goes back, and nothing of it can be used any more.
 * A second request continues at what was left the first time.
 */
export async function refundTopUp(
  deps: Deps,
  ctx: BillingCtx,
  { top_up_id: id }: Input<typeof contract.refundTopUp>,
): Promise<Output<typeof contract.refundTopUp>> {
  return finishRefund(deps, ctx, await refundable(ctx, id))
}

async function finishRefund(deps: Deps, ctx: BillingCtx, row: TopUpRow): Promise<Output<typeof contract.refundTopUp>> {
  const { db } = ctx
  await db
    .updateTable('top_ups')
    .set({ state: 'refunding', looked_at: sql<Date>`now()` })
    .where('id', '=', row.id)
    .where('state', '=', 'paid')
    .execute()
  const left = row.refund_units ?? (await closeAtMeter(deps, db, row))
  const cents = shareOf(row, left)
  const nothing = cents <= 0
  if (nothing) await close(db, row.id)
  if (nothing) throw new DomainError('top_up_used')
  const intention = { userId: row.user_id, kind: `refund:${row.charge}`, request: { topUp: row.id, cents } }
  const sent = await callOnce(
    db,
    intention,
    async (key, _, isAgain) => {
      // A refund by staff may have taken the place of a call that did send it, or somebody else's try ended since this row was read.
      if (!isAgain && row.state === 'refunding') await bookNow(deps, db, row)
      if (!isAgain && !(await isRefunding(db, row.id))) return null
      const refund = await deps.provider.refund({ charge: row.charge!, amountCents: cents }, key)
      return { refund, charge: await deps.provider.getCharge(row.charge!) }
    },
    async (trx, sent) => sent && bookCharge(trx, sent.charge),
  ).catch(refused)
  if (!sent) throw new DomainError('top_up_closed')
  const { refund } = sent
  return { amount_cents: refund.amountCents, currency: refund.currency, left }
}

async function bookNow({ provider }: Deps, db: Db, row: TopUpRow): Promise<void> {
  const charge = await provider.getCharge(row.charge!)
  await inTransaction(db, (trx) => bookCharge(trx, charge))
}

async function closeAtMeter(deps: Deps, db: Db, { id, user_id, unit, units, unit_microusd }: TopUpRow): Promise<number> {
  const { left } = await deps.closeTopUp({ top_up_id: id, user_id, unit: unit as TopUpUnit, units, unit_microusd })
  await db.updateTable('top_ups').set({ refund_units: left }).where('id', '=', id).where('state', '=', 'refunding').execute()
  return left
}

const isRefunding = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('top_ups').select('id').where('id', '=', id).where('state', '=', 'refunding').executeTakeFirst()) !== undefined

const close = (db: Db, id: string) =>
  db.updateTable('top_ups').set({ state: 'closed' }).where('id', '=', id).where('state', '=', 'refunding').execute()

const TOGETHER = 20
/** Refunds that were begun and whose answer was lost. One that is there is booked, and not sent again. */
export async function finishRefunds(deps: Deps, ctx: BillingCtx): Promise<void> {
  const { rows } = await sql<TopUpRow>`
    update top_ups set looked_at = now() where id in (
      select id from top_ups where state = 'refunding' and looked_at < now() - interval '1 minute'
      order by looked_at limit ${TOGETHER} for update skip locked)
    returning *`.execute(ctx.db)
  for (const row of rows)
    await finishLost(deps, ctx, row).catch((err) =>
      ctx.log.warn({ err, top_up: row.id }, 'the refund of a top-up is not sent yet; the next sweep tries again'),
    )
}

async function finishLost(deps: Deps, ctx: BillingCtx, lost: TopUpRow): Promise<void> {
  await bookNow(deps, ctx.db, lost)
  const row = await ctx.db.selectFrom('top_ups').selectAll().where('id', '=', lost.id).where('state', '=', 'refunding').executeTakeFirst()
  if (row) await finishRefund(deps, ctx, row)
}
