import { calendarChanged } from '@operon/contracts/integrations/events'
import { update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, describe, expect, test } from 'vitest'
import { sweepHooks } from '../hooks/hooks.ts'
import { integrationsService } from '../service.ts'
import { connectingIn, workingsOf } from '../testing.ts'

const platform = await startTestPlatform([integrationsService, sandboxService])
const world = connectingIn(platform)
;(platform.services.integrations!.rt.config as any).WEBHOOK_BASE_URL = platform.url('integrations')
afterAll(() => platform.close())

const start = new Date(Date.now() + 86_400_000).toISOString()
const end = new Date(Date.now() + 88_200_000).toISOString()
const call = (user: TestUser, name: string, body: object) => world.call(user, name, body, { 'idempotency-key': crypto.randomUUID() })

describe.each([
  ['google-calendar', 'google', 'Call with Maya'],
  ['outlook-calendar', 'microsoft', 'Call with Jonas'],
] as const)('%s', (app, vendor, first) => {
  const there = (user: TestUser, event: string, fields: Record<string, string>) =>
    fetch(`${world.sandbox}/sandbox/apps/calendars/${vendor}/${event}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ email: user.email, ...fields }),
    })
  async function connected() {
    const user = platform.user()
    return { user, connection_id: await world.connected(user, app) }
  }
  const changes = async (user: TestUser, connection_id: string, cursor?: string) =>
    (await call(user, 'list-calendar-changes', { connection_id, ...(cursor && { cursor }) })).body

  test('lists all of it once, then what has changed since, with what is gone [spec-121]', async () => {
    const { user, connection_id } = await connected()
    const all = await changes(user, connection_id)
    expect(all.events.map(({ title, removed, busy }: any) => [title, removed, busy])).toEqual([[first, false, true]])
    expect([all.more, all.reset, all.account]).toEqual([false, false, user.email])
    expect((await changes(user, connection_id, all.cursor)).events).toEqual([])
    await there(user, 'new', { title: 'Dentist', start, end })
    const added = await changes(user, connection_id, all.cursor)
    expect(added.events).toMatchObject([{ title: 'Dentist', starts_at: start, ends_at: end, key: null }])
    await there(user, added.events[0].id, { gone: 'yes' })
    const gone = await changes(user, connection_id, added.cursor)
    expect(gone.events).toMatchObject([{ id: added.events[0].id, removed: true }])
  })

  test('a cursor that the vendor does not keep any more begins anew, and one that is made up is refused', async () => {
    const { user, connection_id } = await connected()
    const { cursor } = await changes(user, connection_id)
    await platform.fault({
      provider: 'apps',
      account: user.email,
      match: app === 'google-calendar' ? 'primary/events' : 'calendarView/delta',
      kind: 'status',
      status: 410,
    })
    const again = await changes(user, connection_id, cursor)
    expect([again.reset, again.events.length]).toEqual([true, 1])
    expect((await changes(user, connection_id, 'made-up')).code).toBe('invalid')
  })

  test('what is written stands there once, is changed only as it was read, and is taken out', async () => {
    const { user, connection_id } = await connected()
    const { cursor } = await changes(user, connection_id)
    const key = crypto.randomUUID()
    const event = { title: 'Website review', starts_at: start, ends_at: end, notes: 'Bring the list' }
    const write = async (more: object) => (await call(user, 'write-calendar-event', { connection_id, key, event, ...more })).body
    const made = await write({})
    expect(made).toMatchObject({ outcome: 'written', event: { title: 'Website review', starts_at: start, key, busy: true } })
    // As after a lost answer: the same key makes no second event.
    expect((await write({})).event.id).toBe(made.event.id)
    const listed = await changes(user, connection_id, cursor)
    expect(listed.events.map(({ id, key: by }: any) => [id, by])).toEqual([[made.event.id, key]])

    await there(user, made.event.id, { title: 'Moved by its owner' })
    const stale = { event_id: made.event.id, etag: made.event.etag }
    expect(await write({ ...stale, event: { ...event, title: 'Ours' } })).toMatchObject({
      outcome: 'conflict',
      event: { title: 'Moved by its owner' },
    })
    const { event: current } = await write({ ...stale, event: { ...event, title: 'Ours' } })
    const now = { event_id: made.event.id, etag: current.etag }
    expect(await write({ ...now, event: { ...event, title: 'Ours' } })).toMatchObject({ outcome: 'written', event: { title: 'Ours' } })
    // The same again, whose answer was lost: it stands there as it was meant to.
    expect(await write({ ...now, event: { ...event, title: 'Ours' } })).toMatchObject({ outcome: 'written' })
    expect((await write({ ...now, event: null })).outcome).toBe('conflict')
    expect(await write({ event_id: made.event.id, event: null })).toEqual({ outcome: 'removed', event: null })
    expect((await write({ event_id: made.event.id, event: null })).outcome).toBe('removed')
    expect((await write({ event_id: made.event.id })).outcome).toBe('gone')
  })

  test('a watched calendar tells of a change, hints come as one, and disconnecting stops it there', async () => {
    const { user, connection_id } = await connected()
    expect((await call(user, 'watch-calendar', { connection_id })).body).toMatchObject({ told: true, until: expect.any(String) })
    const [hook] = await world.db.selectFrom('app_hooks').selectAll().where('connection_id', '=', connection_id).execute()
    expect(hook.until.getTime() - Date.now()).toBeGreaterThan(2 * 86_400_000)
    const told = () =>
      world.db.selectFrom('outbox').select('payload').where('name', '=', calendarChanged.name).where('user_id', '=', user.id).execute()
    await there(user, 'new', { title: 'Dentist', start, end })
    await expect.poll(told).toEqual([{ payload: { connection_id, service_name: app } }])
    await there(user, 'new', { title: 'Lunch', start, end })
    const again = () => world.db.selectFrom('app_hooks').select('again').where('id', '=', hook.id).executeTakeFirst()
    await expect.poll(again).toEqual({ again: true })
    expect((await told()).length).toBe(1)
    await update(world.db, 'app_hooks', { id: hook.id }, { told_at: new Date(Date.now() - 11_000), renew_at: new Date(0) })
    await sweepHooks(workingsOf(platform))
    expect((await told()).length).toBe(2)
    const [renewed] = await world.db.selectFrom('app_hooks').selectAll().where('connection_id', '=', connection_id).execute()
    expect(renewed.remote).not.toBe(hook.remote)

    const stopped = async () => (await world.truth('hook_stopped')).filter(({ email }) => email === user.email).length
    expect(await stopped()).toBe(1)
    await call(user, 'disconnect-app', { connection_id })
    await expect.poll(stopped).toBe(2)
    expect(await world.db.selectFrom('app_hooks').select('id').where('user_id', '=', user.id).execute()).toEqual([])
  })
})

test('nobody else is believed where vendors tell, and nobody reads the calendar of another', async () => {
  const [ann, eve] = [platform.user(), platform.user()]
  const connection_id = await world.connected(ann, 'google-calendar')
  await call(ann, 'watch-calendar', { connection_id })
  const { id } = await world.db.selectFrom('app_hooks').select('id').where('user_id', '=', ann.id).executeTakeFirstOrThrow()
  const hook = (of: string, headers: Record<string, string>, body = '') =>
    fetch(`${platform.url('integrations')}/webhooks/apps/${of}`, { method: 'POST', headers, body }).then(({ status }) => status)
  expect(await hook(id, { 'x-goog-channel-token': 'guessed', 'x-goog-resource-state': 'exists' })).toBe(400)
  expect(await hook(id, { 'content-type': 'application/json' }, '{"value":[{"clientState":"guessed"}]}')).toBe(400)
  expect(await hook(id, { 'content-type': 'application/json' }, '{"value":[]}')).toBe(400)
  expect(await hook(crypto.randomUUID(), { 'x-goog-channel-token': 'guessed' })).toBe(400)
  expect(
    await world.db.selectFrom('outbox').select('id').where('name', '=', calendarChanged.name).where('user_id', '=', ann.id).execute(),
  ).toEqual([])
  for (const [name, body] of [
    ['list-calendar-changes', {}],
    ['watch-calendar', {}],
    ['unwatch-calendar', {}],
    ['write-calendar-event', { key: crypto.randomUUID(), event: { title: 'Mine', starts_at: start, ends_at: end } }],
  ] as const)
    expect((await call(eve, name, { connection_id, ...body })).body.code).toBe('app_not_connected')
  expect((await call(ann, 'unwatch-calendar', { connection_id })).body).toEqual({ stopped: true })
})
