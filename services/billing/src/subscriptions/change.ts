import type * as contract from '@operon/contracts/billing/api'
import type { Input, Output } from '@operon/contracts/contract'
import { type PlanId, priceCentsOf } from '@operon/contracts/plans'
import { signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { BillingCtx, Deps } from '../deps.ts'
import { documentsOfPerson, paperJson } from '../documents/documents.ts'
import { callOnce } from '../provider-calls.ts'
import type { SwitchRequest } from '../stripe.ts'
import { checkSubscription } from './check.ts'
import { keptPlan } from './entitlement.ts'
import { isLive, refresh } from './project.ts'

type Reply = Output<typeof contract.checkSubscription>

export async function previewSwitch(
  deps: Deps,
  ctx: BillingCtx,
  { plan }: Input<typeof contract.previewSwitch>,
): Promise<Output<typeof contract.previewSwitch>> {
  const row = await running(ctx)
  const request = switchTo(row, plan)
  const { amountDueCents, currency, lines } = await deps.provider.previewSwitch(row.customer, request)
  const next_billing_date = row.period_end?.toISOString() ?? null
  return { amount_due_cents: amountDueCents, currency, lines, due: request.charge, next_billing_date }
}

/** An upgrade counts and is charged at once. A lower plan begins with the next period: a credit would give back what was used already. */
export async function switchPlan(deps: Deps, ctx: BillingCtx, { plan }: Input<typeof contract.switchPlan>): Promise<Reply> {
  const row = await running(ctx)
  if (row.plan === plan) return checkSubscription(ctx)
  const request = switchTo(row, plan)
  // With what it was switched from: the same switch after another one is a new one.
  const intention = { userId: row.user_id, kind: 'switch-plan', request: { ...request, version: row.version } }
  const wasAgain = await callOnce(ctx.db, intention, (key, _, isAgain) => deps.provider.switchPlan(request, key).then(() => isAgain))
  await refresh(deps, ctx.db, row.customer)
  const now = await checkSubscription(ctx)
  // The key of a lost answer can be older than a change in the portal: the provider then repeats that answer and does nothing.
  return wasAgain && (now.next_plan ?? now.subscription_tier) !== plan ? switchPlan(deps, ctx, { plan }) : now
}

export const cancelSubscription = (deps: Deps, ctx: BillingCtx) => setCancel(deps, ctx, true)
export const resumeSubscription = (deps: Deps, ctx: BillingCtx) => setCancel(deps, ctx, false)

async function setCancel(deps: Deps, ctx: BillingCtx, cancel: boolean): Promise<Reply> {
  const row = await running(ctx)
  if (row.cancel_at_period_end !== cancel) {
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

function switchTo(row: Awaited<ReturnType<typeof running>>, plan: PlanId): SwitchRequest {
  // Nothing is charged now, and a plan that nobody paid for is not given.
  if (row.disputed)
    throw new DomainError('conflict', { message: 'A payment is disputed at your bank. You can switch plans once it is decided.' })
  const kept = keptPlan(row)
  const isUpgrade = priceCentsOf(plan) > priceCentsOf(kept ?? row.plan)
  // The provider would charge the difference to the lower plan, of which the kept one's part is paid.
  if (kept && isUpgrade) throw new DomainError('switch_planned')
  return { subscription: row.subscription, item: row.item, plan, charge: isUpgrade && row.status !== 'trialing' ? 'now' : 'next invoice' }
}
