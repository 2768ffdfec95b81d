import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/ads'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { AppRequest } from '../apps/app.ts'
import { onceUnderKey, workingConnection } from '../connections/actions.ts'
import type { CallApp } from '../connections/call.ts'
import type { ConnectionRow } from '../connections/keep.ts'
import type { IntegrationsDb } from '../schema.ts'
import { type AdLists, accountOf } from './lists.ts'
import { type Account, budgetToCents, centsToBudget, objectRequest } from './meta.ts'

type Call = Ctx<IntegrationsDb>
type Change = Input<typeof api.changeAd>

async function found({ level, object_id }: Change, row: ConnectionRow, lists: AdLists, call: CallApp) {
  const object = await call(row, () => objectRequest(level, object_id), { action: `show-${level}`, effect: 'reads' })
  const { rows: accounts } = await lists.accounts(row)
  const { currency } = accountOf(accounts, object.account_id && `act_${String(object.account_id).replace(/^act_/, '')}`)
  const status = object.status === 'ACTIVE' ? ('Active' as const) : ('Paused' as const)
  return { name: String(object.name ?? object_id), status, budget_cents: budgetToCents(object.daily_budget, currency), currency }
}

const amount = (cents: number, currency: string) => (cents / 100).toLocaleString('en-US', { style: 'currency', currency })

export async function previewChange(ctx: Call, change: Change, lists: AdLists, call: CallApp) {
  const row = await workingConnection(ctx, 'meta-ads', undefined)
  const object = await found(change, row, lists, call)
  demandBudget(change, object)
  const { status, daily_budget_cents } = change
  const { currency, budget_cents } = object
  return {
    ...object,
    changes: [
      ...(status === 'active'
        ? [`It is resumed${budget_cents ? `, and Meta spends up to ${amount(budget_cents, currency)} a day` : ''}`]
        : []),
      ...(status === 'paused' ? ['It is paused, and Meta spends nothing on it'] : []),
      ...(daily_budget_cents
        ? [`The daily budget goes from ${amount(budget_cents!, currency)} to ${amount(daily_budget_cents, currency)}`]
        : []),
    ],
  }
}

/** A budget stands at one level: setting one at another would move it there. */
function demandBudget({ daily_budget_cents }: Change, { budget_cents }: { budget_cents: number | null }) {
  if (daily_budget_cents && budget_cents === null)
    throw new DomainError('app_input', { message: 'The budget of this one is set at another level. Change it there.' })
}

export async function changeAd(ctx: Call, change: Change, lists: AdLists, call: CallApp) {
  const row = await workingConnection(ctx, 'meta-ads', undefined)
  const { level, object_id, status, daily_budget_cents } = change
  if (!status && !daily_budget_cents) throw new DomainError('app_input', { message: 'Nothing is to be changed.' })
  const before = await found(change, row, lists, call)
  demandBudget(change, before)
  const json = {
    ...(status && { status: status === 'active' ? 'ACTIVE' : 'PAUSED' }),
    ...(daily_budget_cents && { daily_budget: centsToBudget(daily_budget_cents, before.currency) }),
  }
  await call(row, () => ({ method: 'POST', path: `/${object_id}`, json }), { action: 'change-ad', effect: 'changes' })
  await lists.forget(row)
  // The state that Meta tells now, not the one that was asked of it.
  const { currency, ...read } = await found(change, row, lists, call)
  return { row: { id: object_id, level, ...read }, currency }
}

type NewAd = Input<typeof api.metaAdsCreate>
type Plan = { account: Account; page: { id: string; name: string }; link: string }

async function plan({ account_id, link }: NewAd, row: ConnectionRow, lists: AdLists, call: CallApp): Promise<Plan> {
  const { rows: accounts } = await lists.accounts(row)
  const account = accountOf(accounts, account_id)
  const { data } = await call(row, () => ({ path: '/me/accounts', query: { fields: 'id,name,link' } }), {
    action: 'list-pages',
    effect: 'reads',
  })
  const page = data?.[0]
  if (!page)
    throw new DomainError('app_input', { message: 'An ad appears under a Facebook page, and this account has none. Create one first.' })
  return {
    account,
    page: { id: String(page.id), name: String(page.name ?? page.id) },
    link: link ?? String(page.link ?? `https://www.facebook.com/${page.id}`),
  }
}

export async function previewAd(ctx: Call, ad: NewAd, lists: AdLists, call: CallApp) {
  const row = await workingConnection(ctx, 'meta-ads', undefined)
  const { account, page, link } = await plan(ad, row, lists, call)
  return {
    account: account.name,
    account_id: account.id,
    page: page.name,
    currency: account.currency,
    daily_cents: ad.daily_budget_cents,
    monthly_cents: ad.daily_budget_cents * 30,
    link,
  }
}

/** Campaign, ad set, creative and ad, each paused. Meta has no call that makes them together, so a failed step takes the others back. */
export async function createAd(ctx: Call, ad: NewAd, lists: AdLists, call: CallApp) {
  const row = await workingConnection(ctx, 'meta-ads', undefined)
  const { account, page, link } = await plan(ad, row, lists, call)
  const name = ad.adData.headline
  return onceUnderKey(ctx, row, 'meta-ads-create', async () => {
    const make = async (edge: string, json: object): Promise<string> => {
      const request: AppRequest = { method: 'POST', path: `/${encodeURIComponent(account.id)}/${edge}`, json }
      return String((await call(row, () => request, { action: `create-${edge}`, effect: 'changes' })).id)
    }
    const campaign_id = await make('campaigns', {
      name,
      objective: 'OUTCOME_TRAFFIC',
      status: 'PAUSED',
      special_ad_categories: [],
      // Asked of every campaign whose budget is that of its ad sets.
      is_adset_budget_sharing_enabled: false,
    })
    try {
      const ad_set_id = await make('adsets', {
        name,
        campaign_id,
        daily_budget: centsToBudget(ad.daily_budget_cents, account.currency),
        billing_event: 'IMPRESSIONS',
        optimization_goal: 'LINK_CLICKS',
        bid_strategy: 'LOWEST_COST_WITHOUT_CAP',
        // Nobody beyond the country that was approved; Meta asks for the answer either way.
        targeting: { geo_locations: { countries: [ad.country] }, targeting_automation: { advantage_audience: 0 } },
        status: 'PAUSED',
      })
      const { primary_text, headline, description, picture } = ad.adData
      const link_data = { link, message: primary_text, name: headline, ...(description && { description }), ...(picture && { picture }) }
      const creative_id = await make('adcreatives', { name, object_story_spec: { page_id: page.id, link_data } })
      const ad_id = await make('ads', { name, adset_id: ad_set_id, creative: { creative_id }, status: 'PAUSED' })
      await lists.forget(row)
      const made = { campaign_id, ad_set_id, ad_id, status: 'Paused' as const }
      return { account: account.name, ...made, currency: account.currency, daily_budget_cents: ad.daily_budget_cents }
    } catch (error) {
      // Paused and empty it costs nothing, so that a failure here leaves no more than a name.
      await call(row, () => ({ method: 'DELETE', path: `/${campaign_id}` }), { action: 'delete-campaign', effect: 'changes' }).catch(
        () => {},
      )
      throw error
    }
  })
}
