import { appTold, connectionBroken } from '@operon/contracts/integrations/events'
import { DomainError } from '@operon/kit/errors'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'
import { integrationsService } from '../service.ts'
import { connectingIn, workingsOf } from '../testing.ts'
import { lookAtWatches, look as lookOnce } from './look.ts'

const platform = await startTestPlatform([integrationsService, sandboxService])
const world = connectingIn(platform)
afterAll(() => platform.close())

const call = (user: TestUser, name: string, body: object) => world.call(user, name, body, { 'idempotency-key': crypto.randomUUID() })
const happen = (user: TestUser, app: string) =>
  fetch(`${world.sandbox}/sandbox/apps/happen`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ app, email: user.email }),
  })
async function eventsOf(user: TestUser, name: string): Promise<any[]> {
  const rows = await world.db
    .selectFrom('outbox')
    .select('payload')
    .where('name', '=', name)
    .where('user_id', '=', user.id)
    .orderBy('id')
    .execute()
  return rows.map(({ payload }: any) => payload)
}
/** As if a minute had passed. */
async function look(user: TestUser) {
  const own = world.db.selectFrom('connections').select('id').where('user_id', '=', user.id)
  await update(world.db, 'app_watches', { user_id: user.id }, { next_at: new Date(0) })
  await world.db.deleteFrom('rate_buckets').where('connection_id', 'in', own).execute()
  const { rt, call: callApp } = workingsOf(platform)
  await lookAtWatches(rt, callApp)
}

test('what is watched waits while the connection is broken, is named in the notice, and is told after connecting again [spec-125]', async () => {
  const user = platform.user()
  await world.connected(user, 'hubspot')
  await call(user, 'watch-app', { app: 'hubspot', trigger: 'contact-changed' })
  for (const grant of await world.grantsOf(user.email)) await world.steer(grant.id, 'cut')
  await look(user)
  const [broken] = await eventsOf(user, connectionBroken.name)
  expect(broken).toMatchObject({ service_name: 'hubspot', watches: 1 })
  expect(connectionBroken.notice!(broken, 'Operon')[0]!.body).toContain('1 watched event waits, and everything else')
  await happen(user, 'hubspot')
  await look(user)
  expect((await call(user, 'list-app-triggers', { app: 'hubspot' })).body.watches).toMatchObject([{ waits: true, failure: null }])
  expect(await eventsOf(user, appTold.name)).toEqual([])
  const dueIn = async () => {
    const [row] = await world.db.selectFrom('app_watches').select('next_at').where('user_id', '=', user.id).execute()
    return row.next_at.getTime() - Date.now()
  }
  // It is not found by every turn while it waits.
  expect(await dueIn()).toBeGreaterThan(3_600_000)
  await world.connected(user, 'hubspot')
  expect(await dueIn()).toBeLessThan(2_000)
  await look(user)
  expect((await eventsOf(user, appTold.name)).map(({ title }) => title)).toEqual(['Lena Novak'])
})

test('looking again after a kill, or in two processes at once, tells nothing twice', async () => {
  const user = platform.user()
  await world.connected(user, 'google-drive')
  await call(user, 'watch-app', { app: 'google-drive', trigger: 'file-changed' })
  for (let file = 0; file < 3; file++) await happen(user, 'google-drive')
  const [before] = await world.db.selectFrom('app_watches').selectAll().where('user_id', '=', user.id).execute()
  const { rt, call: callApp } = workingsOf(platform)
  await Promise.all([lookOnce(rt, before, callApp), lookOnce(rt, before, callApp)])
  // As a process that took it before the others were done.
  await lookOnce(rt, before, callApp)
  expect((await eventsOf(user, appTold.name)).length).toBe(3)
})

test('more than is told of one look is told by the next one, in order', async () => {
  const user = platform.user()
  await world.connected(user, 'outlook')
  await call(user, 'watch-app', { app: 'outlook', trigger: 'new-mail' })
  for (let mail = 0; mail < 60; mail++) await happen(user, 'outlook')
  const [due] = await world.db.selectFrom('app_watches').selectAll().where('user_id', '=', user.id).execute()
  const { rt, call: callApp } = workingsOf(platform)
  await lookOnce(rt, due, callApp)
  expect((await eventsOf(user, appTold.name)).length).toBe(50)
  await look(user)
  const told = await eventsOf(user, appTold.name)
  expect(new Set(told.map(({ item_id }) => item_id)).size).toBe(60)
  expect(told.map(({ at }) => at)).toEqual(told.map(({ at }) => at).sort())
})

test('what cannot be watched is refused, a refusal of the app is shown in its words, and there is an end to how much is watched', async () => {
  const [ann, eve] = [platform.user(), platform.user()]
  await world.connected(ann, 'slack')
  const watch = (user: TestUser, more: object) => call(user, 'watch-app', { app: 'slack', trigger: 'new-message', ...more })
  const input = { channel: 'C02SALES' }
  expect((await watch(ann, { trigger: 'nothing' })).body.code).toBe('app_trigger_unknown')
  expect((await watch(ann, { trigger: 'constructor' })).body.code).toBe('app_trigger_unknown')
  expect((await watch(ann, {})).body).toMatchObject({ code: 'app_input', message: expect.stringContaining('channel') })
  expect((await watch(ann, { input: { channel: 'C09NONE' } })).body.message).toBe('Slack refused: channel_not_found')
  expect((await watch(eve, { input })).body.code).toBe('app_not_connected')
  const { watch_id } = (await watch(ann, { input })).body
  expect((await watch(ann, { input })).body.watch_id).toBe(watch_id)
  const changed = { input: JSON.stringify({ channel: 'C09NONE' }) }
  await world.db.updateTable('app_watches').set(changed).where('id', '=', watch_id).execute()
  await look(ann)
  const { watches } = (await call(ann, 'list-app-triggers', { app: 'slack' })).body
  expect(watches).toMatchObject([{ failure: 'Slack refused: channel_not_found' }])
  expect((await call(eve, 'unwatch-app', { watch_id })).body).toEqual({ stopped: false })
  const [row] = await world.db.selectFrom('app_watches').selectAll().where('id', '=', watch_id).execute()
  const others = Array.from({ length: 49 }, (_, n) => ({ ...row, id: crypto.randomUUID(), input: JSON.stringify({ channel: `C${n}` }) }))
  await insert(world.db, 'app_watches', others)
  expect((await watch(ann, { input: { channel: 'C01GENERAL' } })).body.code).toBe('watch_limit')
  expect((await call(ann, 'unwatch-app', { watch_id })).body).toEqual({ stopped: true })
})

test('a list that goes on says so, and goes on by its cursor', async () => {
  const user = platform.user()
  await world.connected(user, 'google-drive')
  const read = (more: object) =>
    call(user, 'read-from-app', { app: 'google-drive', action: 'list-recent-files', input: { limit: 1 }, ...more })
  const first = (await read({})).body
  expect([first.rows.length, first.more, typeof first.cursor]).toEqual([1, true, 'string'])
  const second = (await read({ cursor: first.cursor })).body
  expect([second.rows.length, second.more, second.cursor]).toEqual([1, false, null])
  expect(second.rows[0].id).not.toBe(first.rows[0].id)
  await world.connected(user, 'slack')
  const channels = await call(user, 'read-from-app', { app: 'slack', action: 'list-channels', input: { limit: 10 } })
  expect(channels.body).toMatchObject({ more: false, cursor: null })
})

test('an app that hangs takes no turns of another, and is left alone after a few', async () => {
  const user = platform.user()
  const rows = Array.from({ length: 22 }, (_, n) => ({ id: crypto.randomUUID(), app: n < 20 ? 'hubspot' : 'google-drive' }))
  await world.db
    .insertInto('connections')
    .values(rows.map(({ id, app }) => ({ id, app, user_id: user.id, account_id: id, account: 'x', scopes: [], sandbox: true })))
    .execute()
  const triggers = { hubspot: 'contact-changed', 'google-drive': 'file-changed' } as Record<string, string>
  await world.db
    .insertInto('app_watches')
    .values(
      rows.map(({ id, app }, n) => ({
        ...{ id, user_id: user.id, connection_id: id, trigger: triggers[app], input: '{}', seen: [] },
        ...{ seen_until: new Date(), next_at: new Date(n) },
      })),
    )
    .execute()
  const { promise: hanging, reject: end } = Promise.withResolvers<never>()
  hanging.catch(() => {})
  const asked: string[] = []
  const answer = ({ app }: { app: string }) => {
    asked.push(app)
    return app === 'hubspot' ? hanging : Promise.resolve({ files: [] })
  }
  const { rt } = workingsOf(platform)
  const round = lookAtWatches(rt, answer as never)
  const looked = world.db.selectFrom('app_watches').select('id').where('user_id', '=', user.id).where('looked_at', 'is not', null)
  await expect.poll(async () => (await looked.execute()).length).toBe(2)
  expect(asked.filter((app) => app === 'hubspot')).toHaveLength(8)
  end(new DomainError('upstream_timeout'))
  await round
  // Those that fail first are followed by one each, and the third is not.
  expect(asked.filter((app) => app === 'hubspot')).toHaveLength(10)
})
