// One plan table: the landing page, the plan page, the payment provider and every meter read it. No zod here: the web app ships it.

export const TRIAL_DAYS = 3
export const REFERRAL_PERCENT_OFF = 30
export const PAST_DUE_GRACE_DAYS = 7
export const REFUND_WINDOW_DAYS = 30

/** The metered units. `agents` counts what exists; the others are spent within a period. */
export const units = ['prompts', 'images', 'emails', 'runs', 'agents'] as const
export type Unit = (typeof units)[number]
/** Plan features whose tools are not in this version: marked wherever the plan is shown, and never drawn as usable. */
export const comingUnits: readonly Unit[] = ['runs', 'agents']
/** `null` is unlimited. */
export type Limits = Record<Unit, number | null>

export const planIds = ['basic', 'pro', 'enterprise'] as const
export type PlanId = (typeof planIds)[number]
export const tiers = ['none', 'trial', ...planIds] as const
export type Tier = (typeof tiers)[number]

export const periods = ['month', 'year'] as const
/** How often a plan is billed. Allowances and budgets count by the month either way. */
export type Period = (typeof periods)[number]

export type Plan = {
  id: PlanId
  name: string
  /** The name on the landing page. */
  landingName: string
  priceCents: number
  /** Twelve whole months: a twelfth of it is a whole number of dollars. */
  yearlyCents: number
  currency: 'usd'
  period: 'month'
  popular: boolean
  description: string
  limits: Limits
}

const basic: Limits = { emails: 3000, runs: 10000, prompts: 1000, images: 150, agents: 5 }

export const plans: readonly Plan[] = [
  {
    id: 'basic',
    name: 'Basic',
    landingName: 'Starter',
    priceCents: 4900,
    yearlyCents: 46800,
    currency: 'usd',
    period: 'month',
    popular: false,
    description: 'For one business finding its rhythm',
    limits: basic,
  },
  {
    id: 'pro',
    name: 'Pro',
    landingName: 'Agency',
    priceCents: 9900,
    yearlyCents: 94800,
    currency: 'usd',
    period: 'month',
    popular: true,
    description: 'For agencies and teams that run on automation',
    limits: { emails: 9000, runs: 25000, prompts: 3000, images: 200, agents: null },
  },
  {
    id: 'enterprise',
    name: 'Enterprise',
    landingName: 'Enterprise',
    priceCents: 14900,
    yearlyCents: 142800,
    currency: 'usd',
    period: 'month',
    popular: false,
    description: 'For businesses that need no ceiling',
    limits: { emails: null, runs: null, prompts: null, images: null, agents: null },
  },
]

/** The plan's price a month; 0 without a paid plan. */
export const priceCentsOf = (tier: Tier | null): number => plans.find(({ id }) => id === tier)?.priceCents ?? 0
/** The amount of one bill, before tax and discounts. */
export const billCentsOf = (tier: Tier | null, period: Period): number =>
  period === 'month' ? priceCentsOf(tier) : (plans.find(({ id }) => id === tier)?.yearlyCents ?? 0)
/** Its revenue a month: of a year, a twelfth. */
export const monthlyCentsOf = (tier: Tier | null, period: Period): number => billCentsOf(tier, period) / (period === 'year' ? 12 : 1)
/** By how much a year costs less than twelve months. */
export const YEARLY_PERCENT_OFF = Math.floor(
  Math.min(...plans.map(({ priceCents, yearlyCents }) => 100 - yearlyCents / (priceCents * 0.12))),
)
/** The discount of a referral on the first bill: a share of a month, however often the plan is billed. */
export const referralOffCents = (tier: Tier | null): number => Math.round((priceCentsOf(tier) * REFERRAL_PERCENT_OFF) / 100)

export const limitsOf = (tier: Tier): Limits =>
  tier === 'none'
    ? { prompts: 25, images: 5, emails: 0, runs: 0, agents: 0 }
    : tier === 'trial'
      ? basic
      : plans.find((plan) => plan.id === tier)!.limits

/** The model cost that a plan covers a month, at list prices, and the largest single answer. */
export type ModelLimits = {
  budgetMicrousd: number
  /** The largest question, with everything that goes with it. */
  inputCharacters: number
  /** The longest answer. */
  outputTokens: number
  /** How many rounds of tools one answer may take. */
  steps: number
}
const modelLimits: Record<Tier, ModelLimits> = {
  none: { budgetMicrousd: 250_000, inputCharacters: 20_000, outputTokens: 2_500, steps: 5 },
  trial: { budgetMicrousd: 2_000_000, inputCharacters: 100_000, outputTokens: 8_000, steps: 20 },
  basic: { budgetMicrousd: 12_000_000, inputCharacters: 100_000, outputTokens: 8_000, steps: 20 },
  pro: { budgetMicrousd: 25_000_000, inputCharacters: 200_000, outputTokens: 16_000, steps: 40 },
  enterprise: { budgetMicrousd: 45_000_000, inputCharacters: 400_000, outputTokens: 32_000, steps: 80 },
}
export const modelLimitsOf = (tier: Tier): ModelLimits => modelLimits[tier]
/** The most that a plan's images may cost a month at list prices: all of them at the dearest model's square size, so that each promised image can be made. */
const imageBudgetsMicrousd: Record<Tier, number> = {
  none: 700_000,
  trial: 20_000_000,
  basic: 20_000_000,
  pro: 27_000_000,
  enterprise: 45_000_000,
}
/** The most that speech may cost a month at list prices. No plan promises a number of it, so money alone bounds it. */
const speechBudgetsMicrousd: Record<Tier, number> = {
  none: 100_000,
  trial: 500_000,
  basic: 3_000_000,
  pro: 6_000_000,
  enterprise: 12_000_000,
}
export const speechBudgetOf = (tier: Tier): number => speechBudgetsMicrousd[tier]
/** The month's model budget of each service that spends money by its unit. */
export const budgetsOf = (tier: Tier): Record<string, number> => ({
  'ai-gateway': modelLimits[tier].budgetMicrousd,
  media: imageBudgetsMicrousd[tier],
})

/** Units that can be bought beside the plan. Speech is counted in minutes. */
export const topUpUnits = ['prompts', 'images', 'speech'] as const
export type TopUpUnit = (typeof topUpUnits)[number]
export type TopUp = {
  unit: TopUpUnit
  units: number
  priceCents: number
  currency: 'usd'
  /** The model cost that comes with each unit: what costs more uses up more of them. */
  unitMicrousd: number
}
/** A unit of them costs more than in the next higher plan, and they do not expire. */
export const topUps: readonly TopUp[] = [
  { unit: 'prompts', units: 500, priceCents: 1900, currency: 'usd', unitMicrousd: 12_000 },
  { unit: 'images', units: 50, priceCents: 1500, currency: 'usd', unitMicrousd: 135_000 },
  { unit: 'speech', units: 100, priceCents: 900, currency: 'usd', unitMicrousd: 30_000 },
]
export const topUpOf = (unit: TopUpUnit): TopUp => topUps.find((each) => each.unit === unit)!

/** For how many days an account keeps its past: conversations and comparisons that nobody has used since, single answers as counted, the account's log. */
const historyDays: Record<Tier, number> = { none: 730, trial: 730, basic: 730, pro: 1825, enterprise: 3650 }
export const historyDaysOf = (tier: Tier): number => historyDays[tier]
/** So long after a plan has ended nothing goes yet, so that a card that failed costs nobody their past. */
export const HISTORY_GRACE_DAYS = 90

/** How many webhook endpoints a plan includes. */
const webhookEndpoints: Record<Tier, number> = { none: 1, trial: 3, basic: 3, pro: 10, enterprise: 50 }
export const webhookEndpointsOf = (tier: Tier): number => webhookEndpoints[tier]
