import { setTimeout as delay } from 'node:timers/promises'
import { planCancelled, trialRefused } from '@operon/contracts/billing/events'
import type { PlanId } from '@operon/contracts/plans'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Db, Deps, Trx } from '../deps.ts'
import { disputeOf } from '../ledger/disputes.ts'
import { referralWaits } from '../referrals/referrals.ts'
import { type ProviderSubscription, TRIAL_REFUSED } from '../stripe-shapes.ts'
import { entitlementOf, pick, publishClosed, publishSubscription, type Standing, type SubscriptionRow } from './entitlement.ts'

export type Look = {
  known: SubscriptionRow
  found: ProviderSubscription | null
  standing: Standing
  /** Ended at once, because its card had a trial before. */
  refused: ProviderSubscription | null
}

/** Somebody else has kept a look since this one began: what it found may be old. Look again. */
class StaleLook extends Error {}

/**
 * Reads what the provider says now about a customer. The count of looks is read first: if it has not moved when the result is kept,
 * nothing newer can have been kept meanwhile. So the order in which webhooks arrive does not matter.
 */
export async function look(deps: Deps, db: Db, customer: string, newCard = false, again = 0): Promise<Look | null> {
  // The change did not come about: a failure that is seen is better than asking without end.
  if (again > MOST_LOOKS) throw new Error(`the provider does not follow for ${customer}`)
  const lookAgain = () => look(deps, db, customer, false, again + 1)
  const known = await db
    .selectFrom('accounts')
    .innerJoin('subscriptions', 'subscriptions.user_id', 'accounts.user_id')
    .selectAll('subscriptions')
    .where('accounts.stripe_customer_id', '=', customer)
    .executeTakeFirst()
  if (!known) return null
  const all = await deps.provider.listSubscriptions(customer)
  const ranked = all.toSorted((a, b) => rank(b, known) - rank(a, known) || b.createdAt.getTime() - a.createdAt.getTime())
  const refused = ranked.find(({ trialRefused }) => trialRefused) ?? null
  const [found = null, ...others] = ranked.filter(({ trialRefused }) => !trialRefused)
  // Two checkouts paid at once: one subscription an account, and the money of the other goes back.
  for (const extra of others.filter(isLive)) await deps.provider.undoSubscription(extra.id)
  if (found?.status === 'trialing' && !(await trialIsDue(deps, db, known, found))) {
    // The page promised that nothing is charged today, so nothing is: a plan without a trial needs a yes of its own.
    await deps.provider.endNow(found.id, TRIAL_REFUSED)
    return lookAgain()
  }
  // The first month's discount is for the first charge. Should the trial's invoice of nothing have used it up, it is given again.
  if (found?.status === 'trialing' && found.plan && !found.discounted && (await referralWaits(db, known.user_id)))
    await deps.provider.discountReferred(found.id, found.plan, found.period, `referral-discount-${found.id}`)
  const overdue = found?.status === 'past_due' || found?.status === 'unpaid'
  if (newCard && overdue && (await deps.provider.payOverdue(found.id))) return lookAgain()
  const dispute = found ? await disputeOf(db, found.id) : null
  if (found && isLive(found) && (await followDispute(deps, found, dispute))) return lookAgain()
  const standing = { disputed: dispute === 'open', hasPaid: !overdue || (await deps.provider.hasPaid(found.id)) }
  return { known, found, standing, refused }
}

/** Nothing is charged while the bank decides; what it took for good ends the plan. True when something was changed. */
async function followDispute(deps: Deps, found: ProviderSubscription, dispute: 'open' | 'lost' | null): Promise<boolean> {
  const { id, pausedForDispute } = found
  if (dispute === 'lost') await deps.provider.endNow(id)
  else if (dispute === 'open' && !pausedForDispute) await deps.provider.pauseForDispute(id)
  else if (dispute === null && pausedForDispute) await deps.provider.resumeAfterDispute(id)
  else return false
  return true
}

/** Keeps what a look found, with its event. Answers who must be told. */
export async function keep(trx: Trx, { known, found, standing, refused }: Look): Promise<SubscriptionRow | null> {
  const next = entitlementOf(known, found, standing)
  const changed = JSON.stringify(next) !== JSON.stringify(pick(known))
  // A person who was told of an earlier end is told again.
  const isLonger = next.status === 'trialing' && Number(next.trial_end) > Number(known.trial_end)
  const row = await trx
    .updateTable('subscriptions')
    .set({
      looks: sql`looks + 1`,
      ...(changed && { ...next, version: sql`version + 1`, updated_at: new Date() }),
      ...(isLonger && { reminded_at: null }),
    })
    .where('user_id', '=', known.user_id)
    .where('looks', '=', known.looks)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new StaleLook()
  if (refused && (await useTrial(trx, known.user_id)) && refused.plan)
    await publish(trx, trialRefused, known.user_id, { plan: refused.plan })
  if (!changed) return null
  if (next.trial_end) await useTrial(trx, known.user_id)
  // The provider gave up before the days of grace were over.
  const gaveUp = known.status === 'past_due' && !known.lapsed && (row.status === 'unpaid' || row.status === 'canceled')
  if (gaveUp && !known.cancel_at_period_end && !standing.disputed) await publishClosed(trx, row)
  if (!gaveUp) await tellCancelled(trx, known, row)
  await publishSubscription(trx, row)
  return row
}

/** The bank's decision and the end of dunning have emails of their own. */
async function tellCancelled(trx: Trx, known: SubscriptionRow, row: SubscriptionRow) {
  if (known.cancel_at_period_end || known.disputed || !row.plan) return
  const told = { plan: row.plan as PlanId, trial: known.status === 'trialing' }
  const endsAt = told.trial ? row.trial_end : row.period_end
  if (row.cancel_at_period_end && endsAt) await publish(trx, planCancelled, row.user_id, { ...told, ends_at: endsAt.toISOString() })
  else if (row.status === 'canceled' && isLive(known))
    await publish(trx, planCancelled, row.user_id, { ...told, ends_at: row.updated_at.toISOString(), ended: true })
}

/** True the first time. */
async function useTrial(trx: Trx, userId: string): Promise<boolean> {
  const used = await trx
    .updateTable('accounts')
    .set({ trial_used_at: new Date() })
    .where('user_id', '=', userId)
    .where('trial_used_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst()
  return used !== undefined
}

/** Looks and keeps, until nobody came between. */
export async function refresh(deps: Deps, db: Db, customer: string): Promise<void> {
  await untilFresh(async () => {
    const seen = await look(deps, db, customer)
    if (!seen) return
    const changed = await inTransaction(db, (trx) => keep(trx, seen))
    if (changed) deps.tell(changed)
  })
}

/** The same for an account of ours. */
export async function follow(deps: Deps, { db }: BillingCtx, userId: string): Promise<void> {
  const account = await db.selectFrom('accounts').select('stripe_customer_id').where('user_id', '=', userId).executeTakeFirst()
  if (account?.stripe_customer_id) await refresh(deps, db, account.stripe_customer_id)
}

const TRIES = 12
const MOST_LOOKS = 4

export async function untilFresh<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StaleLook) || attempt === TRIES) throw error
      // Those that always meet step apart.
      if (attempt > 2) await delay(Math.random() * 20 * attempt)
    }
  }
}

export const isLive = ({ status }: { status: string }) =>
  status === 'trialing' || status === 'active' || status === 'past_due' || status === 'unpaid'
const rank = (subscription: ProviderSubscription, known: SubscriptionRow) =>
  (isLive(subscription) ? 4 : subscription.status === 'incomplete' ? 2 : 0) + (subscription.id === known.stripe_subscription_id ? 1 : 0)

/** Once a person and, where the rule is on, once a card. */
async function trialIsDue(deps: Deps, db: Db, known: SubscriptionRow, found: ProviderSubscription): Promise<boolean> {
  if (!deps.trialOncePerCard || known.stripe_subscription_id === found.id) return true
  const card = await deps.provider.cardOf(found.id)
  if (!card) return true
  const { rows } = await sql<{ user_id: string }>`
    insert into trial_cards (fingerprint, user_id) values (${card}, ${known.user_id})
    on conflict (fingerprint) do update set fingerprint = excluded.fingerprint returning user_id`.execute(db)
  return rows[0]!.user_id === known.user_id
}
