import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'
import { integrationsService } from '../../service.ts'
import { connectingIn } from '../../testing.ts'

const platform = await startTestPlatform([integrationsService, sandboxService])
const world = connectingIn(platform)
const address = (await (await fetch(`${world.sandbox}/sandbox/apps/dav`)).text()).match(/<code>(http:[^<]+)<\/code>/)![1]!
let strange: (request: IncomingMessage, response: ServerResponse) => void = () => {}
const asked: { method: string; url: string; authorization: string | undefined }[] = []
const server = createServer((request, response) => {
  asked.push({ method: request.method!, url: request.url!, authorization: request.headers.authorization })
  strange(request, response)
})
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
const stranger = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await platform.close()
})

const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const at = (hour: number) => `${day}T${String(hour).padStart(2, '0')}:00:00.000Z`
const call = (user: TestUser, name: string, body: object) => world.call(user, name, body, { 'idempotency-key': crypto.randomUUID() })
const there = (user: TestUser, name: string, fields: Record<string, string>, calendar = 'home') =>
  fetch(`${world.sandbox}/sandbox/apps/dav/put`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email: user.email, calendar, name, ...fields }),
  })
const account = (user: TestUser, more: object = {}) => ({ server: address, user: user.email, password: 'sandbox_one', ...more })
async function connected(user: TestUser, more: { server?: string } = {}) {
  const { calendars } = (await call(user, 'find-caldav-calendars', account(user, more))).body
  const home = calendars.find(({ name }: any) => name === 'Home').url
  const answer = (await call(user, 'connect-caldav-calendars', { ...account(user, more), calendars: [home] })).body
  return answer.calendars[0].connection_id as string
}
const changes = async (user: TestUser, connection_id: string, cursor?: string) =>
  (await call(user, 'list-calendar-changes', { connection_id, ...(cursor && { cursor }) })).body
const series = (lines: string[], uid = 'weekly') =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20261001T000000Z',
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n')
const stamp = (iso: string) => `${iso.slice(0, 19).replace(/[-:]/g, '')}Z`

test('the calendars of an account are found from its address, and those that are chosen are connected, apart from the apps [spec-131]', async () => {
  const user = platform.user()
  const found = (await call(user, 'find-caldav-calendars', account(user))).body
  expect(found.calendars.map(({ name, writable, connected }: any) => [name, writable, connected])).toEqual([
    ['Home', true, false],
    ['Work', true, false],
    ['Birthdays', false, false],
  ])
  const id = await connected(user)
  const { calendars } = (await call(user, 'list-caldav-calendars', {})).body
  expect(calendars).toMatchObject([{ connection_id: id, name: 'Home', user: user.email, state: 'connected' }])
  expect(JSON.stringify(calendars)).not.toContain('sandbox_one')
  const { sealed } = await world.db.selectFrom('connections').select('sealed').where('id', '=', id).executeTakeFirst()
  expect(sealed).not.toContain('sandbox_one')
  // It is none of the 26 apps.
  expect((await call(user, 'list-connections', {})).body.connections).toEqual([])
  expect((await call(user, 'list-apps', {})).body).toMatchObject({ connected: 0, available: 26 })
  expect((await call(user, 'show-connection', { connection_id: id })).status).toBe(404)
  // A calendar that the server does not name is not called.
  const other = await call(user, 'connect-caldav-calendars', { ...account(user), calendars: [`${stranger}/dav/mine/`] })
  expect(other.body.code).toBe('app_input')
  expect((await call(user, 'disconnect-caldav-calendar', { connection_id: id })).body).toEqual({ disconnected: true })
  expect((await changes(user, id)).code).toBe('app_not_connected')
})

test('a wrong password, no such server, an address without CalDAV and one that never answers are told apart, and nothing is kept', async () => {
  const user = platform.user()
  const said = async (more: object) => {
    const { body } = await call(user, 'find-caldav-calendars', account(user, more))
    return [body.code, body.message]
  }
  expect(await said({ password: 'wrong' })).toEqual([
    'app_key_refused',
    expect.stringContaining('did not accept this user name and password'),
  ])
  expect(
    (await call(user, 'connect-caldav-calendars', { ...account(user, { password: 'wrong' }), calendars: [`${address}/x/`] })).body.code,
  ).toBe('app_key_refused')
  expect(await said({ server: 'http://127.0.0.1:1/' })).toEqual(['upstream_failed', expect.stringContaining('could not be reached')])
  expect((await said({ server: 'ftp://example.com' }))[0]).toBe('caldav_server')
  expect((await said({ server: 'http://example.com' }))[0]).toBe('blocked_address')
  for (const inside of ['https://10.0.0.1/', 'https://169.254.169.254/', 'https://[fd00::1]/'])
    expect((await said({ server: inside }))[0]).toBe('blocked_address')
  strange = (_request, response) => response.end('<html>Welcome</html>')
  expect((await said({ server: stranger }))[0]).toBe('caldav_server')
  strange = () => {}
  const began = Date.now()
  expect(await said({ server: stranger })).toEqual(['upstream_timeout', expect.stringContaining('did not answer in time')])
  expect(Date.now() - began).toBeLessThan(30_000)
  expect(await world.db.selectFrom('connections').select('id').where('user_id', '=', user.id).execute()).toEqual([])
}, 60_000)

test('a redirect into the private network is refused, an answer of 50 MB is cut off', async () => {
  const user = platform.user()
  const code = async () => (await call(user, 'find-caldav-calendars', account(user, { server: stranger }))).body.code
  for (const to of ['https://10.0.0.1/dav/', 'https://169.254.169.254/latest/meta-data/']) {
    strange = (_request, response) => response.writeHead(301, { location: to }).end()
    expect(await code()).toBe('blocked_address')
  }
  // The password goes nowhere without https.
  strange = (_request, response) => response.writeHead(301, { location: 'http://example.com/dav/' }).end()
  expect(await code()).toBe('blocked_address')
  let sent = 0
  strange = (_request, response) => {
    response.writeHead(207, { 'content-type': 'application/xml' })
    const piece = Buffer.alloc(1024 * 1024, 'x')
    const more = () => {
      for (; sent < 50 && !response.destroyed; sent++) if (!response.write(piece)) return response.once('drain', more)
      return response.end()
    }
    more()
  }
  expect(await code()).toBe('upstream_failed')
  expect(sent).toBeLessThan(20)
})

test.each(['dav', 'olddav'])(
  'below /%s/ all is listed once, then what has changed, and what is gone is named or left out of a new list [spec-131]',
  async (root) => {
    const user = platform.user()
    const id = await connected(user, { server: `${address}/${root}/` })
    await there(user, 'a.ics', { title: 'Dentist', start: at(9), end: at(10) })
    const all = await changes(user, id)
    expect(all.events).toMatchObject([{ title: 'Dentist', starts_at: at(9), ends_at: at(10), busy: true, removed: false }])
    expect([all.more, all.reset]).toEqual([false, false])
    expect((await changes(user, id, all.cursor)).events).toEqual([])
    await there(user, 'b.ics', { data: series([`DTSTART:${stamp(at(11))}`, 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=3']) })
    const added = await changes(user, id, all.cursor)
    const dates = added.events.filter(({ series }: any) => series)
    expect(dates.map(({ starts_at }: any) => starts_at)[0]).toBe(at(11))
    expect([dates.length, dates[0].series, added.anew.includes(dates[0].series)]).toEqual([3, added.anew.at(-1), true])
    await there(user, 'b.ics', { data: series([`DTSTART:${stamp(at(11))}`, 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=2']) })
    const fewer = await changes(user, id, added.cursor)
    expect(fewer.events.filter(({ series }: any) => series)).toHaveLength(2)
    await there(user, 'a.ics', { gone: 'yes' })
    const gone = await changes(user, id, fewer.cursor)
    if (root === 'dav') expect(gone).toMatchObject({ reset: false, events: [{ removed: true, id: all.events[0].id }] })
    else expect([gone.reset, gone.events.some(({ title }: any) => title === 'Dentist')]).toEqual([true, false])
    expect((await changes(user, id, 'made-up')).code).toBe('invalid')
  },
)

test('a token that the server keeps no longer begins anew, and a long list comes in pages between which nothing is lost', async () => {
  const user = platform.user()
  const id = await connected(user)
  for (let n = 0; n < 120; n++) await there(user, `${String(n).padStart(3, '0')}.ics`, { title: `n${n}`, start: at(9), end: at(10) })
  const titles = new Map<string, string>()
  const take = ({ events }: any) => {
    for (const event of events) event.removed ? titles.delete(event.id) : titles.set(event.id, event.title)
  }
  let page = await changes(user, id)
  take(page)
  expect([page.events.length, page.more]).toEqual([50, true])
  // Changed behind the place that the list has come to.
  await there(user, '001.ics', { title: 'changed', start: at(9), end: at(10) })
  await there(user, '002.ics', { gone: 'yes' })
  const goOn = async () => {
    page = await changes(user, id, page.cursor)
    take(page)
  }
  while (page.more) await goOn()
  expect(titles.size).toBe(120)
  await goOn()
  expect([titles.size, [...titles.values()].includes('changed'), page.more]).toEqual([119, true, false])
  await fetch(`${world.sandbox}/sandbox/apps/dav/forget`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email: user.email }),
  })
  const again = await changes(user, id, page.cursor)
  expect([again.reset, again.events.length]).toEqual([true, 50])
})

test('what is written stands there once, is changed only as it was read, and is taken out; the calendar itself is out of reach', async () => {
  const user = platform.user()
  const connection_id = await connected(user)
  const { cursor } = await changes(user, connection_id)
  const key = crypto.randomUUID()
  const event = { title: 'Website review', starts_at: at(14), ends_at: at(15), notes: 'Bring the list' }
  const write = async (more: object) => (await call(user, 'write-calendar-event', { connection_id, key, event, ...more })).body
  const made = await write({})
  expect(made).toMatchObject({ outcome: 'written', event: { title: 'Website review', starts_at: at(14), key, busy: true } })
  // As after a lost answer: the same key makes no second event.
  expect((await write({})).event.id).toBe(made.event.id)
  expect((await changes(user, connection_id, cursor)).events).toMatchObject([{ id: made.event.id, key }])
  const name = decodeURIComponent(made.event.id.split('/').at(-1))
  const before = { event_id: made.event.id, etag: made.event.etag }
  await there(user, name, { title: 'Moved by its owner' })
  expect(await write({ ...before, event: { ...event, title: 'Ours' } })).toMatchObject({
    outcome: 'conflict',
    event: { title: 'Moved by its owner' },
  })
  expect(await write({ event_id: made.event.id, event: { ...event, title: 'Ours', starts_at: at(13) } })).toMatchObject({
    outcome: 'written',
    event: { title: 'Ours', starts_at: at(13) },
  })
  expect((await write({ ...before, event: null })).outcome).toBe('conflict')
  for (const elsewhere of [
    '/dav/',
    made.event.id.replace(name, ''),
    `${made.event.id}/../../work/`,
    `${stranger}/x`,
    'https://example.com/a.ics',
  ])
    expect([elsewhere, (await write({ event_id: elsewhere, event: null })).code]).toEqual([elsewhere, 'app_input'])
  await there(user, 'weekly.ics', { data: series([`DTSTART:${stamp(at(16))}`, 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY']) })
  expect((await write({ event_id: made.event.id.replace(name, 'weekly.ics') })).code).toBe('app_input')
  expect(await write({ event_id: made.event.id, event: null })).toEqual({ outcome: 'removed', event: null })
  expect((await write({ event_id: made.event.id, event: null })).outcome).toBe('removed')
  expect((await write({ event_id: made.event.id })).outcome).toBe('gone')
  expect((await call(user, 'watch-calendar', { connection_id })).body).toEqual({ told: false, until: null })
})

test('a password that ends is told once, and a new one mends every calendar of the account; nobody reaches those of another', async () => {
  const [user, eve] = [platform.user(), platform.user()]
  const { calendars } = (await call(user, 'find-caldav-calendars', account(user))).body
  const urls = calendars.slice(0, 2).map(({ url }: any) => url)
  const [home, work] = (await call(user, 'connect-caldav-calendars', { ...account(user), calendars: urls })).body.calendars
  await platform.fault({ provider: 'apps', account: user.email, kind: 'status', status: 401, times: 4 })
  for (const { connection_id } of [home, work]) expect(await changes(user, connection_id)).toMatchObject({ code: 'connection_broken' })
  expect((await changes(user, home.connection_id)).message).toMatch(/password/)
  const states = async () => (await call(user, 'list-caldav-calendars', {})).body.calendars.map(({ state }: any) => state)
  expect(await states()).toEqual(['broken', 'broken'])
  await platform.mend(user.email)
  await call(user, 'connect-caldav-calendars', { ...account(user, { password: 'sandbox_two' }), calendars: [urls[0]] })
  expect(await states()).toEqual(['connected', 'connected'])
  expect((await changes(user, work.connection_id)).events).toEqual([])

  expect((await changes(eve, home.connection_id)).code).toBe('app_not_connected')
  expect((await call(eve, 'disconnect-caldav-calendar', { connection_id: home.connection_id })).body).toEqual({ disconnected: false })
  expect((await call(eve, 'list-caldav-calendars', {})).body.calendars).toEqual([])
})

test('once it is connected, no redirect and no answer leads to another host', async () => {
  const user = platform.user()
  const id = await connected(user)
  const { base } = { base: `${stranger}/cal/` }
  const row = await world.db.selectFrom('connections').select(['sealed']).where('id', '=', id).executeTakeFirst()
  const vault = (platform.services.integrations!.rt as any).vault
  const held = JSON.parse(vault.open(row.sealed, `connections:${id}`))
  await world.db
    .updateTable('connections')
    .set({ sealed: vault.seal(JSON.stringify({ ...held, base }), `connections:${id}`) })
    .where('id', '=', id)
    .execute()
  strange = (_request, response) => response.writeHead(302, { location: `${address}/dav/` }).end()
  expect((await changes(user, id)).code).toBe('blocked_address')
  const multistatus = (inside: string) => `<d:multistatus xmlns:d="DAV:">${inside}</d:multistatus>`
  strange = (_request, response) =>
    response
      .writeHead(207, { 'content-type': 'application/xml' })
      .end(
        multistatus(
          `<d:response><d:href>${address}/dav/x.ics</d:href><d:propstat><d:prop/><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`,
        ),
      )
  asked.length = 0
  expect((await changes(user, id)).events).toEqual([])
  expect(asked.every(({ url }) => url.startsWith('/cal/'))).toBe(true)
})
