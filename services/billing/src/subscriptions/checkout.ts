import type * as contract from '@operon/contracts/billing/api'
import type { Input, Output } from '@operon/contracts/contract'
import { TRIAL_DAYS } from '@operon/contracts/plans'
import { signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import { accountOf, ensureCustomer } from '../accounts.ts'
import type { BillingCtx, Deps } from '../deps.ts'
import { beginCall, endCall, endCheckout, keepReply } from '../provider-calls.ts'
import { referralOf } from '../referrals/referrals.ts'
import type { CheckoutRequest } from '../stripe-checkouts.ts'
import { askAgain, isCodeRefusal, isOutage, isRefusal } from '../stripe-errors.ts'
import { isLive, refresh } from './project.ts'

type Checkout = { id: string; url: string }

export async function createCheckout(
  deps: Deps,
  ctx: BillingCtx,
  input: Input<typeof contract.createCheckout>,
): Promise<Output<typeof contract.createCheckout>> {
  if (ctx.actor.kind !== 'user') throw new DomainError('login_to_select_plan')
  const account = await accountOf(ctx)
  await refuseSubscribed(ctx)
  const referral = await referralOf(ctx.db, account.user_id, input.referral_code)
  try {
    const customer = await ensureCustomer(deps, ctx.db, account.user_id)
    const promotion = await promotionOf(deps, input, referral.discount)
    const request: CheckoutRequest = {
      customer,
      userId: account.user_id,
      plan: input.plan,
      period: input.period ?? 'month',
      trialDays: account.trial_used_at ? 0 : TRIAL_DAYS,
      referral: referral.discount,
      ...(promotion && { promotion }),
      successUrl: `${deps.publicUrl}/thank-you?session_id={CHECKOUT_SESSION_ID}`,
      cancelUrl: `${deps.publicUrl}/pricing`,
    }
    const { url } = await openCheckout(deps, ctx, request)
    return { url, trial_days: request.trialDays, ...(referral.dropped && { referral_dropped: referral.dropped }) }
  } catch (error) {
    if (error instanceof DomainError && error.status < 500) throw error
    // For first purchases alone, or used up in this moment.
    if (input.promotion_code && isCodeRefusal(error)) throw new DomainError('promotion_refused', { cause: error })
    ctx.log.warn({ err: error }, 'no checkout could be created')
    throw new DomainError('checkout_failed', { cause: error, ...(isOutage(error) && askAgain) })
  }
}

/** A code for months would take its share of a whole year: a year takes those that staff made for it. */
async function promotionOf(deps: Deps, { period, promotion_code: code }: Input<typeof contract.createCheckout>, isReferred: boolean) {
  if (!code) return null
  if (isReferred) throw new DomainError('promotion_beside_referral')
  const found = await deps.provider.findCoupon(code)
  if (!found || (period === 'year' && !found.yearly)) throw new DomainError('promotion_refused')
  return found.id
}

/** One open checkout an account: the same choice gets the same page again, another choice closes it. */
async function openCheckout(deps: Deps, ctx: BillingCtx, request: CheckoutRequest): Promise<Checkout> {
  const call = await beginCall(ctx.db, { userId: request.userId, kind: 'checkout', request })
  for (const { id } of call.replaced) if (id) await deps.provider.expireCheckout(id as string)
  if (call.reply) {
    const known = call.reply as Checkout
    const seen = await deps.provider.getCheckout(known.id)
    if (seen?.status === 'open') return known
    await endCall(ctx.db, call.id, 'done')
    if (seen?.status === 'complete') await refresh(deps, ctx.db, request.customer)
    await refuseSubscribed(ctx)
    return openCheckout(deps, ctx, request)
  }
  try {
    const made = await deps.provider.createCheckout(request, call.id)
    if (await keepReply(ctx.db, call.id, made)) return made
    await deps.provider.expireCheckout(made.id)
  } catch (error) {
    if (isRefusal(error)) await endCall(ctx.db, call.id, 'refused')
    throw error
  }
  throw new DomainError('conflict')
}

async function refuseSubscribed(ctx: BillingCtx) {
  const { status } = await ctx.db
    .selectFrom('subscriptions')
    .select('status')
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirstOrThrow()
  if (isLive({ status })) throw new DomainError('already_subscribed')
}

/** Asked by the page that the provider sends a person back to: it does not wait for a webhook. */
export async function checkoutStatus(
  deps: Deps,
  ctx: BillingCtx,
  input: Input<typeof contract.checkoutStatus>,
): Promise<Output<typeof contract.checkoutStatus>> {
  const user = signedIn(ctx)
  const session = await deps.provider.getCheckout(input.session_id)
  if (!session || session.userId !== user.id) throw new DomainError('not_found')
  if (session.status === 'complete' && session.customer) await refresh(deps, ctx.db, session.customer)
  // The look may have ended it: a card has one trial.
  const made =
    session.subscription?.status === 'trialing' ? (await deps.provider.getCheckout(input.session_id))?.subscription : session.subscription
  if (session.status !== 'open')
    await inTransaction(ctx.db, (trx) => endCheckout(trx, input.session_id, session.status === 'complete' ? 'done' : 'refused'))
  if (made?.trialRefused) return { status: session.status, plan: made.plan, trial_end: null, trial_refused: true }
  const row = await ctx.db
    .selectFrom('subscriptions')
    .select(['plan', 'status', 'trial_end'])
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  const trialEnd = row?.status === 'trialing' ? row.trial_end : null
  return { status: session.status, plan: row?.plan ?? null, trial_end: trialEnd?.toISOString() ?? null }
}
