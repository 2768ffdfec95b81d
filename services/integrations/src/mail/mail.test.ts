import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'
import { integrationsService } from '../service.ts'
import { connectingIn, workingsOf } from '../testing.ts'
import { findMailWith } from './find.ts'
import { parties } from './wire.ts'
import { mailWireOf } from './wires.ts'

const platform = await startTestPlatform([integrationsService, sandboxService])
const { db, call, connected, grantsOf, grewOld, steer, sandbox } = connectingIn(platform)
afterAll(() => platform.close())

type Fields = { from?: string; to?: string; subject: string; at?: string; text?: string; draft?: string }
/** Puts an email into the mailbox over there. */
const arrives = (app: 'gmail' | 'outlook', account: string, fields: Fields) =>
  fetch(`${sandbox}/sandbox/apps/happen`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ app, email: account, ...fields }),
  })
const allow = async (user: TestUser, connection_id: string, on_timelines = true) =>
  call(user, 'update-mailbox', { connection_id, on_timelines }, { 'idempotency-key': crypto.randomUUID() })
const find = async (user: TestUser, address = 'ann@x.com', more: object = {}) =>
  (await call(user, 'find-mail-with', { addresses: [address], ...more })).body
const subjects = ({ messages }: any) => messages.map(({ subject }: any) => subject)
const day = (number: number) => `2026-10-${String(number).padStart(2, '0')}T09:00:00.000Z`
/** As if a minute had passed for the app's limit. */
const rested = (id: string) => db.deleteFrom('rate_buckets').where('connection_id', '=', id).execute()
const callsOf = async (id: string) => {
  await new Promise((resolve) => setTimeout(resolve, 80))
  return db.selectFrom('connection_calls').select('action').where('connection_id', '=', id).where('action', '<>', 'look').execute()
}

test('no mailbox is asked before its owner allows it, nor after they take it back or disconnect it', async () => {
  const ann = platform.user()
  const id = await connected(ann, 'gmail')
  await arrives('gmail', ann.email, { from: 'ann@x.com', subject: 'Hello' })
  expect(await find(ann)).toMatchObject({ messages: [], mailboxes: [{ state: 'off' }], cursor: null })
  expect(await callsOf(id)).toEqual([])
  expect((await call(ann, 'list-connections')).body.connections[0].mailbox).toEqual({ on_timelines: false, readable: true })

  expect((await allow(ann, id)).body).toEqual({ connection_id: id, on_timelines: true })
  expect(subjects(await find(ann))).toEqual(['Hello'])
  await allow(ann, id, false)
  expect(subjects(await find(ann))).toEqual([])

  await allow(ann, id)
  await call(ann, 'disconnect-app', { connection_id: id })
  expect(await find(ann)).toMatchObject({ messages: [], mailboxes: [] })
  // The vendor takes back all of the account's tokens, those of a later consent as well.
  await expect.poll(() => db.selectFrom('revocations').select('id').where('id', '=', id).execute()).toEqual([])
  expect(await connected(ann, 'gmail')).toBe(id)
  expect(await find(ann)).toMatchObject({ messages: [], mailboxes: [{ state: 'off' }] })
})

test.each(['gmail', 'outlook'] as const)('%s answers with emails from and to the address itself, letter by letter', async (app) => {
  const ann = platform.user()
  const id = await connected(ann, app)
  await allow(ann, id)
  await arrives(app, ann.email, { from: 'Ann Poe <ANN@x.com>', to: ann.email, subject: 'From her', at: day(3), text: 'First words' })
  await arrives(app, ann.email, { from: ann.email, to: 'ann@x.com', subject: 'To her', at: day(4) })
  await arrives(app, ann.email, { from: 'ann@x.com', subject: 'Not sent yet', at: day(5), draft: 'true' })
  await arrives(app, ann.email, { from: 'joann@x.com', subject: 'Another', at: day(6) })
  await arrives(app, ann.email, { from: 'mary.ann@x.com', subject: 'Longer', at: day(7) })
  await arrives(app, ann.email, { from: '"ann@x.com" <eve@y.example>', subject: 'Called so', at: day(8) })
  await arrives(app, ann.email, { from: 'ann@x.com.evil.example', subject: 'Elsewhere', at: day(9) })
  const found = await find(ann)
  expect(subjects(found)).toEqual(['To her', 'From her'])
  expect(found.messages[1]).toMatchObject({
    ...{ connection_id: id, from: { name: 'Ann Poe', address: 'ann@x.com' }, to: [{ address: ann.email }], at: day(3) },
    ...{ snippet: 'First words', url: expect.stringMatching(/^https:\/\/(mail\.google|outlook\.office)\.com\//) },
  })
  expect(found.mailboxes).toEqual([{ connection_id: id, app, account: ann.email, state: 'read', failure: null }])
  // Every email is with the owner of the mailbox: noted as a contact, they are not everything.
  await rested(id)
  expect(subjects(await find(ann, ann.email))).toEqual([])
})

test.each(['gmail', 'outlook'] as const)('an address with a quote asks %s for nothing more than itself', async (app) => {
  const ann = platform.user()
  const id = await connected(ann, app)
  await allow(ann, id)
  await arrives(app, ann.email, { from: 'secret@y.example', subject: 'A secret' })
  await arrives(app, ann.email, { from: 'a"b@x.com', subject: 'With a quote' })
  for (const address of ['a"b@x.com', 'x"or"from:secret@y.example', '"}{from:"secret@y.example"}', '\\"participants:secret@y.example']) {
    await rested(id)
    const found = await find(ann, address)
    expect([address, found.mailboxes?.[0].state]).toEqual([address, 'read'])
    // The search is for a phrase of its words, so that a header with a quote in it is found by its own words alone.
    expect([address, subjects(found).filter((subject: string) => subject !== 'With a quote')]).toEqual([address, []])
  }
  const { $search, q } = mailWireOf(app).list(['a"b\\@x.com'], 5).query!
  expect($search ?? q).toBe(
    app === 'outlook'
      ? String.raw`"participants:\"a b @x.com\""`
      : '{from:"a b @x.com" to:"a b @x.com" cc:"a b @x.com" bcc:"a b @x.com"} -in:drafts',
  )
  expect((await call(ann, 'find-mail-with', { addresses: ['a b@x.com'] })).status).toBe(400)
})

test('two mailboxes are one list by date, page after page, with nothing twice and nothing left out', async () => {
  const ann = platform.user()
  const mine = await connected(ann, 'gmail')
  const work = await connected(ann, 'outlook', `work-${ann.email}`)
  await allow(ann, mine)
  await allow(ann, work)
  // One is busier than the other, and three share a moment.
  for (let n = 1; n <= 11; n++) await arrives('gmail', ann.email, { from: 'ann@x.com', subject: `g${n}`, at: day(n) })
  for (const n of [2, 4, 28, 29]) await arrives('outlook', `work-${ann.email}`, { from: 'ann@x.com', subject: `o${n}`, at: day(n) })
  await arrives('gmail', ann.email, { from: 'ann@x.com', subject: 'g4 too', at: day(4) })
  // Emails with others lie between, and are none of it.
  for (let n = 5; n <= 9; n++) await arrives('gmail', ann.email, { from: 'mary.ann@x.com', subject: 'other', at: day(n) })

  const seen: any[] = []
  let pages = 0
  for (let cursor: string | null = null; pages === 0 || cursor; pages++) {
    await rested(mine)
    await rested(work)
    const page: any = await find(ann, 'ann@x.com', { limit: 4, ...(cursor && { cursor }) })
    expect(page.messages.length).toBeLessThanOrEqual(4)
    seen.push(...page.messages)
    cursor = page.cursor
    expect(pages).toBeLessThan(15)
  }
  expect(pages).toBeGreaterThan(3)
  const at = seen.map((message) => message.at)
  expect(at).toEqual([...at].sort().reverse())
  const all = [...Array.from({ length: 11 }, (_, n) => `g${n + 1}`), 'g4 too', 'o2', 'o4', 'o28', 'o29']
  expect(seen.map(({ subject }) => subject).sort()).toEqual(all.sort())
  expect((await call(ann, 'find-mail-with', { addresses: ['ann@x.com'], cursor: 'bm9uZQ' })).body.code).toBe('invalid')
})

test('a mailbox that is broken, refuses or was approved without reading says so, and the other is shown', async () => {
  const ann = platform.user()
  const mine = await connected(ann, 'gmail')
  const work = await connected(ann, 'outlook', `work-${ann.email}`)
  await allow(ann, mine)
  await allow(ann, work)
  await arrives('gmail', ann.email, { from: 'ann@x.com', subject: 'Hello' })
  const states = ({ mailboxes }: any) => mailboxes.map(({ state }: any) => state)
  await platform.fault({ provider: 'apps', account: `work-${ann.email}`, kind: 'status', status: 503, times: 5 })
  const tried = await find(ann)
  expect([subjects(tried), states(tried)]).toEqual([['Hello'], ['read', 'failed']])
  expect(tried.mailboxes[1].failure).toMatch(/./)
  await platform.mend(`work-${ann.email}`)

  for (const grant of await grantsOf(`work-${ann.email}`)) await steer(grant.id, 'cut')
  // The first call finds out; the second one is not made.
  const made: number[] = []
  for (let n = 0; n < 2; n++) {
    const found = await find(ann)
    expect([subjects(found), states(found)]).toEqual([['Hello'], ['read', 'broken']])
    made.push((await callsOf(work)).length)
  }
  expect(made[1]).toBe(made[0])
  await db
    .updateTable('connections')
    .set({ scopes: ['openid', 'https://www.googleapis.com/auth/gmail.send'] })
    .where('id', '=', mine)
    .execute()
  const refused = await find(ann)
  expect([subjects(refused), states(refused)]).toEqual([[], ['no_access', 'broken']])
  expect((await call(ann, 'list-connections', { app: 'gmail' })).body.connections[0].mailbox).toEqual({
    on_timelines: true,
    readable: false,
  })
})

test.each([
  ['does not answer', 'messages', async () => {}],
  ['does not give a new token', 'token', (id: string, email: string) => grewOld(id, email)],
])('a mailbox that %s says so in time, and the other is shown', { timeout: 15_000 }, async (_, match, before) => {
  const ann = platform.user()
  const mine = await connected(ann, 'gmail')
  const work = await connected(ann, 'outlook', `work-${ann.email}`)
  await allow(ann, mine)
  await allow(ann, work)
  await arrives('gmail', ann.email, { from: 'ann@x.com', subject: 'Hello' })
  await before(work, `work-${ann.email}`)
  await platform.fault({ provider: 'apps', account: `work-${ann.email}`, match, kind: 'hung', times: 5 })
  const ctx: any = { db, actor: { kind: 'user', id: ann.id }, signal: new AbortController().signal }
  const started = performance.now()
  const found = await findMailWith(ctx, { addresses: ['ann@x.com'], limit: 10 }, workingsOf(platform).call, 500)
  expect(performance.now() - started).toBeLessThan(2500)
  expect(subjects(found)).toEqual(['Hello'])
  expect(found.mailboxes.map(({ state, failure }) => [state, failure])).toEqual([
    ['read', null],
    ['failed', 'It did not answer in time.'],
  ])
  await platform.mend(`work-${ann.email}`)
})

test("nobody sees or switches another's mailbox, and only a mailbox has the switch", async () => {
  const [ann, eve] = [platform.user(), platform.user()]
  const id = await connected(ann, 'gmail')
  await allow(ann, id)
  await arrives('gmail', ann.email, { from: 'ann@x.com', subject: 'Hello' })
  expect(await find(eve)).toMatchObject({ messages: [], mailboxes: [] })
  expect((await allow(eve, id, false)).status).toBe(404)
  const { cursor } = await find(ann, 'ann@x.com', { limit: 1 })
  expect(cursor).toBeNull()
  const forged = Buffer.from(JSON.stringify({ [id]: {} })).toString('base64url')
  expect(await find(eve, 'ann@x.com', { cursor: forged })).toMatchObject({ messages: [], mailboxes: [] })
  expect((await allow(ann, await connected(ann, 'google-drive'))).status).toBe(404)
})

test('people of a header are told apart by where their addresses stand', () => {
  expect(parties('"Ortega, Ines" <ines@example.com>, tom@example.com (Tom)')).toEqual([
    { name: 'Ortega, Ines', address: 'ines@example.com' },
    { name: null, address: 'tom@example.com' },
  ])
  expect(parties('"<ann@x.com>" <eve@y.example>')).toEqual([{ name: '<ann@x.com>', address: 'eve@y.example' }])
  expect(parties(String.raw`"An \"Ann\"" <Ann@X.com>`)).toEqual([{ name: 'An "Ann"', address: 'ann@x.com' }])
  expect(parties('"unclosed <ann@x.com>, undisclosed-recipients:;')).toEqual([{ name: 'unclosed', address: 'ann@x.com' }])
  expect(parties(undefined)).toEqual([])
  // Eight times as long takes eight times as much, where looking back would take 64 times.
  const least = (length: number) =>
    Math.min(
      ...Array.from({ length: 3 }, () => {
        const started = performance.now()
        parties('"<'.repeat(length))
        return performance.now() - started
      }),
    )
  expect(least(160_000) / Math.max(1, least(20_000))).toBeLessThan(30)
})
