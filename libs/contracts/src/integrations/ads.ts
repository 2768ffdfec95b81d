import { z } from 'zod'
import { col, fn, reading, text, time } from '../contract.ts'

// The connected Meta ads account. Figures come from Meta and are kept for some minutes, with the time they were fetched. Amounts are
// hundredths of the account's currency.

export const adLevels = ['campaign', 'adset', 'ad'] as const
const level = z.enum(adLevels)
const days = z.union([z.literal(7), z.literal(30), z.literal(90)]).default(30)
const account_id = text(60).optional()
export const AdObjectId = text(60)
  .regex(/^\d+$/)
  .meta({ examples: ['4001'] })
const cents = z.int().min(0)
const figures = {
  spent_cents: cents,
  impressions: cents,
  clicks: cents,
  /** Purchases, leads and registrations. */
  conversions: z.number().min(0),
}

export const AdRow = z.object({
  id: z.string(),
  name: z.string(),
  level,
  status: z.enum(['Active', 'Paused']),
  /** A day; null where another level has the budget. */
  budget_cents: cents.nullable(),
  ...figures,
  /** Clicks in a hundred impressions. */
  ctr: z.number().nullable(),
  cpc_cents: z.number().nullable(),
  /** The value of purchases for each unit that was spent. */
  roas: z.number().nullable(),
})
const rowExample = {
  id: '4001',
  name: 'Spring offer',
  level: 'campaign' as const,
  status: 'Active' as const,
  budget_cents: 2000,
  spent_cents: 289_000,
  impressions: 142_300,
  clicks: 3480,
  conversions: 158,
  ctr: 2.45,
  cpc_cents: 83,
  roas: 3.1,
}
export const adCallErrors = [
  'app_not_connected',
  'app_busy',
  'app_refused',
  'connection_broken',
  'upstream_failed',
  'upstream_timeout',
] as const

export const metaAdsAnalytics = reading('meta-ads-analytics', {
  summary: 'Sums up the ads accounts of the connected Meta account, with their figures by day',
  description:
    'Spend is in units of the currency. Fetched at most every ten minutes; `fetched_at` says when. An account without ads in these days is left out.',
  body: z.object({ days, refresh: z.boolean().default(false) }).prefault({}),
  reply: z.object({
    analytics: z.array(
      z.object({
        account: z.string(),
        account_id: z.string(),
        currency: z.string(),
        summary: z.object({
          totalSpend: z.number(),
          totalImpressions: z.number(),
          totalClicks: z.number(),
          totalConversions: z.number(),
        }),
        days: z.array(z.object({ date: z.iso.date(), ...figures })),
        fetched_at: time,
      }),
    ),
  }),
  example: {
    request: {},
    reply: {
      analytics: [
        {
          account: 'Northwind',
          account_id: 'act_3001',
          currency: 'USD',
          summary: { totalSpend: 4340, totalImpressions: 214_660, totalClicks: 5220, totalConversions: 232 },
          days: [{ date: '2026-11-24', spent_cents: 14_000, impressions: 7100, clicks: 170, conversions: 8 }],
          fetched_at: '2026-11-24T10:00:00.000Z',
        },
      ],
    },
  },
  errors: adCallErrors,
  action: {
    title: 'Analyze Meta ads',
    when: 'The person asks how their Meta, Facebook or Instagram ads do',
    effect: 'reads',
    needs: ['meta-ads'],
    evidence: {
      rows: 'analytics',
      columns: {
        account: col.text('Account'),
        'summary.totalSpend': col.count('Spent'),
        'summary.totalImpressions': col.count('Impressions'),
        'summary.totalClicks': col.count('Clicks'),
        'summary.totalConversions': col.count('Conversions'),
      },
    },
    typed: {
      as: 'meta',
      input: () => ({ days: 30 as const }),
      says: ({ analytics: [first] }) => {
        if (!first) return "Your Meta Ads account is connected but I don't see any recent data. Try running some campaigns first."
        const { totalSpend, totalImpressions, totalClicks, totalConversions } = first.summary
        const count = (value: number) => value.toLocaleString('en-US')
        const spent = totalSpend.toLocaleString('en-US', { style: 'currency', currency: first.currency })
        const ctr = totalImpressions ? `, a click rate of ${((100 * totalClicks) / totalImpressions).toFixed(2)}%` : ''
        const each = totalConversions
          ? ` Each conversion cost ${(totalSpend / totalConversions).toLocaleString('en-US', { style: 'currency', currency: first.currency })}.`
          : ''
        return `In the last 30 days ${first.account.replace(/[[\]()\\`*_<>!|#]/g, ' ')} spent **${spent}** for ${count(totalImpressions)} impressions, ${count(totalClicks)} clicks${ctr}, and ${count(totalConversions)} conversions.${each}\n\n[Open the analytics](/dashboard/meta-ads?tab=analytics)`
      },
      failed: "I couldn't access your Meta Ads data. Please make sure your Meta Ads account is connected in the Meta Ads Manager section.",
    },
  },
})

export const listAds = reading('list-ads', {
  summary: 'Lists the campaigns, ad sets or ads of a connected Meta ads account with their figures',
  description: 'Fetched at most every ten minutes; `fetched_at` says when. At most a hundred, without those that were deleted.',
  body: z.object({ level, account_id, days, refresh: z.boolean().default(false) }),
  reply: z.object({
    account_id: z.string().nullable(),
    accounts: z.array(z.object({ id: z.string(), name: z.string(), currency: z.string() })),
    currency: z.string(),
    rows: z.array(AdRow),
    fetched_at: time,
  }),
  example: {
    request: { level: 'campaign' as const },
    reply: {
      account_id: 'act_3001',
      accounts: [{ id: 'act_3001', name: 'Northwind', currency: 'USD' }],
      currency: 'USD',
      rows: [rowExample],
      fetched_at: '2026-11-24T10:00:00.000Z',
    },
  },
  errors: adCallErrors,
  action: {
    title: 'List Meta ads',
    when: 'The person asks for their Meta campaigns, ad sets or ads',
    effect: 'reads',
    needs: ['meta-ads'],
    evidence: {
      rows: 'rows',
      columns: { name: col.text('Name'), status: col.text('Status'), clicks: col.count('Clicks'), conversions: col.count('Conversions') },
    },
  },
})

const Change = z.object({
  level,
  object_id: AdObjectId,
  status: z.enum(['active', 'paused']).optional(),
  daily_budget_cents: z.int().min(100).max(100_000_000).optional(),
})
export const previewAdChange = reading('preview-ad-change', {
  summary: 'Says what a change of a Meta campaign, ad set or ad would do',
  description: 'Read from Meta at this call. Nothing is changed.',
  body: Change,
  reply: z.object({
    name: z.string(),
    currency: z.string(),
    status: z.enum(['Active', 'Paused']),
    budget_cents: cents.nullable(),
    changes: z.array(z.string()),
  }),
  example: {
    request: { level: 'campaign' as const, object_id: '4001', daily_budget_cents: 2500 },
    reply: {
      name: 'Spring offer',
      currency: 'USD',
      status: 'Active' as const,
      budget_cents: 2000,
      changes: ['The daily budget goes from $20.00 to $25.00'],
    },
  },
  errors: adCallErrors,
  action: {
    title: 'Preview a change of an ad',
    when: 'The person asks what changing an ad would cost',
    effect: 'reads',
    needs: ['meta-ads'],
  },
})

export const changeAd = fn('change-ad', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Pauses or resumes a Meta campaign, ad set or ad, or sets its daily budget, and reads it back',
  description: 'The answer is what Meta says after the change.',
  body: Change,
  reply: z.object({ row: AdRow.pick({ id: true, name: true, level: true, status: true, budget_cents: true }), currency: z.string() }),
  example: {
    request: { level: 'campaign' as const, object_id: '4001', status: 'paused' as const },
    reply: {
      row: { id: '4001', name: 'Spring offer', level: 'campaign' as const, status: 'Paused' as const, budget_cents: 2000 },
      currency: 'USD',
    },
  },
  errors: [...adCallErrors, 'app_unknown_outcome', 'app_input'],
  action: {
    title: 'Change a Meta ad',
    when: 'The person asks to pause or resume a Meta campaign or to change its budget',
    effect: 'spends',
    needs: ['meta-ads'],
    preview: previewAdChange,
    does: ({ status, daily_budget_cents }) =>
      [
        ...(status ? [status === 'active' ? 'Resumes it, so that Meta spends its budget' : 'Pauses it'] : []),
        ...(daily_budget_cents ? [`Sets its daily budget to ${(daily_budget_cents / 100).toFixed(2)}`] : []),
      ].join('. ') || 'Changes nothing of the ad',
  },
})

const NewAd = z.object({
  adData: z.object({
    primary_text: text(125).min(1),
    headline: text(27).min(1),
    description: text(30).default(''),
    targeting: text(500).optional(),
    format: text(100).optional(),
    tone: text(100).optional(),
    picture: z
      .url({ protocol: /^https?$/ })
      .max(1000)
      .optional()
      .describe('The address of the picture, which Meta loads from there: see `publish-image`'),
  }),
  account_id,
  daily_budget_cents: z.int().min(100).max(100_000_000).default(1000),
  /** Where a click leads; the Facebook page when absent. */
  link: z
    .url({ protocol: /^https$/ })
    .max(1000)
    .optional(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .meta({ examples: ['US'] })
    .default('US'),
})
const adExample = { primary_text: 'Fresh bread at seven, every day.', headline: 'Bread at your door', description: 'First week free' }
export const previewAd = reading('preview-ad', {
  summary: 'Says where an ad would be created and what it would spend once it is resumed',
  description: 'Nothing is created.',
  body: NewAd,
  reply: z.object({
    account: z.string(),
    account_id: z.string(),
    page: z.string(),
    currency: z.string(),
    daily_cents: cents,
    /** A month of thirty days. */
    monthly_cents: cents,
    link: z.string(),
  }),
  example: {
    request: { adData: adExample },
    reply: {
      account: 'Northwind',
      account_id: 'act_3001',
      page: 'Northwind',
      currency: 'USD',
      daily_cents: 1000,
      monthly_cents: 30_000,
      link: 'https://example.com',
    },
  },
  errors: [...adCallErrors, 'app_input'],
  action: {
    title: 'Preview a Meta ad',
    when: 'The person asks what an ad on Meta would cost',
    effect: 'reads',
    needs: ['meta-ads'],
  },
})

export const metaAdsCreate = fn('meta-ads-create', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Creates an ad on Meta with its campaign and ad set, all of them paused',
  description:
    'Nothing is spent until the campaign, the ad set and the ad are resumed. If a step fails, what was made before it is deleted again.',
  body: NewAd,
  reply: z.object({
    account: z.string(),
    campaign_id: z.string(),
    ad_set_id: z.string(),
    ad_id: z.string(),
    status: z.literal('Paused'),
    currency: z.string(),
    daily_budget_cents: cents,
  }),
  example: {
    request: { adData: adExample },
    reply: {
      account: 'Northwind',
      campaign_id: '4003',
      ad_set_id: '5004',
      ad_id: '6004',
      status: 'Paused' as const,
      currency: 'USD',
      daily_budget_cents: 1000,
    },
  },
  errors: [...adCallErrors, 'app_unknown_outcome', 'app_input'],
  action: {
    title: 'Create a Meta ad',
    when: 'The person asks to create an ad on Facebook or Instagram from a text',
    effect: 'spends',
    needs: ['meta-ads'],
    preview: previewAd,
    does: ({ adData, daily_budget_cents }) =>
      `Creates the ad “${adData.headline}” on Meta, paused, with a daily budget of ${(daily_budget_cents / 100).toFixed(2)} that is spent only once it is resumed`,
  },
})
