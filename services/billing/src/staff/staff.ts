import type * as contract from '@operon/contracts/billing/staff'
import type { Input, Output } from '@operon/contracts/contract'
import { DomainError } from '@operon/kit/errors'
import { sql } from 'kysely'
import type { BillingCtx, Deps } from '../deps.ts'
import { bookCharge } from '../ledger/book.ts'
import { booksOf } from '../ledger/compare.ts'
import { openDisputes } from '../ledger/disputes.ts'
import { newestMovements } from '../ledger/statement.ts'
import { callOnce } from '../provider-calls.ts'
import { refused } from '../stripe-errors.ts'
import { subscriptionOf } from '../subscriptions/check.ts'
import { addDays } from '../subscriptions/entitlement.ts'
import { refresh } from '../subscriptions/project.ts'
import type { Hearing } from '../webhooks/routes.ts'
import { log } from './log.ts'

const PAYMENTS_SHOWN = 100
const LISTED = 200

export async function staffAccount(
  ctx: BillingCtx,
  { query, reason }: Input<typeof contract.staffAccount>,
): Promise<Output<typeof contract.staffAccount>> {
  const account = await ctx.db
    .selectFrom('accounts')
    .selectAll()
    .where((or) =>
      or.or([or(sql`user_id::text`, '=', query), or('stripe_customer_id', '=', query), or(sql`lower(email)`, '=', query.toLowerCase())]),
    )
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  await log(ctx, 'look up', reason, account?.user_id ?? null, { query })
  if (!account) throw new DomainError('not_found')
  const { user_id } = account
  const actions = await actionsOf(ctx).where('s.user_id', '=', user_id).limit(100).execute()
  const { rows: payments, more } = await newestMovements(ctx.db, user_id, PAYMENTS_SHOWN)
  return {
    account: {
      user_id,
      email: account.email,
      name: account.name,
      customer: account.stripe_customer_id,
      created_at: account.created_at.toISOString(),
    },
    subscription: await subscriptionOf(ctx.db, user_id),
    payments: payments.toReversed().map(({ reference, kind, amount_cents, currency, occurred_at, description }) => ({
      payment: reference.slice(reference.indexOf(':') + 1),
      kind,
      amount_cents,
      currency,
      at: occurred_at.toISOString(),
      description,
    })),
    more_payments: more,
    actions: actions.map(actionJson),
  }
}

export async function staffRefund(
  deps: Deps,
  ctx: BillingCtx,
  input: Input<typeof contract.staffRefund>,
): Promise<Output<typeof contract.staffRefund>> {
  const { payment, amount_cents: amountCents, reason } = input
  const account = await ctx.db
    .selectFrom('ledger_entries')
    .select('user_id')
    .where('reference', '=', `charge:${payment}`)
    .executeTakeFirst()
  if (!account?.user_id) throw new DomainError('not_found')
  await log(ctx, 'refund', reason, account.user_id, { payment, amountCents })
  const request = { payment, amountCents: amountCents ?? null }
  const intention = { userId: account.user_id, kind: `refund:${payment}`, request, asked: ctx.idempotencyKey }
  const { refund } = await callOnce(
    ctx.db,
    intention,
    async (key) => {
      const refund = await deps.provider.refund({ charge: payment, amountCents }, key)
      return { refund, charge: await deps.provider.getCharge(payment) }
    },
    (trx, { charge }) => bookCharge(trx, charge),
  ).catch(refused)
  return { refund: refund.id, amount_cents: refund.amountCents, currency: refund.currency }
}

export async function staffDisputes(
  ctx: BillingCtx,
  { reason }: Input<typeof contract.staffDisputes>,
): Promise<Output<typeof contract.staffDisputes>> {
  await log(ctx, 'list disputes', reason, null, {})
  return openDisputes(ctx.db)
}

export async function staffBooks(
  ctx: BillingCtx,
  { reason, compare_again: again = false }: Input<typeof contract.staffBooks>,
): Promise<Output<typeof contract.staffBooks>> {
  await log(ctx, again ? 'compare the books' : 'look at the books', reason, null, {})
  return booksOf(ctx.db, again)
}

export async function staffExtendTrial(
  deps: Deps,
  ctx: BillingCtx,
  input: Input<typeof contract.staffExtendTrial>,
): Promise<Output<typeof contract.staffExtendTrial>> {
  const { user_id: userId, days, reason } = input
  const row = await ctx.db
    .selectFrom('subscriptions')
    .innerJoin('accounts', 'accounts.user_id', 'subscriptions.user_id')
    .select(['status', 'trial_end', 'stripe_subscription_id', 'stripe_customer_id'])
    .where('subscriptions.user_id', '=', userId)
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  const { stripe_subscription_id: subscription, stripe_customer_id: customer, trial_end } = row
  if (row.status !== 'trialing' || !subscription || !customer || !trial_end)
    throw new DomainError('conflict', { message: 'This account is not in a trial.' })
  await log(ctx, 'extend trial', reason, userId, { days })
  // A try whose answer was lost may have been heard of by a webhook since: the days count from where they counted then.
  const fixed = { trial_end: addDays(trial_end, days).toISOString() }
  const intention = { userId, kind: 'extend-trial', request: { subscription, days }, fixed }
  const longer = await callOnce(ctx.db, intention, (key, { trial_end }) =>
    deps.provider.setTrialEnd(subscription, new Date(trial_end), key).then(() => trial_end),
  ).catch(refused)
  await refresh(deps, ctx.db, customer)
  return { trial_end: longer }
}

export async function staffEvents(
  ctx: BillingCtx,
  { reason }: Input<typeof contract.staffEvents>,
): Promise<Output<typeof contract.staffEvents>> {
  await log(ctx, 'list failed events', reason, null, {})
  const failed = await ctx.db
    .selectFrom('provider_events')
    .selectAll()
    .where('status', '=', 'failed')
    .orderBy('created_at', 'desc')
    .limit(LISTED + 1)
    .execute()
  return {
    more: failed.length > LISTED,
    events: failed.slice(0, LISTED).map(({ id, type, created_at, attempts, error, status }) => ({
      id,
      type,
      created_at: created_at.toISOString(),
      attempts,
      error,
      status,
    })),
  }
}

export const staffReplayEvent =
  ({ intake, events }: Hearing) =>
  async (
    deps: Deps,
    ctx: BillingCtx,
    input: Input<typeof contract.staffReplayEvent>,
  ): Promise<Output<typeof contract.staffReplayEvent>> => {
    const { event_id: id, reason } = input
    const kept = await ctx.db.selectFrom('provider_events').select(['status', 'payload']).where('id', '=', id).executeTakeFirst()
    const event = kept?.payload ? deps.provider.eventFrom(kept.payload) : await deps.provider.getEvent(id)
    if (!event) throw new DomainError('not_found')
    await log(ctx, 'replay event', reason, null, { event: event.id, type: event.type })
    if (kept?.status === 'done') return { status: 'duplicate' }
    if (!kept) await intake(event)
    const outcome = await events.add(event)
    if (outcome !== null) throw failedAgain(outcome)
    return { status: 'done' }
  }

export async function staffActions(ctx: BillingCtx): Promise<Output<typeof contract.staffActions>> {
  const actions = await actionsOf(ctx)
    .limit(LISTED + 1)
    .execute()
  return { actions: actions.slice(0, LISTED).map(actionJson), more: actions.length > LISTED }
}

const actionsOf = ({ db }: BillingCtx) =>
  db
    .selectFrom('staff_actions as s')
    .leftJoin('accounts as a', 'a.user_id', 's.user_id')
    .leftJoin('accounts as staff', 'staff.user_id', 's.staff_user_id')
    .select(['s.id', 's.action', 's.detail', 's.reason', 's.staff_user_id', 'staff.email as staff_email', 's.user_id', 'a.email', 's.at'])
    .orderBy('s.id', 'desc')
type ActionRow = Awaited<ReturnType<ReturnType<typeof actionsOf>['execute']>>[number]

const actionJson = ({ at, detail, ...row }: ActionRow) => ({ ...row, detail: inWords(detail as Detail), at: at.toISOString() })

type Detail = { about?: string; payment?: string; amountCents?: number; days?: number; event?: string; type?: string }
function inWords({ about, payment, amountCents, days, event, type }: Detail): string {
  if (about) return about
  if (payment) return `${amountCents ? (amountCents / 100).toFixed(2) : 'all'} of ${payment}`
  if (amountCents) return (amountCents / 100).toFixed(2)
  if (days) return `by ${days} ${days === 1 ? 'day' : 'days'}`
  return event ? `${type} ${event}` : ''
}

const failedAgain = (outcome: unknown) =>
  new DomainError('conflict', { message: `It failed again: ${(outcome as Error).message}`, cause: outcome })
