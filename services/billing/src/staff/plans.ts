import type * as contract from '@operon/contracts/billing/plans-staff'
import type { Input, Output } from '@operon/contracts/contract'
import { DomainError } from '@operon/kit/errors'
import type { BillingCtx, Deps } from '../deps.ts'
import { bookCredits } from '../ledger/credits.ts'
import { callOnce } from '../provider-calls.ts'
import { refused } from '../stripe-errors.ts'
import { subscriptionOf } from '../subscriptions/check.ts'
import { isLive, refresh } from '../subscriptions/project.ts'
import { log } from './log.ts'

export async function staffCancelPlan(
  deps: Deps,
  ctx: BillingCtx,
  { user_id, when, reason }: Input<typeof contract.staffCancelPlan>,
): Promise<Output<typeof contract.staffCancelPlan>> {
  const row = await ctx.db
    .selectFrom('subscriptions')
    .innerJoin('accounts', 'accounts.user_id', 'subscriptions.user_id')
    .select(['status', 'stripe_subscription_id as subscription', 'stripe_customer_id as customer'])
    .where('subscriptions.user_id', '=', user_id)
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  const { subscription, customer } = row
  if (!isLive(row) || !subscription || !customer) throw new DomainError('no_subscription')
  await log(ctx, when === 'now' ? 'end plan at once' : 'end plan with its period', reason, user_id, {})
  if (when === 'now') await deps.provider.endNow(subscription, 'Ended by staff')
  else await deps.provider.setCancelAtPeriodEnd(subscription, true)
  await refresh(deps, ctx.db, customer)
  const { status, current_period_end } = await subscriptionOf(ctx.db, user_id)
  return { status, ends_at: when === 'now' ? null : current_period_end }
}

/** It is booked with the answer; the webhook of it books nothing again. */
export async function staffCredit(
  deps: Deps,
  ctx: BillingCtx,
  { user_id: userId, amount_cents, reason }: Input<typeof contract.staffCredit>,
): Promise<Output<typeof contract.staffCredit>> {
  const account = await ctx.db.selectFrom('accounts').select('stripe_customer_id').where('user_id', '=', userId).executeTakeFirst()
  const customer = account?.stripe_customer_id
  if (!customer) throw new DomainError('not_found')
  await log(ctx, 'credit', reason, userId, { amountCents: amount_cents })
  const intention = { userId, kind: 'staff-credit', request: { customer, amount_cents }, asked: ctx.idempotencyKey }
  const credit = await callOnce(
    ctx.db,
    intention,
    (key) => deps.provider.creditCustomer(customer, amount_cents, 'usd', key),
    (trx, credit) => bookCredits(trx, customer, [{ ...credit, createdAt: new Date(credit.createdAt) }]),
  ).catch(refused)
  return { credit: credit.id, amount_cents: -credit.amountCents, currency: credit.currency }
}
