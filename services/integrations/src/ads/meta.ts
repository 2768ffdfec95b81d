import type { Output } from '@operon/contracts/contract'
import type { listAds } from '@operon/contracts/integrations/ads'
import type { AppRequest } from '../apps/app.ts'

// Readers of what Meta's Graph says of ads. No call is made here.

export type Row = Output<typeof listAds>['rows'][number]
export type Level = Row['level']
export type Account = { id: string; name: string; currency: string }
export type Span = 7 | 30 | 90
export type DayRow = { date: string; spent_cents: number; impressions: number; clicks: number; conversions: number }

const edges: Record<Level, string> = { campaign: 'campaigns', adset: 'adsets', ad: 'ads' }
const INSIGHTS = 'spend,impressions,clicks,actions,action_values'
const MOST = 100

/** Each counted once: Meta tells the same purchase under several names. */
const results = new Set(['purchase', 'lead', 'complete_registration', 'subscribe', 'submit_application'])

/** Meta tells budgets in the smallest unit that a currency has, which for some is the whole one. */
const perUnit = (currency: string) =>
  10 ** (new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2)
export const budgetToCents = (minor: unknown, currency: string) =>
  minor === undefined || minor === null || Number(minor) === 0 ? null : Math.round((Number(minor) * 100) / perUnit(currency))
export const centsToBudget = (cents: number, currency: string) => Math.round((cents * perUnit(currency)) / 100)

const count = (value: unknown) => Math.max(0, Math.round(Number(value ?? 0)) || 0)
const sumOf = (actions: unknown, fits: (type: string) => boolean) =>
  Array.isArray(actions)
    ? actions.reduce((sum, { action_type, value }) => sum + (fits(String(action_type)) ? Number(value) || 0 : 0), 0)
    : 0

export function figuresOf(insight: any) {
  return {
    spent_cents: count(Number(insight?.spend ?? 0) * 100),
    impressions: count(insight?.impressions),
    clicks: count(insight?.clicks),
    conversions: sumOf(insight?.actions, (type) => results.has(type)),
  }
}

export function rowOf(level: Level, object: any, currency: string): Row {
  const insight = object.insights?.data?.[0]
  const figures = figuresOf(insight)
  const { spent_cents, impressions, clicks } = figures
  const brought = sumOf(insight?.action_values, (type) => type === 'purchase')
  return {
    id: String(object.id),
    name: String(object.name ?? 'Untitled').slice(0, 300),
    level,
    status: object.status === 'ACTIVE' ? 'Active' : 'Paused',
    budget_cents: budgetToCents(object.daily_budget, currency),
    ...figures,
    ctr: impressions ? round((100 * clicks) / impressions) : null,
    cpc_cents: clicks ? round(spent_cents / clicks) : null,
    roas: spent_cents && brought ? round((100 * brought) / spent_cents) : null,
  }
}
const round = (value: number) => Math.round(value * 100) / 100

export const accountsRequest = (): AppRequest => ({
  path: '/me/adaccounts',
  query: { fields: 'id,name,currency,account_status', limit: 50 },
})
export const accountsIn = (answer: any): Account[] =>
  (answer.data ?? []).map(({ id, name, currency }: any) => ({
    id: String(id),
    name: String(name ?? id),
    currency: String(currency ?? 'USD'),
  }))

export const listRequest = (account: string, level: Level, days: Span): AppRequest => ({
  path: `/${encodeURIComponent(account)}/${edges[level]}`,
  query: {
    fields: `id,name,status${level === 'ad' ? '' : ',daily_budget'},insights.date_preset(last_${days}d){${INSIGHTS}}`,
    limit: MOST,
  },
})
export const daysRequest = (account: string, days: Span): AppRequest => ({
  path: `/${encodeURIComponent(account)}/insights`,
  query: { level: 'account', time_increment: 1, date_preset: `last_${days}d`, fields: INSIGHTS, limit: MOST },
})
export const daysIn = (answer: any): DayRow[] =>
  (answer.data ?? []).map((each: any) => ({ date: String(each.date_start).slice(0, 10), ...figuresOf(each) }))

export const objectRequest = (level: Level, id: string): AppRequest => ({
  path: `/${id}`,
  query: { fields: `id,name,status,account_id${level === 'ad' ? '' : ',daily_budget'}` },
})
/** The cost of a result in these days; the whole spend where there was none, null where nothing was spent. */
export const costOfResult = ({ spent_cents, conversions }: Pick<Row, 'spent_cents' | 'conversions'>) =>
  spent_cents === 0 ? null : spent_cents / Math.max(1, conversions)
