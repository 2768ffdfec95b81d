import { setTimeout as wait } from 'node:timers/promises'
import { adRuleApplied } from '@operon/contracts/integrations/events'
import { update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'
import { integrationsService } from '../service.ts'
import { connectingIn } from '../testing.ts'

const platform = await startTestPlatform([integrationsService, sandboxService])
const world = connectingIn(platform)
afterAll(() => platform.close())

async function advertiser() {
  const user = platform.user()
  await world.connected(user, 'meta-ads')
  return user
}
const list = async (user: TestUser, level: string, more: object = {}) => (await world.call(user, 'list-ads', { level, ...more })).body
const fault = (user: TestUser, match: string) =>
  platform.fault({ provider: 'apps', account: user.email, match, kind: 'status', status: 400 })

test("the four totals are the account's own, by day as well [spec-91]", async () => {
  const user = await advertiser()
  const { body } = await world.call(user, 'meta-ads-analytics')
  const [first] = body.analytics
  expect(first.summary).toEqual({ totalSpend: 4340, totalImpressions: 214_660, totalClicks: 5220, totalConversions: 232 })
  expect(first.days.length).toBe(30)
  expect((await world.call(platform.user(), 'meta-ads-analytics')).body.code).toBe('app_not_connected')
})

test('campaigns, ad sets and ads have their ten fields [spec-91]', async () => {
  const user = await advertiser()
  const campaigns = await list(user, 'campaign')
  expect(campaigns.rows).toEqual([
    {
      id: '4001',
      name: 'Spring offer',
      level: 'campaign',
      status: 'Active',
      budget_cents: 10_000,
      spent_cents: 289_000,
      impressions: 142_300,
      clicks: 3480,
      conversions: 158,
      ctr: 2.45,
      cpc_cents: 83.05,
      roas: 3.1,
    },
    expect.objectContaining({ name: 'Templates', status: 'Paused', spent_cents: 145_000, conversions: 74 }),
  ])
  expect((await list(user, 'adset')).rows.length).toBe(3)
  expect((await list(user, 'ad')).rows.length).toBe(3)
})

test('figures are kept for ten minutes with the time they were fetched, and Meta is not asked meanwhile [spec-91]', async () => {
  const user = await advertiser()
  const before = await list(user, 'campaign')
  const calls = async () => {
    // They are written a moment later.
    await wait(100)
    return world.db.selectFrom('connection_calls').select('id').where('user_id', '=', user.id).execute()
  }
  const asked = (await calls()).length
  expect((await list(user, 'campaign')).fetched_at).toBe(before.fetched_at)
  expect((await calls()).length).toBe(asked)
  await update(world.db, 'ad_lists', { user_id: user.id }, { fetched_at: new Date(Date.now() - 601_000) })
  expect((await list(user, 'campaign')).fetched_at).not.toBe(before.fetched_at)
})

test('a change is shown before it is made, and its answer is what Meta says afterwards [spec-91]', async () => {
  const user = await advertiser()
  const change = { level: 'campaign', object_id: '4001', status: 'paused', daily_budget_cents: 2500 }
  const preview = (await world.call(user, 'preview-ad-change', change)).body
  expect(preview).toMatchObject({ name: 'Spring offer', status: 'Active', budget_cents: 10_000 })
  expect(preview.changes.join(' ')).toContain('from $100.00 to $25.00')
  const { body } = await world.call(user, 'change-ad', change)
  expect(body.row).toEqual({ id: '4001', name: 'Spring offer', level: 'campaign', status: 'Paused', budget_cents: 2500 })
  expect((await list(user, 'campaign')).rows[0]).toMatchObject({ status: 'Paused', budget_cents: 2500 })
  const odd = await world.call(user, 'change-ad', { level: 'adset', object_id: '5001', daily_budget_cents: 2500 })
  expect(odd.body).toMatchObject({ code: 'app_input', message: expect.stringContaining('another level') })
})

const picture = 'https://operon.example/files/v1/media/~public/0199b1a2-7c00-7000-8000-000000000004.jpg'
const adData = { primary_text: 'Fresh bread at seven.', headline: 'Bread at your door', description: 'First week free', picture }
test('an ad is created paused at every level, once under its key, and what it would spend is shown before [spec-94]', async () => {
  const user = await advertiser()
  expect((await world.call(user, 'preview-ad', { adData, daily_budget_cents: 1500 })).body).toMatchObject({
    currency: 'USD',
    daily_cents: 1500,
    monthly_cents: 45_000,
  })
  const create = () => world.call(user, 'meta-ads-create', { adData, daily_budget_cents: 1500 }, { 'idempotency-key': 'one' })
  const { body } = await create()
  expect(body).toMatchObject({ status: 'Paused', daily_budget_cents: 1500 })
  expect((await create()).body).toEqual(body)
  for (const level of ['campaign', 'adset', 'ad']) {
    const made = (await list(user, level)).rows.filter(({ name }: any) => name === adData.headline)
    expect([level, made.map(({ status }: any) => status)]).toEqual([level, ['Paused']])
  }
  const tooLong = await world.call(user, 'meta-ads-create', { adData: { ...adData, headline: 'x'.repeat(28) } })
  expect(tooLong.status).toBe(400)
})

test('an ad of which a step fails leaves nothing behind [spec-94]', async () => {
  const user = await advertiser()
  await fault(user, 'adcreatives')
  expect((await world.call(user, 'meta-ads-create', { adData })).status).toBe(422)
  const noPicture = { ...adData, picture: picture.replace('~public', 'missing') }
  expect((await world.call(user, 'meta-ads-create', { adData: noPicture })).body.message).toContain('could not be downloaded')
  expect((await list(user, 'campaign')).rows.map(({ name }: any) => name)).toEqual(['Spring offer', 'Templates'])
})

test('a rule pauses a campaign whose results cost too much, once, and tells its owner; a cheaper one is left alone', async () => {
  const user = await advertiser()
  // In seven days a result of the campaign cost 18.25.
  const rule = async (most_cents: number) => (await world.call(user, 'create-ad-rule', { campaign_id: '4001', most_cents })).body.rule
  const [dear, cheap] = [await rule(2000), await rule(1500)]
  const { applyRules } = await import('./rules.ts')
  const { openAdLists } = await import('./lists.ts')
  const { openPlaces } = await import('../apps/place.ts')
  const { openTokens } = await import('../connections/tokens.ts')
  const { openCalls } = await import('../connections/call.ts')
  const rt: any = platform.services.integrations!.rt
  const places = openPlaces(rt)
  const call = openCalls(rt, places, openTokens(rt, places))
  await applyRules(rt, openAdLists(rt.db, call), call)
  const rules = async () => (await world.call(user, 'list-ad-rules')).body.rules
  expect((await rules()).map(({ id, state, last_cents }: any) => [id, state, Math.round(last_cents)])).toEqual([
    [dear.id, 'watching', 1825],
    [cheap.id, 'applied', 1825],
  ])
  expect((await list(user, 'campaign')).rows[0].status).toBe('Paused')
  const told = await world.db
    .selectFrom('outbox')
    .select('payload')
    .where('name', '=', adRuleApplied.name)
    .where('user_id', '=', user.id)
    .execute()
  expect(told.map(({ payload }: any) => [payload.campaign, payload.cost_cents, payload.most_cents])).toEqual([['Spring offer', 1825, 1500]])
  const eve = platform.user()
  expect((await world.call(eve, 'delete-ad-rule', { rule_id: dear.id })).body).toEqual({ deleted: false })
  expect((await world.call(user, 'delete-ad-rule', { rule_id: dear.id })).body).toEqual({ deleted: true })
})

test('what was read of the ads goes with the connection', async () => {
  const user = await advertiser()
  await list(user, 'campaign')
  const kept = () => world.db.selectFrom('ad_lists').select('list').where('user_id', '=', user.id).execute()
  expect((await kept()).length).toBeGreaterThan(0)
  const { connections } = (await world.call(user, 'list-connections')).body
  expect((await world.call(user, 'disconnect-app', { connection_id: connections[0].id })).body).toEqual({ disconnected: true })
  expect(await kept()).toEqual([])
})
