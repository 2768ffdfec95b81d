import type * as contract from '@operon/contracts/billing/api'
import type { Input, Output } from '@operon/contracts/contract'
import { type Period, type PlanId, priceCentsOf } from '@operon/contracts/plans'
import { signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { BillingCtx, Deps } from '../deps.ts'
import { documentsOfPerson, paperJson } from '../documents/documents.ts'
import { callOnce } from '../provider-calls.ts'
import { referralWaits } from '../referrals/referrals.ts'
import type { SwitchRequest } from '../stripe-plans.ts'
import { checkSubscription } from './check.ts'
import { keptPlan } from './entitlement.ts'
import { isLive, refresh } from './project.ts'
import { unusedCents } from './unused.ts'

type Reply = Output<typeof contract.checkSubscription>

export async function previewSwitch(
  deps: Deps,
  ctx: BillingCtx,
  { plan, period }: Input<typeof contract.previewSwitch>,
): Promise<Output<typeof contract.previewSwitch>> {
  const row = await running(ctx)
  const chosen = staysOn(row, plan, period)
    ? ({ ...chosenOf(row, plan, row.period), charge: 'afterwards' } as const)
    : await switchTo(ctx, row, plan, period)
  const request = await withCredit(deps, ctx, row, chosen)
  const { amountDueCents, currency, lines, paidUntil } = await deps.provider.previewSwitch(row.customer, request)
  const ends = request.charge === 'anew' ? paidUntil : row.period_end
  const due = request.charge === 'now' || request.charge === 'anew' ? ('now' as const) : ('next invoice' as const)
  return { amount_due_cents: amountDueCents, currency, lines, due, next_billing_date: ends?.toISOString() ?? null }
}

/**
 * An upgrade counts and is charged at once, and so does a year in a month's place. A lower plan, and a month after a year, begins with the next
 * period: a credit would give back what was used already.
 */
export async function switchPlan(deps: Deps, ctx: BillingCtx, { plan, period }: Input<typeof contract.switchPlan>): Promise<Reply> {
  const row = await running(ctx)
  const wanted = period ?? row.period
  // Chosen again, it stays: what was to follow is taken back.
  if (staysOn(row, plan, period)) return keepPlan(deps, ctx, row)
  const request = await switchTo(ctx, row, plan, period)
  if (row.plan === plan && row.period === wanted) return checkSubscription(ctx)
  // The planned change has begun: the plan for it is done.
  if (row.stripe_schedule_id && !row.next_plan) await deps.provider.keepPlan(row.stripe_schedule_id)
  const { credit } = await withCredit(deps, ctx, row, request)
  // With what it was switched from: the same switch after another one is a new one. The credit is what it was at the first try.
  const intention = { userId: row.user_id, kind: 'switch-plan', request: { ...request, version: row.version }, fixed: { credit } }
  const wasAgain = await callOnce(ctx.db, intention, (key, { credit }, isAgain) =>
    deps.provider.switchPlan({ ...request, ...(credit && { credit }) }, key).then(() => isAgain),
  )
  await refresh(deps, ctx.db, row.customer)
  const now = await checkSubscription(ctx)
  // The key of a lost answer can be older than a change in the portal: the provider then repeats that answer and does nothing.
  return wasAgain && (now.next_plan ?? now.subscription_tier) !== plan ? switchPlan(deps, ctx, { plan, period }) : now
}

const chosenOf = ({ subscription, item }: Running, plan: PlanId, period: Period) => ({ subscription, item, plan, period })
/** The running plan was chosen again, and another was to follow it. */
const staysOn = (row: Running, plan: PlanId, period = row.period) => row.next_plan !== null && plan === row.plan && period === row.period

async function keepPlan(deps: Deps, ctx: BillingCtx, row: Running): Promise<Reply> {
  if (row.stripe_schedule_id) await deps.provider.keepPlan(row.stripe_schedule_id)
  await refresh(deps, ctx.db, row.customer)
  return checkSubscription(ctx)
}

export const cancelSubscription = (deps: Deps, ctx: BillingCtx) => setCancel(deps, ctx, true)
export const resumeSubscription = (deps: Deps, ctx: BillingCtx) => setCancel(deps, ctx, false)

async function setCancel(deps: Deps, ctx: BillingCtx, cancel: boolean): Promise<Reply> {
  const row = await running(ctx)
  if (row.cancel_at_period_end !== cancel) {
    // The provider takes no end beside a plan for what follows.
    if (row.stripe_schedule_id) await deps.provider.keepPlan(row.stripe_schedule_id)
    await deps.provider.setCancelAtPeriodEnd(row.subscription, cancel)
    await refresh(deps, ctx.db, row.customer)
  }
  return checkSubscription(ctx)
}

export async function listInvoices(deps: Deps, ctx: BillingCtx): Promise<Output<typeof contract.listInvoices>> {
  const account = await ctx.db
    .selectFrom('accounts')
    .select('stripe_customer_id')
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirst()
  if (!account?.stripe_customer_id) return { invoices: [], more: false, credit_notes: [] }
  const { invoices, more } = await deps.provider.listInvoices(account.stripe_customer_id)
  return {
    invoices: invoices.map(({ createdAt, amountCents, hostedUrl, pdfUrl, ...invoice }) => ({
      ...invoice,
      created_at: createdAt.toISOString(),
      amount_cents: amountCents,
      hosted_url: hostedUrl,
      pdf_url: pdfUrl,
    })),
    more,
    credit_notes: (await documentsOfPerson(ctx.db, signedIn(ctx).id)).map(paperJson),
  }
}

/** The subscription that the caller has now. */
async function running(ctx: BillingCtx) {
  const row = await ctx.db
    .selectFrom('subscriptions')
    .innerJoin('accounts', 'accounts.user_id', 'subscriptions.user_id')
    .selectAll('subscriptions')
    .select('accounts.stripe_customer_id')
    .where('subscriptions.user_id', '=', signedIn(ctx).id)
    .executeTakeFirst()
  const { stripe_customer_id: customer, stripe_subscription_id: subscription, stripe_item_id: item } = row ?? {}
  if (!row || !isLive(row) || !customer || !subscription || !item) throw new DomainError('no_subscription')
  return { ...row, customer, subscription, item }
}
type Running = Awaited<ReturnType<typeof running>>

async function switchTo(ctx: BillingCtx, row: Running, plan: PlanId, asked: Period | undefined): Promise<SwitchRequest> {
  // Nothing is charged now, and a plan that nobody paid for is not given.
  if (row.disputed)
    throw new DomainError('conflict', { message: 'A payment is disputed at your bank. You can switch plans once it is decided.' })
  const period = asked ?? row.period
  const chosen = chosenOf(row, plan, period)
  const isReferred = row.status === 'trialing' && (await referralWaits(ctx.db, row.user_id))
  if (row.status === 'trialing') return { ...chosen, charge: 'next invoice', isReferred }
  const kept = keptPlan(row)
  const isUpgrade = priceCentsOf(plan) > priceCentsOf(kept ?? row.plan)
  const isOther = period !== row.period
  if (isOther && row.status !== 'active')
    throw new DomainError('conflict', {
      message: 'The last payment did not go through. Update your card, then switch to another billing period.',
    })
  const charge = isOther ? (period === 'year' ? 'anew' : 'afterwards') : isUpgrade ? 'now' : 'next invoice'
  // The provider would charge the difference to the lower plan, of which the kept one's part is paid; and a plan for later would undo this one.
  if ((kept && (isUpgrade || charge === 'anew')) || (row.next_plan && charge !== 'afterwards')) throw new DomainError('switch_planned')
  if (charge === 'afterwards' && row.cancel_at_period_end)
    throw new DomainError('conflict', {
      message: 'Your plan is cancelled and ends with its period. Keep it first, then switch to monthly.',
    })
  if (charge === 'anew' && priceCentsOf(plan) < priceCentsOf(row.plan))
    throw new DomainError('conflict', { message: 'Switch to the lower plan first. You can pay for it by the year once it has started.' })
  return { ...chosen, charge }
}

async function withCredit(deps: Deps, ctx: BillingCtx, row: Running, request: SwitchRequest): Promise<SwitchRequest> {
  if (request.charge !== 'anew') return request
  const cents = await unusedCents(deps, ctx, row)
  return { ...request, credit: { cents, name: `${row.subscription}-${row.period_end?.getTime()}` } }
}
