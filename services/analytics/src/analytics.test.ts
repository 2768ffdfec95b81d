import { comparisonFinished, completionFinished } from '@operon/contracts/ai-gateway/events'
import { activityRecorded, eventTold, notificationRaised, notificationsWereRead } from '@operon/contracts/analytics/events'
import { budgetThreshold, subscriptionChanged, usageThreshold } from '@operon/contracts/billing/events'
import type { Event } from '@operon/contracts/contract'
import { appointmentBooked, campaignSent, leadCreated } from '@operon/contracts/crm/events'
import { signedUp, userCreated, userDeleted } from '@operon/contracts/identity/events'
import { connectionChanged } from '@operon/contracts/integrations/events'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { forgetOlderThan } from './facts/retention.ts'
import { analyticsService } from './service.ts'

const told: { event: string; payload: any }[] = []

const platform = await startTestService({
  ...analyticsService,
  async setup(rt) {
    await analyticsService.setup(rt)
    for (const event of [notificationRaised, activityRecorded, notificationsWereRead, eventTold] as Event[])
      rt.onBroadcast(event, (payload) => told.push({ event: event.name, payload }))
  },
})
const db: any = platform.services.analytics!.rt.db
afterAll(() => platform.close())

const limits = { prompts: 1000, images: 150, emails: 3000, runs: 10000, agents: 5 }
const plan = (version: number, status: 'none' | 'trialing' | 'active', tier: 'none' | 'trial' | 'pro' = 'trial') => ({
  version,
  tier,
  status,
  limits,
  period_start: '2026-11-01T00:00:00Z',
  period_end: '2026-12-01T00:00:00Z',
  trial_end: status === 'trialing' ? '2026-11-24T00:00:00Z' : null,
})
const person = { email: 'ann@example.com', name: 'Ann', referral_code: null, role: null, version: 1 }
const completion = (command: string) => ({
  feature: 'chat',
  command,
  model: 'gpt-4o-mini',
  answered_by: 'gpt-4o-mini',
  status: 'completed' as const,
  prompt_tokens: 1,
  completion_tokens: 1,
  cost_microusd: 1,
  duration_ms: 1,
})

async function call(user: TestUser, path: string, body?: unknown) {
  const response = await fetch(`${platform.url()}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...user.headers, ...(body ? { 'content-type': 'application/json' } : {}), prefer: 'count=exact' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, range: response.headers.get('content-range'), body: (await response.json()) as any }
}
const activity = async (user: TestUser) =>
  (await call(user, '/rest/v1/activity_logs?select=command,status&order=created_at.desc&limit=5')).body
const inbox = async (user: TestUser) => (await call(user, '/rest/v1/notifications?order=created_at.desc')).body as any[]
const unread = async (user: TestUser) => Number((await call(user, '/rest/v1/notifications?select=id&read_at=is.null')).range!.split('/')[1])
const settled = async (id: string) => {
  const rows = await db.selectFrom('inbox').select('done_at').where('event_id', '=', id).execute()
  return rows.length > 0 && rows.every((row: { done_at: Date | null }) => row.done_at)
}

test('a new account finds three welcome notifications, once, and reads them [spec-50]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const id = newId()
  await platform.emit(userCreated, ann.id, person, id)
  await platform.emit(userCreated, ann.id, person, id)
  await platform.emit(userCreated, bob.id, person)
  await expect.poll(() => unread(ann)).toBe(3)
  await expect.poll(() => unread(bob)).toBe(3)
  const again = await platform.emit(userCreated, ann.id, { ...person, version: 2 })
  await expect.poll(() => settled(again)).toBe(true)
  expect((await inbox(ann)).map(({ title }) => title)).toEqual([
    'Welcome to Operon',
    'Try everything free for 3 days',
    'Ask four models at once',
  ])
  const live = (event: Event) => told.filter((each) => each.event === event.name && each.payload.user_id === ann.id)
  await expect.poll(() => live(notificationRaised).map(({ payload }) => payload.unread)).toEqual([3, 3, 3])

  const [first] = await inbox(ann)
  expect((await call(bob, '/functions/v1/notifications-read', { ids: [first.id] })).body).toEqual({ read: 0, unread: 3, read_at: null })
  expect((await call(ann, '/functions/v1/notifications-read', { ids: [first.id] })).body).toMatchObject({ read: 1, unread: 2 })
  const all = (await call(ann, '/functions/v1/notifications-read', {})).body
  expect(all).toMatchObject({ read: 2, unread: 0 })
  expect(await unread(bob)).toBe(3)
  await expect.poll(() => live(notificationsWereRead).map(({ payload }) => payload.unread)).toEqual([2, 0])

  // The way back takes what was marked together, of this account alone.
  const unmark = (who: TestUser, read_at: string | null) => call(who, '/functions/v1/notifications-unread', { read_at })
  expect((await unmark(bob, all.read_at)).body).toEqual({ unread: 3 })
  expect((await unmark(ann, null)).body).toEqual({ unread: 0 })
  expect((await unmark(ann, all.read_at)).body).toEqual({ unread: 2 })
  expect((await inbox(ann)).find(({ id }) => id === first.id)!.read_at).not.toBeNull()
})

test('activity is told in words, newest first, to its owner alone, and live [spec-60]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  await platform.emit(signedUp, ann.id, {
    email: 'a@example.com',
    name: 'Ann',
    referral_code: null,
    signup_date: '2026-11-21T10:00:00Z',
    accept_terms: true,
    accept_marketing: false,
  })
  await expect.poll(() => activity(ann)).toHaveLength(1)
  const conversation_id = newId()
  await platform.emit(completionFinished, ann.id, { ...completion('Write a haiku about invoices'), conversation_id })
  await expect.poll(() => activity(ann)).toHaveLength(2)
  // One line a comparison, with its models below; its answers have none of their own.
  for (const _ of ['ChatGPT', 'Claude']) await platform.emit(completionFinished, ann.id, completion(''))
  const compared = { comparison_id: newId(), command: 'Compared: haikus', models: ['ChatGPT', 'Claude'], status: 'completed' as const }
  await platform.emit(comparisonFinished, ann.id, compared)
  await expect.poll(() => activity(ann)).toHaveLength(3)
  await platform.emit(connectionChanged, ann.id, { version: 2, service_name: 'google-calendar', status: 'connected' })
  await expect
    .poll(() => activity(ann))
    .toEqual([
      { command: 'Connected Google Calendar', status: 'completed' },
      { command: 'Compared: haikus\nChatGPT, Claude', status: 'completed' },
      { command: 'Write a haiku about invoices', status: 'completed' },
      { command: 'Created the account', status: 'completed' },
    ])
  // Each line opens the page of what it speaks of, where there is one.
  const links = (await call(ann, '/functions/v1/list-activity', {})).body.activity.map(({ link }: { link: string | null }) => link)
  const compare = `/dashboard/ai-lab?comparison=${compared.comparison_id}`
  expect(links).toEqual([null, compare, `/dashboard/operon-ai?c=${conversation_id}`, '/dashboard/settings'])
  expect(await activity(bob)).toEqual([])
  const connection = { user_id: ann.id, topic: 'connection', event: connectionChanged.name }
  await expect.poll(() => told.filter(({ event }) => event === eventTold.name).map(({ payload }) => payload)).toMatchObject([connection])
  const live = () => told.filter(({ event, payload }) => event === activityRecorded.name && payload.user_id === ann.id)
  await expect.poll(() => live().map(({ payload }) => payload.command)).toHaveLength(4)
  expect(live().find(({ payload }) => payload.command.startsWith('Write'))).toMatchObject({
    payload: { status: 'completed', link: `/dashboard/operon-ai?c=${conversation_id}` },
  })
  expect(JSON.stringify(await db.selectFrom('facts').select('payload').where('user_id', '=', ann.id).execute())).not.toMatch(
    /a@example|haiku|Ann/,
  )
})

test('activity and notifications are listed in pages, newest first, each to its owner alone', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  await platform.emit(userCreated, ann.id, person)
  for (const command of ['one', 'two', 'three']) {
    const id = await platform.emit(completionFinished, ann.id, completion(command))
    await expect.poll(() => settled(id)).toBe(true)
  }
  const list = async (user: TestUser, name: string, body: object) => (await call(user, `/functions/v1/${name}`, body)).body
  const first = await list(ann, 'list-activity', { limit: 2 })
  expect(first.activity.map(({ command }: any) => command)).toEqual(['three', 'two'])
  const second = await list(ann, 'list-activity', { limit: 2, cursor: first.cursor })
  expect([second.activity.map(({ command }: any) => command), second.cursor]).toEqual([['one'], null])
  expect(await list(bob, 'list-activity', {})).toEqual({ activity: [], cursor: null })
  expect((await call(ann, '/functions/v1/list-activity', { cursor: "1_'; drop" })).status).toBe(400)

  await expect.poll(() => unread(ann)).toBe(3)
  const page = await list(ann, 'list-notifications', { limit: 2 })
  expect(page).toMatchObject({ unread: 3, notifications: [{ title: 'Welcome to Operon', read_at: null }, {}] })
  await call(ann, '/functions/v1/notifications-read', { ids: [page.notifications[0].id] })
  const left = await list(ann, 'list-notifications', { unread: true })
  expect([left.notifications.length, left.unread, left.cursor]).toEqual([2, 2, null])
  expect(await list(ann, 'list-notifications', { cursor: page.cursor })).toMatchObject({ notifications: [{}], cursor: null })
  expect(await list(bob, 'list-notifications', {})).toEqual({ notifications: [], unread: 0, cursor: null })
})

test('a plan is told when it changes, not when it renews, in whatever order events come [spec-50]', async () => {
  const ann = platform.user()
  for (const each of [plan(1, 'none', 'none'), plan(3, 'active', 'pro'), plan(2, 'trialing'), plan(4, 'active', 'pro')]) {
    const id = await platform.emit(subscriptionChanged, ann.id, each)
    await expect.poll(() => settled(id)).toBe(true)
  }
  expect(await activity(ann)).toEqual([{ command: 'Subscribed to Pro', status: 'completed' }])
  expect((await inbox(ann)).map(({ title, body }) => `${title}: ${body}`)).toEqual([
    'You are on Pro: Your plan is active and renews on December 1, 2026.',
  ])
})

test('usage thresholds reach the inbox [spec-39]', async () => {
  const ann = platform.user()
  await platform.emit(usageThreshold, ann.id, { unit: 'prompts', percent: 80, used: 800, limit: 1000 })
  await platform.emit(usageThreshold, ann.id, { unit: 'prompts', percent: 100, used: 1000, limit: 1000 })
  await platform.emit(budgetThreshold, ann.id, { unit: 'prompts', percent: 80, used_microusd: 800_000, budget_microusd: 1_000_000 })
  await expect
    .poll(async () => (await inbox(ann)).map(({ title }) => title).sort())
    .toEqual(['80% of your AI prompts are used', '80% of your model budget is used', 'You have used all your AI prompts'])
})

test('the dashboard counts what happened, against the 30 days before [spec-58] [spec-59]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const empty = (await call(ann, '/functions/v1/dashboard-stats', {})).body
  expect(empty).toMatchObject({ leads: { total: 0, change_pct: 0 }, emails_sent: { total: 0, change_pct: 0 }, period_days: 30 })
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
  const fact = (name: string, at: Date, payload: object = {}) => ({
    event_id: newId(),
    name,
    user_id: ann.id,
    at,
    payload: JSON.stringify(payload),
  })
  await db
    .insertInto('facts')
    .values([
      fact(leadCreated.name, ago(1)),
      fact(leadCreated.name, ago(2)),
      fact(leadCreated.name, ago(3)),
      fact(leadCreated.name, ago(40)),
      fact(leadCreated.name, ago(45)),
      fact(leadCreated.name, ago(100)),
      fact(appointmentBooked.name, ago(35)),
      fact(campaignSent.name, ago(5), { sent: 120 }),
      fact(campaignSent.name, ago(6), { sent: 30 }),
    ])
    .execute()
  await platform.emit(leadCreated, ann.id, { lead_id: newId() })
  await expect
    .poll(async () => (await call(ann, '/functions/v1/dashboard-stats', {})).body)
    .toEqual({
      leads: { total: 7, current: 4, previous: 2, change_pct: 100 },
      appointments: { total: 1, current: 0, previous: 1, change_pct: -100 },
      campaigns: { total: 0, current: 0, previous: 0, change_pct: 0 },
      emails_sent: { total: 150, current: 150, previous: 0, change_pct: 0 },
      period_days: 30,
    })
  expect((await call(bob, '/functions/v1/dashboard-stats', {})).body.leads.total).toBe(0)
})

test('the figures are true to the hour though they are kept by day, and read no more facts than two days have', async () => {
  const ann = platform.user()
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  // Around the hour in which a period begins, in one statement and in many.
  const hours = [1, 719, 721, 700, 740, 1_439, 1_441, 1_420, 1_460]
  const fact = (at: Date) => ({ event_id: newId(), name: leadCreated.name, user_id: ann.id, at, payload: '{}' })
  await insert(
    db,
    'facts',
    hours.flatMap((each) => [fact(ago(each)), fact(ago(each))]),
  )
  for (const each of hours) await insert(db, 'facts', fact(ago(each)))
  const { leads } = (await call(ann, '/functions/v1/dashboard-stats', {})).body
  expect(leads).toMatchObject({ total: 27, current: 9, previous: 12 })
  const { rows } = await sql<{ amount: number }>`select sum(amount)::int as amount from fact_days where user_id = ${ann.id}`.execute(db)
  expect(rows).toEqual([{ amount: 27 }])
  expect(await db.selectFrom('fact_all_time').select('amount').where('user_id', '=', ann.id).execute()).toEqual([{ amount: 27 }])
})

test('a deleted person leaves figures without them, and a late event leaves nothing', async () => {
  const ann = platform.user()
  await platform.emit(userCreated, ann.id, person)
  await expect.poll(() => unread(ann)).toBe(3)
  await platform.emit(userDeleted, ann.id, { version: 2 })
  await expect
    .poll(() =>
      db.selectFrom('outbox').select('payload').where('name', '=', 'analytics.user_erased').where('user_id', '=', ann.id).execute(),
    )
    .toMatchObject([{ payload: { deleted: { notifications: 3 } } }])
  const late = await platform.emit(completionFinished, ann.id, completion('late words'))
  await expect.poll(() => settled(late)).toBe(true)
  expect([await inbox(ann), await activity(ann)]).toEqual([[], []])
  expect(await db.selectFrom('facts').select('event_id').where('user_id', '=', ann.id).execute()).toEqual([])
})

test('old facts are summed up and go in small batches; figures, unread notices and what is young stay', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
  const fact = (name: string, user_id: string, at: Date, payload: object = {}) => ({
    event_id: newId(),
    name,
    user_id,
    at,
    payload: JSON.stringify(payload),
  })
  const old = Array.from({ length: 25 }, (_, n) => fact(leadCreated.name, ann.id, ago(500 + n)))
  const sent = [fact(campaignSent.name, ann.id, ago(450), { sent: 70 }), fact(campaignSent.name, ann.id, ago(3), { sent: 5 })]
  const others = [
    fact(leadCreated.name, bob.id, ago(500)),
    fact('identity.signed_up', ann.id, ago(500)),
    fact(leadCreated.name, ann.id, ago(1)),
  ]
  await insert(db, 'facts', [...old, ...sent, ...others])
  const activityOf = (at: Date) => ({ id: newId(), user_id: ann.id, event_id: newId(), command: 'x', status: 'completed', created_at: at })
  await insert(db, 'activity_logs', [activityOf(ago(500)), activityOf(ago(2))])
  const notice = { user_id: ann.id, kind: 'usage', title: 'x', body: 'x', link: null, created_at: ago(500) }
  const notices = [ago(499), ago(1), null].map((read_at) => ({ ...notice, id: newId(), about: newId(), read_at }))
  await insert(db, 'notifications', notices)
  const figures = async () => (await call(ann, '/functions/v1/dashboard-stats', {})).body
  const before = await figures()
  expect(before).toMatchObject({ leads: { total: 26, current: 1 }, emails_sent: { total: 75, current: 5 } })

  const signal = new AbortController().signal
  const left = async () => (await db.selectFrom('facts').select('event_id').where('user_id', '=', ann.id).execute()).length
  await forgetOlderThan({ db, signal }, 400, { batch: 4, batches: 2 })
  expect(await left()).toBeGreaterThanOrEqual(29 - 8)
  expect(await figures()).toEqual(before)
  await Promise.all([
    forgetOlderThan({ db, signal }, 400, { batch: 4, batches: 50 }),
    forgetOlderThan({ db, signal }, 400, { batch: 4, batches: 50 }),
  ])
  expect(await left()).toBe(2)
  expect(await figures()).toEqual(before)
  expect(await activity(ann)).toHaveLength(1)
  expect(await unread(ann)).toBe(1)
  expect(await inbox(ann)).toHaveLength(2)

  await platform.emit(userDeleted, ann.id, { version: 2 })
  const summed = () => db.selectFrom('fact_sums').select('user_id').where('user_id', 'in', [ann.id, bob.id]).execute()
  await expect.poll(summed).toEqual([{ user_id: bob.id }])
})
