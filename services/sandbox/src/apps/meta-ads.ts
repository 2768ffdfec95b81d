import type Ad from 'facebook-nodejs-business-sdk/src/objects/ad.js'
import type AdSet from 'facebook-nodejs-business-sdk/src/objects/ad-set.js'
import type Campaign from 'facebook-nodejs-business-sdk/src/objects/campaign.js'
import { companyOf } from './grants.ts'
import { type ApiCall, type Operation, Refused } from './operation.ts'

/** Names that Meta's own SDK has for a thing. */
type FieldsOf<T extends { default: { Fields: object } }> = (keyof T['default']['Fields'])[]

const fb = 'graph.facebook.com/v26.0'
const ACCOUNT = 'act_3001'
const DAY_MS = 86_400_000

type Kind = 'campaign' | 'adset' | 'ad' | 'creative'
/** `share`: of its campaign's figures. */
type Thing = {
  kind: Kind
  name: string
  status: string
  daily_budget?: string
  campaign?: string
  adset?: string
  share?: number
  deleted?: boolean
}
type Figures = { spend: number; impressions: number; clicks: number; conversions: number; value: number }

/** Of thirty days. */
const figures: Record<string, Figures> = {
  '4001': { spend: 2890, impressions: 142_300, clicks: 3480, conversions: 158, value: 8960 },
  '4002': { spend: 1450, impressions: 72_360, clicks: 1740, conversions: 74, value: 3190 },
}
const first: Record<string, Thing> = {
  '4001': { kind: 'campaign', name: 'Spring offer', status: 'ACTIVE', daily_budget: '10000' },
  '4002': { kind: 'campaign', name: 'Templates', status: 'PAUSED', daily_budget: '5000' },
  '5001': { kind: 'adset', name: 'Owners, 30 to 50', status: 'ACTIVE', campaign: '4001', share: 0.6 },
  '5002': { kind: 'adset', name: 'Visitors of the last month', status: 'ACTIVE', campaign: '4001', share: 0.4 },
  '5003': { kind: 'adset', name: 'Designers', status: 'PAUSED', campaign: '4002', share: 1 },
  '6001': { kind: 'ad', name: 'Spring, picture of the shop', status: 'ACTIVE', campaign: '4001', adset: '5001', share: 0.6 },
  '6002': { kind: 'ad', name: 'Spring, voucher', status: 'ACTIVE', campaign: '4001', adset: '5002', share: 0.4 },
  '6003': { kind: 'ad', name: 'Templates, three in a row', status: 'PAUSED', campaign: '4002', adset: '5003', share: 1 },
}
const thingsOf = (call: ApiCall): Map<string, Thing> =>
  new Map(
    [
      ...Object.entries(first),
      ...[...call.list('ad_object')].reverse().map(({ data }): [string, Thing] => [data.key, data as unknown as Thing]),
    ].filter(([, { deleted }]) => !deleted),
  )

/** Days vary, and in every range they sum up to it. */
const spans: Record<string, { days: number; part: number }> = {
  last_7d: { days: 7, part: 0.24 },
  last_30d: { days: 30, part: 1 },
  last_90d: { days: 90, part: 2.4 },
}
const wave = (day: number) => 1 + 0.35 * Math.sin(day / 1.7) + 0.15 * Math.cos(day / 4.1)
const actions = (conversions: number, value: number) => ({
  actions: [
    { action_type: 'link_click', value: '1' },
    { action_type: 'offsite_conversion.fb_pixel_purchase', value: String(conversions) },
    { action_type: 'purchase', value: String(conversions) },
  ],
  action_values: [{ action_type: 'purchase', value: value.toFixed(2) }],
})
const insight = (own: Figures, part: number) => {
  const conversions = Math.round(own.conversions * part)
  return {
    spend: (own.spend * part).toFixed(2),
    impressions: String(Math.round(own.impressions * part)),
    clicks: String(Math.round(own.clicks * part)),
    ...actions(conversions, own.value * part),
  }
}

function byDay(preset: string) {
  const { days, part } = spans[preset] ?? spans.last_30d!
  const weights = Array.from({ length: days }, (_, day) => wave(day))
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  const total = (of: keyof Figures) => Math.round(Object.values(figures).reduce((sum, each) => sum + each[of], 0) * part * 100) / 100
  const told = { spend: 0, impressions: 0, clicks: 0, conversions: 0, value: 0 }
  let reached = 0
  return weights.map((weight, day) => {
    reached += weight
    const upTo = (of: keyof Figures, cents = 1) => Math.round(((total(of) * reached) / whole) * cents) / cents
    const now = {
      spend: upTo('spend', 100),
      impressions: upTo('impressions'),
      clicks: upTo('clicks'),
      conversions: upTo('conversions'),
      value: upTo('value', 100),
    }
    const own = Object.fromEntries(Object.entries(now).map(([name, value]) => [name, value - told[name as keyof Figures]])) as Figures
    Object.assign(told, now)
    const date = new Date(Date.now() - (days - day) * DAY_MS).toISOString().slice(0, 10)
    return {
      date_start: date,
      date_stop: date,
      spend: own.spend.toFixed(2),
      impressions: String(own.impressions),
      clicks: String(own.clicks),
      ...actions(own.conversions, own.value),
    }
  })
}

function shown(id: string, thing: Thing, fields: string) {
  const preset = /insights\.date_preset\((\w+)\)/.exec(fields)?.[1]
  const own = figures[thing.kind === 'campaign' ? id : (thing.campaign ?? '')]
  const isBudgeted = thing.daily_budget !== undefined && fields.includes('daily_budget')
  return {
    id,
    name: thing.name,
    status: thing.status,
    ...(fields.includes('account_id') && { account_id: ACCOUNT.replace('act_', '') }),
    ...(isBudgeted && { daily_budget: thing.daily_budget }),
    ...(preset &&
      own && { insights: { data: [insight(own, (spans[preset]?.part ?? 1) * (thing.kind === 'campaign' ? 1 : (thing.share ?? 0)))] } }),
  }
}

const refused = (message: string, code = 100) => new Refused(400, { error: { message, type: 'OAuthException', code } })
const missing = (call: ApiCall, names: string[]) => names.find((name) => call.body[name] === undefined || call.body[name] === '')
const refusedOf = (call: ApiCall, needed: string[]) => {
  const gone = missing(call, needed)
  if (gone) return refused(`(#100) The parameter ${gone} is required`)
  return call.params.account === ACCOUNT ? null : refused('Unsupported post request. Object does not exist')
}

const edges: Record<string, Kind> = { campaigns: 'campaign', adsets: 'adset', ads: 'ad' }
const lists: Operation[] = Object.entries(edges).map(([edge, kind]) => ({
  at: `GET ${fb}/:account/${edge}`,
  query: ['fields', 'limit', 'after'],
  answer: (call) =>
    call.params.account === ACCOUNT
      ? {
          data: [...thingsOf(call)]
            .filter(([, thing]) => thing.kind === kind)
            .map(([id, thing]) => shown(id, thing, call.query.get('fields') ?? '')),
        }
      : refused('Unsupported get request. Object does not exist'),
}))

const makes = (edge: string, kind: Kind, needed: string[], more: string[], of: (call: ApiCall) => Partial<Thing>): Operation => ({
  at: `POST ${fb}/:account/${edge}`,
  body: [...needed, ...more],
  answer: (call) => {
    const problem = refusedOf(call, needed)
    if (problem) return problem
    const made = call.add(`new_${kind}`, {})
    const id = String(7_000_000_000 + Number.parseInt(Buffer.from(made.id.slice(-6)).toString('hex').slice(0, 8), 16))
    call.set(id, 'ad_object', { kind, name: String(call.body.name), status: call.body.status ?? 'ACTIVE', ...of(call) })
    return { id }
  },
})

const linkFields = ['link', 'message', 'name', 'description', 'caption', 'picture', 'image_hash', 'call_to_action']
const creatives = makes('adcreatives', 'creative', ['name', 'object_story_spec'], [], () => ({}))
const adSets = makes(
  'adsets',
  'adset',
  ['name', 'campaign_id', 'daily_budget', 'billing_event', 'optimization_goal', 'targeting', 'status'] satisfies FieldsOf<typeof AdSet>,
  ['bid_strategy', 'bid_amount', 'start_time', 'end_time', 'promoted_object'] satisfies FieldsOf<typeof AdSet>,
  ({ body }) => ({ campaign: String(body.campaign_id), daily_budget: String(body.daily_budget) }),
)

export const metaAds: Operation[] = [
  {
    at: `GET ${fb}/me/adaccounts`,
    query: ['fields', 'limit'],
    answer: ({ grant }) => ({ data: [{ id: ACCOUNT, name: companyOf(grant), currency: 'USD', account_status: 1 }] }),
  },
  ...lists,
  {
    at: `GET ${fb}/:account/insights`,
    query: ['level', 'time_increment', 'date_preset', 'fields', 'limit'],
    answer: (call) =>
      call.params.account === ACCOUNT ? { data: byDay(call.query.get('date_preset') ?? '') } : refused('Unsupported get request.'),
  },
  makes(
    'campaigns',
    'campaign',
    ['name', 'objective', 'status', 'special_ad_categories', 'is_adset_budget_sharing_enabled'] satisfies FieldsOf<typeof Campaign>,
    ['daily_budget', 'bid_strategy'] satisfies FieldsOf<typeof Campaign>,
    () => ({}),
  ),
  {
    ...adSets,
    answer: (call) =>
      call.body.targeting && call.body.targeting.targeting_automation?.advantage_audience === undefined
        ? refused('(#100) Advantage Audience Flag Required: set advantage_audience to 1 or 0 within targeting_automation')
        : adSets.answer(call),
  },
  {
    ...creatives,
    // It loads the picture of an ad by its address before there is an ad.
    answer: (call) => {
      const { link_data = {} } = call.body.object_story_spec ?? {}
      const odd = Object.keys(link_data).find((name) => !linkFields.includes(name))
      if (odd) return refused(`(#100) Invalid keys "${odd}" were found in param "object_story_spec[link_data]"`)
      if (/\/missing\b/.test(link_data.picture ?? '')) return refused('(#100) The image could not be downloaded from its URL')
      return creatives.answer(call)
    },
  },
  makes('ads', 'ad', ['name', 'adset_id', 'creative', 'status'] satisfies FieldsOf<typeof Ad>, [], ({ body }) => ({
    adset: String(body.adset_id),
  })),
  {
    at: `GET ${fb}/:object`,
    query: ['fields'],
    answer: (call) => {
      const thing = thingsOf(call).get(call.params.object!)
      return thing
        ? shown(call.params.object!, thing, call.query.get('fields') ?? '')
        : refused('Unsupported get request. Object does not exist')
    },
  },
  {
    at: `POST ${fb}/:object`,
    body: ['status', 'daily_budget', 'name'],
    answer: (call) => {
      const id = call.params.object!
      const thing = thingsOf(call).get(id)
      if (!thing) return refused('Unsupported post request. Object does not exist')
      if (call.body.daily_budget !== undefined && thing.daily_budget === undefined)
        return refused('(#100) The budget is set at another level')
      const { daily_budget, ...rest } = call.body
      call.set(id, 'ad_object', { ...thing, ...rest, ...(daily_budget !== undefined && { daily_budget: String(daily_budget) }) })
      return { success: true }
    },
  },
  {
    at: `DELETE ${fb}/:object`,
    answer: (call) => {
      const thing = thingsOf(call).get(call.params.object!)
      if (!thing) return refused('Unsupported delete request. Object does not exist')
      call.set(call.params.object!, 'ad_object', { ...thing, deleted: true })
      return { success: true }
    },
  },
]
