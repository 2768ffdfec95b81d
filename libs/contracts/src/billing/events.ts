import { z } from 'zod'
import { event, job, plain, request } from '../contract.ts'
import { tiers, type Unit, units } from '../plans.ts'
import { day, money, planName, unitName, usedOf } from '../words.ts'
import { Limits, SubscriptionStatus } from './api.ts'
import { Currency, Period, PlanId, time } from './shapes.ts'

/** The whole truth about what an account may use; every service that meters keeps the newest version. */
export const subscriptionChanged = event(
  'billing.subscription_changed',
  z.object({
    version: z.int(),
    tier: z.enum(tiers),
    status: SubscriptionStatus,
    limits: Limits,
    /** How much each metering service may spend on models in a period, in millionths of a dollar; absent from the version before. */
    budgets_microusd: plain(z.record(z.string(), z.int())).optional(),
    period_start: time,
    period_end: time.nullable(),
    trial_end: time.nullable(),
    /** Paused, while the bank decides about a payment. */
    disputed: z.boolean().optional(),
  }),
  {
    // Renewals and late events tell nobody anything.
    state: ({ tier, status, disputed }) => `${tier} ${status}${disputed ? ' disputed' : ''}`,
    activity: ({ tier, status, disputed }) => {
      if (disputed) return 'Plan paused over a disputed payment'
      if (status === 'trialing') return 'Started the free trial'
      if (status === 'active') return `Subscribed to ${planName(tier)}`
      if (status === 'past_due' || status === 'unpaid') return { command: 'Payment for the plan', status: 'failed' }
      return status === 'canceled' ? 'Subscription ended' : null
    },
    link: () => '/pricing',
    trigger: { title: 'A subscription changed', description: 'With the plan, its status and its limits.' },
    notice: (plan) => planNotice(plan).map((notice) => ({ kind: 'subscription', link: '/pricing' as const, ...notice })),
  },
)
type Plan = { tier: string; status: string; period_end: string | null; trial_end: string | null; disputed?: boolean | undefined }
function planNotice({ tier, status, period_end, trial_end, disputed }: Plan): { title: string; body: string }[] {
  if (disputed)
    return [
      {
        title: 'Your plan is paused',
        body: 'A payment is disputed at your bank. Nothing more is charged until the bank decides, and your data is kept.',
      },
    ]
  const until = trial_end ?? period_end
  if (status === 'trialing')
    return [
      {
        title: 'Your free trial has started',
        body: `Every tool is open to you${until ? ` until ${day(until)}` : ''}. Cancel before then and you pay nothing.`,
      },
    ]
  if (status === 'active')
    return [{ title: `You are on ${planName(tier)}`, body: `Your plan is active${period_end ? ` and renews on ${day(period_end)}` : ''}.` }]
  if (status === 'past_due')
    return [
      {
        title: 'Your last payment did not go through',
        body:
          tier === 'none'
            ? 'Your tools are closed until it is paid, and your data is kept. Update your payment method to open them.'
            : 'Your tools stay open for a few days. Update your payment method to keep them.',
      },
    ]
  if (status === 'unpaid')
    return [
      {
        title: 'Your plan is paused',
        body: 'We could not collect the payment. Update your payment method to open your tools again.',
      },
    ]
  if (status === 'canceled')
    return [{ title: 'Your subscription has ended', body: 'Your data is kept. Choose a plan whenever you want to come back.' }]
  return []
}

export const usageThreshold = event(
  'billing.usage_threshold',
  z.object({ unit: z.enum(units), percent: z.union([z.literal(80), z.literal(100)]), used: z.int(), limit: z.int() }),
  {
    notice: (usage) => [
      {
        kind: 'usage',
        title: usageTitle(usage),
        body: `${usedOf(usage)} are used in this period. ${usage.percent === 100 ? 'A top-up takes over if you have one. If not, upgrade or buy one to continue right away.' : 'Upgrade or buy a top-up before you run out.'}`,
        link: '/pricing',
      },
    ],
    email: (usage, product) => {
      const what = unitName[usage.unit]
      const isAll = usage.percent === 100
      return {
        subject: isAll ? `Your ${product} ${what} are used up` : `${usage.percent}% of your ${product} ${what} are used`,
        title: usageTitle(usage),
        text: `${usedOf(usage)} are used in this period.${isAll ? ' A top-up takes over if you have one. If not, you get more with a top-up or a larger plan, or when the next period starts.' : ''}`,
        label: 'See plan and usage',
        path: '/pricing',
        after: isAll ? 'Everything else keeps working.' : 'We will email you once more when the limit is reached.',
      }
    },
    trigger: { title: 'An allowance is nearly used up', description: 'At 80% and at 100% of a plan’s prompts, images, emails or runs.' },
  },
)
const usageTitle = ({ unit, percent }: { unit: Unit; percent: number }) =>
  percent === 100 ? `You have used all your ${unitName[unit]}` : `${percent}% of your ${unitName[unit]} are used`

/** The cost of this month's answers against the plan's model budget. Each metering service has one budget, named by the unit it counts. */
export const budgetThreshold = event(
  'billing.budget_threshold',
  z.object({ unit: z.enum(units), percent: z.union([z.literal(80), z.literal(100)]), used_microusd: z.int(), budget_microusd: z.int() }),
  {
    notice: (budget) => [
      {
        kind: 'usage',
        title: budgetTitle(budget),
        body: `${spentOf(budget)} is used in this period. ${budget.percent === 100 ? 'Upgrade to continue right away.' : 'Upgrade before you run out, or choose a cheaper model.'}`,
        link: '/pricing',
      },
    ],
    email: (budget, product) => {
      const isAll = budget.percent === 100
      return {
        subject: isAll ? `Your ${product} model budget is used up` : `${budget.percent}% of your ${product} model budget is used`,
        title: budgetTitle(budget),
        text: `${spentOf(budget)} is used in this period.${isAll ? ' You get more with a larger plan, or when the next period starts.' : ' Longer questions and larger models use more of it.'}`,
        label: 'See plan and usage',
        path: '/pricing',
        after: isAll ? 'Everything else keeps working.' : 'We will email you once more when it is used up.',
      }
    },
    trigger: { title: 'The model budget is nearly used up', description: 'At 80% and at 100% of the plan’s model budget.' },
  },
)
type Budget = { percent: number; used_microusd: number; budget_microusd: number }
const budgetTitle = ({ percent }: Budget) =>
  percent === 100 ? 'You have used all of your model budget' : `${percent}% of your model budget is used`
const usd = (microusd: number) => money({ amount_cents: Math.floor(microusd / 10_000), currency: 'usd' })
const spentOf = ({ used_microusd, budget_microusd }: Budget) => `${usd(used_microusd)} of your ${usd(budget_microusd)} model budget`

/** The end of dunning: the payment stayed missing, and the plan is closed. */
export const planClosed = event('billing.plan_closed', z.object({ plan: PlanId }), {
  trigger: { title: 'A plan was closed', description: 'Because its payment stayed missing.' },
  email: ({ plan }, product) => ({
    subject: `Your ${product} plan is closed`,
    title: `Your ${planName(plan)} plan is closed`,
    text: 'We could not collect its payment, so its tools are closed. Your data is kept, and what you sold is still paid out on Fridays.',
    label: 'Open it again',
    path: '/pricing',
    after: 'Update your card or choose a plan again, and everything opens once it is paid.',
  }),
})
const cancelled = z.object({
  plan: PlanId,
  ends_at: time,
  trial: z.boolean(),
  /** It has ended already: staff ended it, or its payment went back whole. */
  ended: z.literal(true).optional(),
})
/** A plan that is not renewed: by its person, in the provider's portal, or by staff. */
export const planCancelled = event('billing.plan_cancelled', cancelled, {
  trigger: { title: 'A plan was cancelled', description: 'It ends with its period, or has ended. With the plan and the day.' },
  activity: ({ plan, ends_at, ended }) => (ended ? null : `Cancelled ${planName(plan)}, which ends on ${day(ends_at)}`),
  link: () => '/pricing',
  email: ({ plan, ends_at, trial, ended }, product) => {
    const what = `${planName(plan)} ${trial ? 'trial' : 'plan'}`
    if (ended)
      return {
        subject: `Your ${product} plan has ended`,
        title: `Your ${what} has ended`,
        text: 'Nothing more is charged for it. Your data is kept, and what you sold is still paid out on Fridays.',
        label: 'Choose a plan',
        path: '/pricing',
        after: 'You can choose a plan again at any time.',
      }
    return {
      subject: `Your ${product} plan ends on ${day(ends_at)}`,
      title: `Your ${what} is cancelled`,
      text: `It stays open until ${day(ends_at)}, and nothing ${trial ? 'is' : 'more is'} charged for it. Your data is kept.`,
      label: 'Keep the plan',
      path: '/pricing',
      after: 'If this was not you, keep the plan there and change your password.',
      until: ends_at,
    }
  },
})
/** A checkout with the trial, paid with a card that had one: it was ended at once, and nothing was charged. */
export const trialRefused = event('billing.trial_refused', z.object({ plan: PlanId }), {
  notice: ({ plan }) => [
    {
      kind: 'subscription',
      title: 'This card already had its free trial',
      body: `Your ${planName(plan)} plan did not start, and nothing was charged. To start it without a trial, choose it again.`,
      link: '/pricing',
    },
  ],
  email: ({ plan }, product) => ({
    subject: `Your ${product} plan did not start`,
    title: 'This card already had its free trial',
    text: `A free trial is once per card, so your ${planName(plan)} plan did not start, and nothing was charged.`,
    label: 'Choose a plan',
    path: '/pricing',
    after: 'If you choose it again, it is charged right away.',
  }),
})
export const trialEnding = event(
  'billing.trial_ending',
  // The first charge, and what is charged every period after it.
  z.object({
    plan: PlanId,
    period: Period.optional(),
    trial_end: time,
    amount_cents: z.int(),
    price_cents: z.int().optional(),
    currency: Currency,
  }),
  {
    notice: (trial) => [
      {
        kind: 'subscription',
        title: 'Your free trial ends soon',
        body: `On ${day(trial.trial_end)} your ${planName(trial.plan)} plan begins: ${money(trial)} then, and ${regular(trial)} each ${trial.period ?? 'month'} after. Change or cancel it any time before.`,
        link: '/pricing',
      },
    ],
    email: (trial, product) => ({
      subject: `Your ${product} trial ends on ${day(trial.trial_end)}`,
      title: 'Your free trial ends soon',
      text: `On ${day(trial.trial_end)} ${planName(trial.plan)} begins and ${money(trial)} is charged, then ${regular(trial)} every ${trial.period ?? 'month'}. Any tax is added, and a discount code or credit comes off. There is nothing to do if you want to stay.`,
      label: 'See your plan',
      path: '/pricing',
      after: 'You can switch or cancel there until then, and nothing is charged.',
      until: trial.trial_end,
    }),
  },
)
const regular = ({
  amount_cents,
  price_cents = amount_cents,
  currency,
}: {
  amount_cents: number
  price_cents?: number
  currency: string
}) => money({ amount_cents: price_cents, currency })

/** Ahead of a year's renewal, so that nobody is charged for a year they forgot. */
export const yearRenewing = event(
  'billing.year_renewing',
  z.object({ plan: PlanId, renews_at: time, amount_cents: z.int(), currency: Currency }),
  {
    notice: (renewal) => [
      {
        kind: 'subscription',
        title: 'Your yearly plan renews soon',
        body: `On ${day(renewal.renews_at)} ${planName(renewal.plan)} renews for another year, for ${money(renewal)}. Switch to monthly or cancel it before then on the plan page.`,
        link: '/pricing',
      },
    ],
    email: (renewal, product) => ({
      subject: `Your ${product} plan renews on ${day(renewal.renews_at)}`,
      title: 'Your yearly plan renews soon',
      text: `On ${day(renewal.renews_at)} ${planName(renewal.plan)} renews for another year, and ${money(renewal)} plus any tax is charged to your card. There is nothing to do if you want to stay.`,
      label: 'See your plan',
      path: '/pricing',
      after: 'Until then you can switch to monthly or cancel there, and the year is not charged.',
      until: renewal.renews_at,
    }),
  },
)

export const referralCredited = event('billing.referral_credited', z.object({ amount_cents: z.int(), currency: Currency }), {
  notice: (credit) => [
    {
      kind: 'referral',
      title: `You earned ${money(credit)}`,
      body: 'Someone you invited has stayed. The credit comes off your next invoice.',
      link: '/referrals',
    },
  ],
})

/** The plan page of a signed-in user is told at once, without waiting for a reload. */
export const subscriptionLive = event(
  'billing.subscription_live',
  z.object({ user_id: z.uuid(), tier: z.enum(tiers), status: SubscriptionStatus }),
  { delivery: 'broadcast', live: 'subscription' },
)
export const usageLive = event(
  'billing.usage_live',
  z.object({ user_id: z.uuid(), unit: z.enum(units), used: z.int(), limit: z.int().nullable() }),
  { delivery: 'broadcast', live: 'usage' },
)

export const reconcile = job('billing.reconcile', z.object({}), { attempts: 1 })
/** Looks at an account once more, after something happened that its subscription does not tell. */
export const followAccount = job('billing.follow_account', z.object({ user_id: z.uuid() }), { attempts: 8 })
/** Something that only staff can settle. Told under each member of staff. */
export const staffMatter = event(
  'billing.staff_matter',
  z.object({ matter: z.enum(['books', 'dispute', 'payout', 'suspense']), title: plain(z.string()), body: plain(z.string()) }),
  {
    link: () => '/staff?section=matters',
    notice: ({ title, body }) => [{ kind: 'staff', title, body, link: '/staff?section=matters' }],
    email: ({ title, body }, product) => ({
      subject: `${product} staff: ${title}`,
      title,
      text: body,
      label: 'See what waits',
      path: '/staff?section=matters',
      after: 'You get this because you are on the staff.',
    }),
  },
)
export const tellStaff = job('billing.tell_staff', z.object({ matter_id: z.uuid() }), { attempts: 12 })
/** All accounts of the books against the provider's own figures. */
export const compareBooks = job('billing.compare_books', z.object({}), { attempts: 3 })
/** Closes the months that are over. */
export const closeMonths = job('billing.close_months', z.object({}), { attempts: 3 })
export const creditReferrals = job('billing.credit_referrals', z.object({}), { attempts: 3 })

/** Counts the accounts whose subscription changed anew, for the figures that staff see. */
export const countFigures = job('billing.count_figures', z.object({}), { attempts: 3 })

/** The platform's fee so far, less refunds. */
export const revenue = request('billing.revenue', z.object({}), z.object({ usd_cents: z.int() }))
