import { z } from 'zod'
import { event, job, plain, request } from '../contract.ts'
import { tiers, units } from '../plans.ts'
import { Limits, SubscriptionStatus } from './api.ts'
import { Currency, PlanId, payment, time } from './shapes.ts'

/** The whole truth about what an account may use; every service that meters keeps the newest version. */
export const subscriptionChanged = event(
  'billing.subscription_changed',
  z.object({
    version: z.int(),
    tier: z.enum(tiers),
    status: SubscriptionStatus,
    limits: Limits,
    /** What each metering service may spend on models a period, in millionths of a dollar; absent from the version before. */
    budgets_microusd: plain(z.record(z.string(), z.int())).optional(),
    period_start: time,
    period_end: time.nullable(),
    trial_end: time.nullable(),
  }),
)
export const usageThreshold = event(
  'billing.usage_threshold',
  z.object({ unit: z.enum(units), percent: z.union([z.literal(80), z.literal(100)]), used: z.int(), limit: z.int() }),
)
export const paymentSucceeded = event('billing.payment_succeeded', payment)
export const paymentFailed = event('billing.payment_failed', payment)
export const paymentRefunded = event('billing.payment_refunded', payment)
export const paymentDisputed = event('billing.payment_disputed', payment)
export const trialEnding = event(
  'billing.trial_ending',
  // The first charge, and what is charged every month after it.
  z.object({ plan: PlanId, trial_end: time, amount_cents: z.int(), price_cents: z.int().optional(), currency: Currency }),
)
export const referralCredited = event('billing.referral_credited', z.object({ amount_cents: z.int(), currency: Currency }))

/** The plan page of a signed-in user is told at once, without waiting for a reload. */
export const subscriptionLive = event(
  'billing.subscription_live',
  z.object({ user_id: z.uuid(), tier: z.enum(tiers), status: SubscriptionStatus }),
  { delivery: 'broadcast' },
)
export const usageLive = event(
  'billing.usage_live',
  z.object({ user_id: z.uuid(), unit: z.enum(units), used: z.int(), limit: z.int().nullable() }),
  { delivery: 'broadcast' },
)

export const reconcile = job('billing.reconcile', z.object({}), { attempts: 1 })
export const creditReferrals = job('billing.credit_referrals', z.object({}), { attempts: 3 })

/** What the platform has taken so far, less what it gave back. */
export const revenue = request('billing.revenue', z.object({}), z.object({ usd_cents: z.int() }))
