import { setTimeout as wait } from 'node:timers/promises'
import { userDeleted } from '@operon/contracts/identity/events'
import { apps } from '@operon/contracts/integrations/apps'
import { appTold, connectionBroken, connectionChanged } from '@operon/contracts/integrations/events'
import { appTriggers } from '@operon/contracts/integrations/triggers'
import { exportUser } from '@operon/contracts/personal-data'
import { update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { numberOf } from '@operon/sandbox/apps/grants'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { definitionOf } from '../apps/all.ts'
import { vendors } from '../apps/vendors.ts'
import { integrationsService } from '../service.ts'
import { connectingIn, workingsOf } from '../testing.ts'
import { lookAtWatches } from '../watches/look.ts'
import { lookAfter } from './sweep.ts'

const platform = await startTestPlatform([integrationsService, sandboxService])
const world = connectingIn(platform)
const db: any = world.db
afterAll(() => platform.close())
const call: typeof world.call = (...given) => world.call(...given)
const decide: typeof world.decide = (...given) => world.decide(...given)
const connected: typeof world.connected = (...given) => world.connected(...given)
const { grantsOf, steer, truth, grewOld }: Pick<typeof world, 'grantsOf' | 'steer' | 'truth' | 'grewOld'> = {
  grantsOf: (email) => world.grantsOf(email),
  steer: (grant, what) => world.steer(grant, what),
  truth: (kind) => world.truth(kind),
  grewOld: (id, email) => world.grewOld(id, email),
}

const inTwoDays = new Date(Date.now() + 2 * 86_400_000).toISOString()
/** The input of each action where its fields are more than a limit. */
const given: Record<string, object> = {
  words: { words: 'a' },
  to: { to: 'maya@example.com', subject: 'Hello', text: 'Hi' },
}
const inputs: Record<string, object> = {
  'gmail send-mail': given.to!,
  'gmail find-mail': { words: 'invoice' },
  'outlook send-mail': given.to!,
  'outlook find-mail': { words: 'offer' },
  'slack post-message': { channel: '#sales', text: 'Sold!' },
  'teams list-channels': { team: 'team-1' },
  'teams post-message': { team: 'team-1', channel: '19:general@thread.tacv2', text: 'Sold!' },
  'google-calendar add-event': { title: 'Call', start: inTwoDays, end: inTwoDays },
  'google-calendar find-busy-times': { from: inTwoDays, to: inTwoDays },
  'outlook-calendar add-event': { title: 'Call', start: inTwoDays, end: inTwoDays },
  'calendly make-single-use-link': { event_type: 'https://api.calendly.com/event_types/1' },
  'facebook list-posts': { page: '1001' },
  'facebook publish-post': { page: '1001', text: 'Open' },
  'instagram list-posts': { account: '2001' },
  'linkedin publish-post': { text: 'Open' },
  'twitter publish-post': { text: 'Open' },
  'google-analytics read-visitors': { property: 'properties/123' },
  'google-ads list-campaigns': { account: 'customers/1234567890' },
  'meta-ads list-campaigns': { account: 'act_3001' },
  'meta-ads pause-campaign': { campaign: '4001' },
  'stripe find-customers': { email: 'maya.patel@example.com' },
  'stripe add-customer': { name: 'Maya', email: 'maya@example.com' },
  'paypal list-transactions': { from: inTwoDays, to: inTwoDays },
  'paypal draft-invoice': { to: 'maya@example.com', item: 'Website', amount: 120 },
  'quickbooks add-customer': { name: 'Maya', email: 'maya@example.com' },
  'notion add-page': { database: 'db-1', title: 'A plan', text: 'First step' },
  'trello list-lists': { board: 'b1' },
  'trello list-cards': { list: 'l1' },
  'trello add-card': { list: 'l1', title: 'A task' },
  'asana list-tasks': { project: '7001' },
  'asana add-task': { project: '7001', title: 'A task' },
  'google-drive make-folder': { name: 'Offers' },
}
/** MailerSend sends from a domain that is verified there: each account has one. */
const ofAccount: Record<string, (account: string) => object> = {
  'mailersend list-mails': (account) => ({ domain: `dom-${account}`, from: 0, to: Math.floor(Date.now() / 1000) }),
  'mailersend send-mail': (account) => ({ from: `me@${account}.example.com`, ...given.to }),
}
/** The watched part, where the person has to name it. */
const watched: Record<string, object | ((account: string) => object)> = {
  slack: { channel: 'C02SALES' },
  teams: { team: 'team-1', channel: '19:general@thread.tacv2' },
  mailersend: (account) => ({ domain: `dom-${account}` }),
  instagram: { account: '2001' },
  facebook: { page: '1001' },
  'google-analytics': { property: 'properties/123' },
  'google-ads': { account: 'customers/1234567890' },
  'meta-ads': { account: 'act_3001' },
  trello: { board: 'b1', list: 'l1' },
  asana: { project: '7001' },
}
const inputOf = (app: string, action: string, user: TestUser) =>
  ofAccount[`${app} ${action}`]?.(numberOf(user.email)) ??
  inputs[`${app} ${action}`] ??
  (action.startsWith('find-') ? { words: 'a' } : action === 'add-contact' ? { name: 'Ada Nova', email: 'ada.nova@example.com' } : {})

test('the catalogue has 26 apps in seven categories, each with three benefits and at least two actions and one trigger [spec-119] [spec-120]', async () => {
  const user = platform.user()
  const { body } = await call(user, 'list-apps')
  expect([body.apps.length, body.connected, body.available]).toEqual([26, 0, 26])
  expect(new Set(body.apps.map(({ category }: any) => category)).size).toBe(7)
  for (const { id, benefits } of apps)
    expect([id, benefits.length, Object.keys(definitionOf(id).actions).length >= 2, appTriggers.some(({ app }) => app === id)]).toEqual([
      id,
      3,
      true,
      true,
    ])
  for (const { app, pick = {} } of appTriggers)
    for (const [action] of Object.values(pick))
      expect([app, action, definitionOf(app).actions[action]?.effect]).toEqual([app, action, 'reads'])
})

test.each(apps.map(({ id }) => id))(
  '%s connects, is read, does, tells what happens there, renews or is tested again, and is revoked there when it is disconnected [spec-120] [spec-121] [spec-123] [spec-124] [spec-125]',
  async (app) => {
    const user = platform.user()
    const id = await connected(user, app)
    const { vendor, actions } = definitionOf(app)
    for (const [action, { effect }] of Object.entries(actions)) {
      const answer = await call(user, effect === 'reads' ? 'read-from-app' : 'run-app-action', {
        app,
        action,
        input: inputOf(app, action, user),
      })
      expect([app, action, answer.status, answer.body.message]).toEqual([app, action, 200, undefined])
      if (effect === 'reads') expect([app, action, answer.body.rows.length > 0]).toEqual([app, action, true])
    }
    await db.deleteFrom('rate_buckets').where('connection_id', '=', id).execute()
    await tells(user, app, id)
    await grewOld(id, user.email)
    const tested = await call(user, 'test-connection', { connection_id: id })
    // Without a refresh token nothing brings an expired one back: the person is asked to connect again.
    const lasting = !vendor || !['meta', 'linkedin', 'slack'].includes(vendor)
    expect([app, tested.body.connection.state]).toEqual([app, lasting ? 'connected' : 'broken'])
    const again = lasting ? id : await connected(user, app)
    expect((await call(user, 'disconnect-app', { connection_id: again })).body).toEqual({ disconnected: true })
    if (vendor && vendors[vendor].revoke)
      await expect.poll(async () => (await truth('revoked')).some((line) => line.email === user.email)).toBe(true)
    await expect.poll(() => db.selectFrom('revocations').select('id').where('id', '=', again).execute()).toEqual([])
    expect((await call(user, 'list-connections')).body.connections).toEqual([])
    const row = await db.selectFrom('connections').select(['sealed', 'state']).where('id', '=', again).executeTakeFirst()
    expect(row).toEqual({ sealed: null, state: 'disconnected' })
    expect(await db.selectFrom('app_watches').select('id').where('user_id', '=', user.id).execute()).toEqual([])
  },
)

/** Each trigger of the app: what was there is not told, what happens then is told once. */
async function tells(user: TestUser, app: string, connectionId: string) {
  const { triggers } = (await call(user, 'list-app-triggers', { app })).body
  expect([app, triggers.length > 0]).toEqual([app, true])
  for (const { name, title } of triggers) {
    const of = watched[app] ?? {}
    const asked = { app, trigger: name, input: typeof of === 'function' ? of(numberOf(user.email)) : of }
    const { status, body } = await call(user, 'watch-app', asked, { 'idempotency-key': crypto.randomUUID() })
    expect([app, status, body.message]).toEqual([app, 200, undefined])
    const look = async () => {
      await update(db, 'app_watches', { id: body.watch_id }, { next_at: new Date(0) })
      // As if a minute had passed.
      await db.deleteFrom('rate_buckets').where('connection_id', '=', connectionId).execute()
      await lookAtWatches(rt, workings.call)
      const rows = await db.selectFrom('outbox').select('payload').where('name', '=', appTold.name).where('user_id', '=', user.id).execute()
      return rows.map(({ payload }: any) => payload)
    }
    const { rt, ...workings } = workingsOf(platform)
    expect([app, await look()]).toEqual([app, []])
    const account = definitionOf(app).vendor ? user.email : `${user.email.split('@')[0]}@example.com`
    await fetch(`${world.sandbox}/sandbox/apps/happen`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ app, email: account }),
    })
    const told = await look()
    expect([app, told]).toEqual([
      app,
      [
        expect.objectContaining({
          watch_id: body.watch_id,
          connection_id: connectionId,
          service_name: app,
          trigger: name,
          title: expect.stringMatching(/./),
        }),
      ],
    ])
    expect(await look()).toEqual(told)
    const { watches } = (await call(user, 'list-app-triggers', { app })).body
    expect(watches).toMatchObject([{ id: body.watch_id, title, failure: null, waits: false, told_at: expect.any(String) }])
  }
}

test('a sign-in is finished by the person who began it, once, and one that is refused connects nothing [spec-121]', async () => {
  const [ann, eve] = [platform.user(), platform.user()]
  const begin = async () => (await call(ann, 'connect-app', { app: 'slack' })).body.auth_url as string
  const { answer } = await decide(await begin(), ann.email)
  expect((await call(eve, 'finish-connection', answer)).body.code).toBe('connection_attempt')
  expect((await call(ann, 'finish-connection', answer)).status).toBe(200)
  expect((await call(ann, 'finish-connection', answer)).body.code).toBe('connection_attempt')
  const denied = await decide(await begin(), ann.email, 'deny')
  expect((await call(ann, 'finish-connection', denied.answer)).body).toMatchObject({ code: 'connection_denied' })
  expect((await call(eve, 'list-connections')).body.connections).toEqual([])
  const outbox = await db
    .selectFrom('outbox')
    .select('payload')
    .where('name', '=', connectionChanged.name)
    .where('user_id', '=', ann.id)
    .execute()
  expect(outbox).toEqual([{ payload: { version: 1, service_name: 'slack', status: 'connected' } }])
})

test("the page of a sign-in is the vendor's, with the state, the challenge and the scopes that the app needs [spec-121]", async () => {
  const user = platform.user()
  for (const [name, service, vendor] of [
    ['google-oauth', 'google-drive', 'accounts.google.com'],
    ['meta-oauth', 'meta-ads', 'www.facebook.com'],
    ['notion-oauth', 'notion', 'api.notion.com'],
    ['slack-oauth', 'slack', 'slack.com'],
    ['hubspot-oauth', 'hubspot', 'app.hubspot.com'],
  ]) {
    const { body } = await call(user, name!, { action: 'initiate', service })
    expect(body.auth_url).toBe(body.authUrl)
    const url = new URL(body.auth_url)
    expect(url.pathname.startsWith(`/sandbox/apps/${vendor}/`)).toBe(true)
    expect(url.searchParams.get('redirect_uri')).toBe(`http://localhost:8080/connect/${service}`)
    expect(url.searchParams.get('state')!.length).toBeGreaterThan(40)
    if (name === 'google-oauth') expect(url.searchParams.get('code_challenge_method')).toBe('S256')
  }
})

test('a key that the app does not accept is not kept, and the form says which field is missing [spec-124]', async () => {
  const user = platform.user()
  expect((await call(user, 'connect-app', { app: 'mailersend', key: 'mlsn.wrong' })).body.code).toBe('app_key_refused')
  expect((await call(user, 'connect-app', { app: 'mailersend', key: 'mlsn.\r\nx: y' })).body.code).toBe('app_key_refused')
  expect((await call(user, 'connect-app', { app: 'trello', key: 'sandbox_1' })).body).toMatchObject({
    code: 'app_key_missing',
    message: 'Enter the api key.',
  })
  expect((await call(user, 'list-connections')).body.connections).toEqual([])
})

test('two hundred calls on an expired token that rotates: one refresh, two hundred answers [spec-125]', async () => {
  const user = platform.user()
  const id = await connected(user, 'outlook')
  await grewOld(id, user.email)
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => call(user, 'read-from-app', { app: 'outlook', action: 'find-mail', input: { words: 'offer' } })),
  )
  // So many get their turn within a person's patience.
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const { openTokens } = await import('./tokens.ts')
  const { openPlaces } = await import('../apps/place.ts')
  const rt = platform.services.integrations!.rt
  await grewOld(id, user.email)
  const row = await db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  // As many processes, each with its own tokens.
  const processes = Array.from({ length: 4 }, () => openTokens(rt as never, openPlaces(rt as never)))
  const held = await Promise.all(Array.from({ length: 200 }, (_, index) => processes[index % 4]!.fresh(row)))
  expect(new Set(held.map(({ held: { access } }) => access)).size).toBe(1)
  expect((await truth('refreshed')).filter(({ email }) => email === user.email).length).toBe(2)
  expect((await truth('refresh_reused')).filter(({ email }) => email === user.email)).toEqual([])
})

test('a connection that was cut over there breaks at the next call, is told once, and works again after connecting again [spec-125]', async () => {
  const user = platform.user()
  const id = await connected(user, 'notion')
  for (const grant of await grantsOf(user.email)) await steer(grant.id, 'cut')
  const read = () => call(user, 'read-from-app', { app: 'notion', action: 'list-databases' })
  expect((await read()).body.code).toBe('connection_broken')
  const again = await read()
  expect(again.body.message).toContain('Connect it again in the App Library')
  expect((await call(user, 'notion-api', { action: 'get_databases' })).status).toBe(409)
  const told = await db
    .selectFrom('outbox')
    .select('payload')
    .where('name', '=', connectionBroken.name)
    .where('user_id', '=', user.id)
    .execute()
  expect(told).toEqual([{ payload: { version: 1, connection_id: id, service_name: 'notion', account: expect.any(String) } }])
  expect(await connected(user, 'notion')).toBe(id)
  expect((await call(user, 'notion-api', { action: 'get_databases' })).body.databases.map(({ title }: any) => title)).toEqual([
    'Tasks',
    'Content calendar',
    'People',
    'To do',
  ])
})

test('a cut over there is noticed while the connection is in use, without a call of anybody, and an idle one is left alone [spec-125]', async () => {
  const [busy, idle] = [platform.user(), platform.user()]
  const [id, other] = await Promise.all([connected(busy, 'meta-ads'), connected(idle, 'notion')])
  await call(busy, 'create-ad-rule', { campaign_id: '4001', most_cents: 100_000_000 })
  for (const email of [busy.email, idle.email]) for (const grant of await grantsOf(email)) await steer(grant.id, 'cut')
  // The results of its calls are written a moment later.
  await wait(100)
  await db
    .updateTable('connections')
    .set({ checked_at: new Date(Date.now() - 40_000) })
    .where('id', 'in', [id, other])
    .execute()
  // Nobody has called through it for an hour.
  await update(db, 'connections', { id: other }, { last_call_at: new Date(Date.now() - 3_700_000) })
  const { rt, call: callApp } = workingsOf(platform)
  await lookAfter(rt, callApp)
  const states = await db.selectFrom('connections').select(['id', 'state']).where('id', 'in', [id, other]).execute()
  expect(Object.fromEntries(states.map((row: any) => [row.id, row.state]))).toEqual({ [id]: 'broken', [other]: 'connected' })
  const told = await db
    .selectFrom('outbox')
    .select('payload')
    .where('name', '=', connectionBroken.name)
    .where('user_id', '=', busy.id)
    .execute()
  expect(told.map(({ payload }: any) => [payload.service_name, payload.rules])).toEqual([['meta-ads', 1]])
})

test('a connection that was just made is looked at like one in use: a cut over there is told within the minute [spec-125]', async () => {
  const user = platform.user()
  const id = await connected(user, 'slack')
  for (const grant of await grantsOf(user.email)) await steer(grant.id, 'cut')
  // As if a minute had passed.
  await sql`update connections set checked_at = checked_at - interval '60 seconds', last_call_at = last_call_at - interval '60 seconds',
    created_at = created_at - interval '60 seconds' where id = ${id}`.execute(db)
  const { rt, call: callApp } = workingsOf(platform)
  await lookAfter(rt, callApp)
  const { apps: listed, ...counts } = (await call(user, 'list-apps')).body
  expect(listed.find((each: any) => each.id === 'slack').state).toBe('broken')
  expect(counts).toEqual({ connected: 0, available: 25 })
  const told = await db
    .selectFrom('outbox')
    .select('payload')
    .where('name', '=', connectionBroken.name)
    .where('user_id', '=', user.id)
    .execute()
  expect(told.map(({ payload }: any) => connectionBroken.notice!(payload, 'Operon').map(({ title }) => title))).toEqual([
    ['Slack has to be connected again'],
  ])
})

test('what was sent and not answered is not sent again under its key, and what was refused may be [spec-121]', async () => {
  const user = platform.user()
  await connected(user, 'slack')
  const post = (channel: string, key: string) =>
    call(user, 'run-app-action', { app: 'slack', action: 'post-message', input: { channel, text: 'Sold!' } }, { 'idempotency-key': key })
  const posted = async () => (await truth('message')).filter(({ email }) => email === user.email).length
  const first = await post('#sales', 'once')
  expect((await post('#sales', 'once')).body).toEqual(first.body)
  expect(await posted()).toBe(1)
  expect((await post('#nowhere', 'twice')).body).toMatchObject({ code: 'app_refused', message: 'Slack refused: channel_not_found' })
  await platform.fault({ provider: 'apps', account: user.email, match: 'chat.postMessage', kind: 'reset_after' })
  const lost = await post('#sales', 'lost')
  expect([lost.status, lost.body.code]).toEqual([502, 'app_unknown_outcome'])
  expect((await post('#sales', 'lost')).body.code).toBe('app_unknown_outcome')
  expect(await posted()).toBe(2)
})

test('an app that asks for patience gets it: the caller is told when, and another connection is not delayed', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  await Promise.all([connected(ann, 'notion'), connected(bob, 'notion')])
  const read = (user: TestUser) => call(user, 'read-from-app', { app: 'notion', action: 'list-databases' })
  await platform.fault({ provider: 'apps', account: ann.email, kind: 'status', status: 429, retry_after: 60 })
  expect((await read(ann)).body).toMatchObject({ code: 'app_busy', details: { retry_after_seconds: 60 } })
  expect((await read(ann)).status).toBe(429)
  expect((await read(bob)).status).toBe(200)
})

test('disconnecting one app of Google leaves another of the same account at work, and the last one is revoked there [spec-125]', async () => {
  const user = platform.user()
  const mail = await connected(user, 'gmail')
  const drive = await connected(user, 'google-drive')
  await call(user, 'disconnect-app', { connection_id: mail })
  expect((await call(user, 'read-from-app', { app: 'google-drive', action: 'list-recent-files' })).status).toBe(200)
  const revoked = async () => (await truth('revoked')).filter(({ email }) => email === user.email).length
  expect(await revoked()).toBe(0)
  await call(user, 'disconnect-app', { connection_id: drive })
  await expect.poll(revoked).toBe(1)
})

test('two windows that finish at once leave one connection that works, and accounts that end at once leave none [spec-119]', async () => {
  const user = platform.user()
  const answers = []
  for (let n = 0; n < 6; n++) {
    const { auth_url } = (await call(user, 'connect-app', { app: 'notion' })).body
    answers.push((await decide(auth_url, user.email)).answer)
  }
  const done = await Promise.all(answers.map((answer) => call(user, 'finish-connection', answer)))
  expect(new Set(done.map(({ body }) => body.connection.id)).size).toBe(1)
  expect((await call(user, 'read-from-app', { app: 'notion', action: 'list-databases' })).status).toBe(200)
  await connected(user, 'notion', `second-${user.email}`)
  const { connections } = (await call(user, 'list-connections')).body
  await Promise.all(connections.map(({ id }: any) => call(user, 'disconnect-app', { connection_id: id })))
  const row = await db.selectFrom('user_integrations').select('integration_status').where('user_id', '=', user.id).executeTakeFirstOrThrow()
  expect([connections.length, row.integration_status]).toEqual([2, 'disconnected'])
})

test('nobody reads, tests or ends the connection of another, and no answer holds a token', async () => {
  const [ann, eve] = [platform.user(), platform.user()]
  const connection_id = await connected(ann, 'asana')
  for (const name of ['show-connection', 'test-connection', 'disconnect-app'])
    expect([name, (await call(eve, name, { connection_id })).status]).toEqual([name, 404])
  expect((await call(eve, 'read-from-app', { app: 'asana', action: 'list-projects', connection_id })).body.code).toBe('app_not_connected')
  const seen = JSON.stringify([
    await call(ann, 'list-connections'),
    await call(ann, 'show-connection', { connection_id }),
    await call(ann, 'list-apps'),
  ])
  expect(seen).not.toMatch(/apptok|appref|sealed/)
  const row = await db.selectFrom('connections').select('sealed').where('id', '=', connection_id).executeTakeFirstOrThrow()
  expect(row.sealed).toMatch(/^v1\./)
})

test('a person is given their connections without a token, and an account that is deleted takes its access back at every app', async () => {
  const user = platform.user()
  await connected(user, 'google-drive')
  await call(user, 'connect-app', { app: 'slack' })
  await call(
    user,
    'run-app-action',
    { app: 'google-drive', action: 'make-folder', input: { name: 'Offers' } },
    { 'idempotency-key': 'one' },
  )
  await expect.poll(() => db.selectFrom('connection_calls').select('id').where('user_id', '=', user.id).execute()).toHaveLength(1)
  const { rt } = platform.services.integrations!
  const given: Record<string, number> = {}
  for (let from: any = null, more = true; more; ) {
    const piece = await rt.ask(exportUser('integrations'), { user_id: user.id, from })
    given[piece.name] = piece.rows.length
    expect(JSON.stringify(piece.rows)).not.toMatch(/sealed|v1\./)
    from = piece.next
    more = from !== null
  }
  expect(given).toMatchObject({ connections: 1, connection_calls: 1, app_effects: 1, oauth_attempts: 1 })
  await platform.emit(userDeleted, user.id, { version: 2 })
  await expect.poll(async () => (await truth('revoked')).some(({ email }) => email === user.email)).toBe(true)
  await expect.poll(() => db.selectFrom('connections').select('id').where('user_id', '=', user.id).execute()).toEqual([])
})
