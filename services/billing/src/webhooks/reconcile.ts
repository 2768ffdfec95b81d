import { trialEnding } from '@operon/contracts/billing/events'
import { billCentsOf, plans, referralOffCents } from '@operon/contracts/plans'
import { DAY_MS } from '@operon/kit/clock'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Deps, Trx } from '../deps.ts'
import { reached } from '../provider-time.ts'
import { referralWaits } from '../referrals/referrals.ts'
import { readSetting, replaceSetting } from '../settings.ts'
import type { ProviderEvent } from '../stripe-shapes.ts'
import { publishClosed, publishSubscription, type SubscriptionRow } from '../subscriptions/entitlement.ts'
import { refresh } from '../subscriptions/project.ts'
import { sweepTopUps } from '../top-ups/checkout.ts'
import { finishRefunds } from '../top-ups/refund.ts'
import type { Hearing } from './routes.ts'
import { announceRenewals, beginMonths } from './yearly.ts'

const OVERLAP_MS = 600_000
const FIRST_LOOK_BACK_MS = 30 * DAY_MS

type Swept = { handled: number; failed: number }

/** Heals what missed webhooks left, and does what time alone brings. */
export async function reconcile(deps: Deps, ctx: BillingCtx, hearing: Hearing): Promise<Swept> {
  try {
    // Without a key, and without the sandbox in its place, there is nobody to ask.
    if (!deps.hasProvider) return { handled: 0, failed: 0 }
    await hearing.endpoint.ensure()
    const caughtUp = await catchUp(deps, ctx, hearing)
    await refreshOverdue(deps, ctx)
    await sweepTopUps(deps, ctx)
    await finishRefunds(deps, ctx)
    return caughtUp
  } finally {
    // Time passes whether or not the provider answers.
    await endPeriods(deps, ctx)
    await endGrace(deps, ctx)
    await beginMonths(ctx)
    await announceRenewals(ctx)
    await remindTrials(ctx)
  }
}

/** Goes through the provider's own list of events since the last sweep, oldest first, and handles those that never came. */
async function catchUp({ provider }: Deps, ctx: BillingCtx, { intake, events: queue }: Hearing): Promise<Swept> {
  const key = `swept:${provider.mode}`
  const swept = await readSetting<string>(ctx.db, key)
  const since = new Date((swept ? Date.parse(swept) : Date.now() - FIRST_LOOK_BACK_MS) - OVERLAP_MS)
  const listed: ProviderEvent[] = []
  for await (const event of provider.eventsSince(since)) listed.push(event)

  const known = await knownOf(ctx, listed)
  const missed = listed.toReversed().filter(({ id }) => !known.has(id))
  await Promise.all(missed.map(intake))
  const outcomes = await Promise.all(missed.map(queue.add))
  // An event that failed is kept and tried again, so the cursor may move past it.
  const newest = listed.reduce((latest, { createdAt }) => Math.max(latest, createdAt.getTime()), 0)
  if (newest > 0) await replaceSetting(ctx.db, key, new Date(newest).toISOString())
  const failed = outcomes.filter((outcome) => outcome !== null).length
  return { handled: missed.length - failed, failed }
}

async function knownOf(ctx: BillingCtx, events: ProviderEvent[]): Promise<Set<string>> {
  const ids = events.map(({ id }) => id)
  const { rows } = await sql<{ id: string }>`select id from provider_events where id = any(${ids}::text[])`.execute(ctx.db)
  return new Set(rows.map(({ id }) => id))
}

/** A period that ended an hour ago without news of the next, or that is to be the last. */
async function refreshOverdue(deps: Deps, ctx: BillingCtx) {
  const overdue = await ctx.db
    .selectFrom('subscriptions')
    .innerJoin('accounts', 'accounts.user_id', 'subscriptions.user_id')
    .select('accounts.stripe_customer_id')
    .where('status', 'in', ['trialing', 'active', 'past_due'])
    // By the index: what is looked at ends no later than the latest of all clocks.
    .where(sql<boolean>`period_end <= provider_latest()`)
    .where(
      reached(sql`period_end`, {
        person: sql`accounts.user_id`,
        early: sql`case when cancel_at_period_end then interval '0' else interval '-1 hour' end`,
      }),
    )
    .limit(50)
    .execute()
  for (const { stripe_customer_id } of overdue) if (stripe_customer_id) await refresh(deps, ctx.db, stripe_customer_id)
}

/** A cancelled plan whose last period is over, though nobody has said so. */
async function endPeriods(deps: Deps, ctx: BillingCtx) {
  await end(deps, ctx, (trx) =>
    trx
      .updateTable('subscriptions')
      .set({ ...closed, status: 'canceled', cancel_at_period_end: false, grace_until: null, lapsed: false })
      .where('status', 'in', ['trialing', 'active', 'past_due'])
      .where('cancel_at_period_end', '=', true)
      .where(reached(sql`period_end`, { person: sql`user_id` }))
      .returningAll()
      .execute(),
  )
}

/** A payment that stayed missing through the days of grace: the limits of a free account, until it is paid. */
async function endGrace(deps: Deps, ctx: BillingCtx) {
  await end(deps, ctx, async (trx) => {
    const rows = await trx
      .updateTable('subscriptions')
      .set({ ...closed, lapsed: true })
      .where('status', '=', 'past_due')
      .where('lapsed', '=', false)
      .where(reached(sql`grace_until`, { person: sql`user_id` }))
      .returningAll()
      .execute()
    for (const row of rows) await publishClosed(trx, row)
    return rows
  })
}

const closed = { tier: 'none', version: sql<number>`version + 1`, looks: sql<number>`looks + 1`, updated_at: sql<Date>`now()` } as const

async function end(deps: Deps, ctx: BillingCtx, close: (trx: Trx) => Promise<SubscriptionRow[]>) {
  const ended = await inTransaction(ctx.db, async (trx) => {
    const rows = await close(trx)
    for (const row of rows) await publishSubscription(trx, row)
    return rows
  })
  for (const row of ended) deps.tell(row)
}

/** A day before the first charge, once. */
async function remindTrials(ctx: BillingCtx) {
  await inTransaction(ctx.db, async (trx) => {
    const rows = await trx
      .updateTable('subscriptions')
      .set({ reminded_at: new Date() })
      .where('status', '=', 'trialing')
      .where('reminded_at', 'is', null)
      .where('cancel_at_period_end', '=', false)
      .where(reached(sql`trial_end`, { person: sql`user_id`, early: sql`interval '1 day'` }))
      .where('trial_end', '>', sql<Date>`provider_now(user_id)`)
      .returningAll()
      .execute()
    for (const { user_id, plan: id, period, trial_end } of rows) {
      const plan = plans.find((each) => each.id === id)
      if (!plan || !trial_end) continue
      const bill = billCentsOf(plan.id, period)
      const off = (await referralWaits(trx, user_id)) ? referralOffCents(plan.id) : 0
      await publish(trx, trialEnding, user_id, {
        ...{ plan: plan.id, period },
        trial_end: trial_end.toISOString(),
        amount_cents: bill - off,
        price_cents: bill,
        currency: plan.currency,
      })
    }
  })
}
