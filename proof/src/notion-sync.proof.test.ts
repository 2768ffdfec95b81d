import { connectionChanged } from '@operon/contracts/integrations/events'
import { loadDefinitions } from '@operon/deploy/services'
import { connectingIn } from '@operon/integrations/testing'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'

const all = await loadDefinitions()
const platform = await startTestPlatform(['crm', 'integrations', 'sandbox'].map((name) => all.find((each) => each.name === name)!))
const world = connectingIn(platform)
const db: any = platform.services.crm!.rt.db
afterAll(() => platform.close())

const database = { database_id: 'db-3' }
const columns = { name: 'title', email: 'em', phone: 'ph', company: 'co' }
type Person = { name?: string; Email?: string; Phone?: string; Company?: string; archived?: '1' | '0' }

/** As somebody adds or changes a row in Notion itself. */
const there = ({ email }: { email: string }, row: string, { name, ...fields }: Person) =>
  fetch(`${world.sandbox}/sandbox/apps/notion/${row}`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email, database: 'db-3', ...(name !== undefined && { title: name }), ...fields }),
  })
const call = async (user: TestUser, name: string, body: object = {}) => {
  const { status, body: answer } = await platform.call(name, user, body)
  return { status, ...answer }
}
const row = async (user: TestUser, id: string, connection_id?: string) =>
  (await world.call(user, 'list-notion-changes', { connection_id, ...database, columns: Object.values(columns) })).body.rows.find(
    (each: any) => each.id === id,
  )
const rowsOf = async (user: TestUser, connection_id: string): Promise<any[]> =>
  (await world.call(user, 'list-notion-changes', { connection_id, ...database, columns: Object.values(columns) })).body.rows
const contactsOf = async (user: TestUser) =>
  db
    .selectFrom('leads')
    .select(['id', 'name', 'email', 'phone', 'company', 'version'])
    .where('user_id', '=', user.id)
    .orderBy('email')
    .execute()
const kept = async (user: TestUser) => (await sql<any>`select * from notion_syncs where user_id = ${user.id}`.execute(db)).rows[0]
/** Until no run is at work and none is due. */
const settled = async (user: TestUser) => {
  await expect
    .poll(
      async () =>
        (await sql`select from notion_syncs where user_id = ${user.id} and lease is null and due_at > now()`.execute(db)).rows.length,
      {
        timeout: 30_000,
        interval: 50,
      },
    )
    .toBe(1)
  return (await call(user, 'show-notion-sync')).sync
}
async function started(user: TestUser, connection_id: string, more: object = {}) {
  const { status, message } = await call(user, 'start-notion-sync', { connection_id, ...database, columns, adds: true, ...more })
  expect([status, message]).toEqual([200, undefined])
  return settled(user)
}
async function again(user: TestUser) {
  const { sync } = await call(user, 'show-notion-sync')
  expect((await call(user, 'run-notion-sync', { sync_id: sync.id })).status).toBe(200)
  return settled(user)
}
/** A person with a row for Ines in Notion, and the contact that it became. */
async function level(more: object = {}) {
  const user = platform.user()
  const connection = await world.connected(user, 'notion')
  await there(user, 'ines', { name: 'Ines Ortega', Email: 'ines@cafe.example', Phone: '+351 910 000 000', Company: 'Harbour' })
  const sync = await started(user, connection, more)
  const [{ id }] = await contactsOf(user)
  return { user, connection, sync, id }
}

test('columns are proposed by type and name', async () => {
  const user = platform.user()
  const connection_id = await world.connected(user, 'notion')
  const found = await call(user, 'propose-notion-sync', { connection_id, ...database })
  expect(found).toMatchObject({ title: 'People', proposal: { ...columns, job_title: null } })
  const twice = { connection_id, ...database, columns: { name: 'title', email: 'title' }, adds: false }
  expect(await call(user, 'start-notion-sync', twice)).toMatchObject({ status: 400, code: 'app_input' })
  expect(await call(user, 'start-notion-sync', { ...twice, columns: { name: 'title', email: 'zz' } })).toMatchObject({ code: 'app_input' })
})

test('the first sync finds contacts by their address, fills what is empty, adds the others to both sides, and the next one changes nothing', async () => {
  const user = platform.user()
  const connection = await world.connected(user, 'notion')
  await call(user, 'create-contact', { name: 'Ines Ortega', email: 'ines@cafe.example', company: 'Harbour' })
  await call(user, 'create-contact', { name: 'Only Here', email: 'here@cafe.example' })
  await call(user, 'create-contact', { name: 'No Address' })
  await there(user, 'ines', { name: 'Ines Ortega', Email: 'INES@cafe.example', Phone: '+351 910 000 000' })
  await there(user, 'twin', { name: 'Ines again', Email: 'ines@cafe.example' })
  await there(user, 'theirs', { name: 'Only There', Email: 'there@cafe.example', Company: 'Pier' })
  await there(user, 'nobody', { name: 'No address' })
  const sync = await started(user, connection)
  expect(sync).toMatchObject({ linked: 3, conflicts: 0, unlinked: 0, skipped: 2, failure: null, synced_at: expect.any(String) })
  const contacts = await contactsOf(user)
  expect(contacts).toMatchObject([
    { name: 'Only Here', email: 'here@cafe.example' },
    { name: 'Ines Ortega', phone: '+351 910 000 000', company: 'Harbour' },
    { name: 'Only There', email: 'there@cafe.example', company: 'Pier' },
    { name: 'No Address', email: null },
  ])
  const rows = await rowsOf(user, connection)
  expect(rows.map(({ values }: any) => [values.title, values.em, values.co]).sort()).toEqual([
    ['Ines Ortega', 'INES@cafe.example', 'Harbour'],
    ['Ines again', 'ines@cafe.example', null],
    ['No address', null, null],
    ['Only Here', 'here@cafe.example', null],
    ['Only There', 'there@cafe.example', 'Pier'],
  ])
  await again(user)
  expect([await contactsOf(user), await rowsOf(user, connection)]).toEqual([contacts, rows])

  // Connected again, what was edited since then is read, and what such a reading does not name is not gone.
  await there(user, 'theirs', { Company: 'Quay' })
  await platform.emit(connectionChanged, user.id, { version: 2, service_name: 'notion', status: 'connected' })
  await expect.poll(async () => (await contactsOf(user))[2].company, { timeout: 15_000 }).toBe('Quay')
  expect(await settled(user)).toMatchObject({ linked: 3, unlinked: 0, skipped: 2 })
})

test('different fields that are changed on both sides come to both', async () => {
  const { user, id, sync } = await level()
  await call(user, 'update-contact', { contact_id: id, phone: '+351 910 000 009' })
  await there(user, 'ines', { Company: 'Pier' })
  expect(await again(user)).toMatchObject({ linked: 1, conflicts: 0, failure: null })
  expect(await contactsOf(user)).toMatchObject([{ id, phone: '+351 910 000 009', company: 'Pier' }])
  expect(await row(user, 'ines', sync.connection_id)).toMatchObject({ values: { ph: '+351 910 000 009', co: 'Pier' } })
})

test('a field that is changed on both sides is overwritten on neither until the person chooses, and the others go on', async () => {
  const { user, id, sync } = await level()
  const differ = async (here: string, other: string) => {
    await call(user, 'update-contact', { contact_id: id, phone: here, name: `Ines ${here.slice(-1)}` })
    await there(user, 'ines', { Phone: other })
    expect(await again(user)).toMatchObject({ linked: 1, conflicts: 1 })
    expect(await contactsOf(user)).toMatchObject([{ phone: here }])
    expect(await row(user, 'ines', sync.connection_id)).toMatchObject({ values: { ph: other, title: `Ines ${here.slice(-1)}` } })
    const { conflicts } = await call(user, 'list-notion-conflicts', { sync_id: sync.id })
    expect(conflicts).toMatchObject([{ contact_id: id, fields: [{ field: 'phone', here, there: other }] }])
    return conflicts[0].id as string
  }
  const keep = async (link_id: string, side: string) => {
    expect((await call(user, 'settle-notion-conflict', { link_id, keep: side })).status).toBe(200)
    await expect.poll(async () => (await kept(user)).lease).toBe(null)
    expect(await again(user)).toMatchObject({ conflicts: 0, failure: null })
    return [(await contactsOf(user))[0].phone, (await row(user, 'ines', sync.connection_id)).values.ph]
  }
  expect(await keep(await differ('+351 910 000 001', '+351 910 000 002'), 'here')).toEqual(['+351 910 000 001', '+351 910 000 001'])
  expect(await keep(await differ('+351 910 000 003', '+351 910 000 004'), 'there')).toEqual(['+351 910 000 004', '+351 910 000 004'])
  // A value that a contact cannot take is no loss of the one it has.
  await there(user, 'ines', { Phone: 'ask Bob' })
  expect(await again(user)).toMatchObject({ conflicts: 1 })
  const [conflict] = (await call(user, 'list-notion-conflicts', { sync_id: sync.id })).conflicts
  expect(await call(user, 'settle-notion-conflict', { link_id: conflict.id, keep: 'there' })).toMatchObject({
    status: 400,
    code: 'app_input',
  })
  expect(await keep(conflict.id, 'here')).toEqual(['+351 910 000 004', '+351 910 000 004'])
})

test('the address of another contact is not taken over', async () => {
  const { user, id } = await level()
  await call(user, 'create-contact', { name: 'Maya', email: 'maya@cafe.example' })
  await there(user, 'ines', { Email: 'maya@cafe.example' })
  expect(await again(user)).toMatchObject({ conflicts: 1, failure: null })
  expect(await contactsOf(user)).toMatchObject([{ id, email: 'ines@cafe.example' }, { email: 'maya@cafe.example' }])
})

test('what is deleted on one side stays on the other, is counted, and does not come back', async () => {
  const { user, connection } = await level()
  await call(user, 'create-contact', { name: 'Maya', email: 'maya@cafe.example' })
  await again(user)
  const [ines, maya] = await contactsOf(user)
  await there(user, 'ines', { archived: '1' })
  await call(user, 'delete-contact', { contact_id: maya.id })
  for (const _ of [1, 2]) {
    expect(await again(user)).toMatchObject({ linked: 0, unlinked: 2, conflicts: 0, failure: null })
    expect(await contactsOf(user)).toEqual([ines])
    expect((await rowsOf(user, connection)).map(({ values }: any) => values.title)).toEqual(['Maya'])
  }
  // Taken out of the trash, it is level again.
  await there(user, 'ines', { archived: '0', Company: 'Pier' })
  expect(await again(user)).toMatchObject({ linked: 1, unlinked: 1 })
  expect(await contactsOf(user)).toMatchObject([{ company: 'Pier' }])
})

test('Notion says wait: nothing has failed, and it goes on then', async () => {
  const { user, id, connection } = await level()
  await call(user, 'update-contact', { contact_id: id, company: 'Pier' })
  await platform.fault({ provider: 'apps', account: user.email, match: 'PATCH', kind: 'status', status: 429, retry_after: 1 })
  const before = await kept(user)
  await again(user)
  const held = await kept(user)
  expect([held.failure, held.synced_at]).toEqual([null, before.synced_at])
  expect(held.due_at.getTime()).toBeLessThan(Date.now() + 60_000)
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  expect((await again(user)).failure).toBe(null)
  expect(await row(user, 'ines', connection)).toMatchObject({ values: { co: 'Pier' } })
})

test('a long database is read to its end, also where Notion forgets the cursor, and a refusal loses nothing', {
  timeout: 60_000,
}, async () => {
  const user = platform.user()
  const connection = await world.connected(user, 'notion')
  const many = Array.from({ length: 104 }, (_, n) => `p-${n}`)
  for (const id of many) await there(user, id, { name: id, Email: `${id}@cafe.example` })
  await started(user, connection, { adds: false })
  expect(await contactsOf(user)).toHaveLength(104)
  // The second page is refused with 410 once: the reading begins again.
  const { cursor } = (await world.call(user, 'list-notion-changes', { connection_id: connection, ...database, columns: ['title'] })).body
  await platform.fault({ provider: 'apps', account: user.email, match: 'query', kind: 'status', status: 410 })
  const anew = await world.call(user, 'list-notion-changes', { connection_id: connection, ...database, columns: ['title'], cursor })
  expect([anew.body.reset, anew.body.rows.length]).toEqual([true, 100])
  // Not shared any more: it is said, and no contact counts as deleted.
  await platform.fault({ provider: 'apps', account: user.email, match: 'query', kind: 'status', status: 404 })
  expect(await again(user)).toMatchObject({ linked: 104, unlinked: 0, failure: expect.stringMatching(/^Notion refused/) })
  expect(await again(user)).toMatchObject({ linked: 104, unlinked: 0, failure: null })
})

test('a broken connection holds the sync, and connected again it goes on where it was', async () => {
  const { user, id, connection } = await level()
  for (const grant of await world.grantsOf(user.email)) await world.steer(grant.id, 'cut')
  await call(user, 'update-contact', { contact_id: id, company: 'Pier' })
  expect(await again(user)).toMatchObject({ linked: 1, failure: expect.stringMatching(/[Cc]onnect/) })
  expect(await world.connected(user, 'notion')).toBe(connection)
  expect(await again(user)).toMatchObject({ linked: 1, failure: null })
  expect(await row(user, 'ines', connection)).toMatchObject({ values: { co: 'Pier' } })
})

test('of two workspaces the chosen one is synced, nobody else sees or changes it, and stopped it leaves both sides as they are', async () => {
  const { user, connection, sync } = await level()
  const other = `other-${user.email}`
  const second = await world.connected(user, 'notion', other)
  await there({ email: other }, 'leo', { name: 'Leo', Email: 'leo@cafe.example' })
  expect(await again(user)).toMatchObject({ linked: 1 })
  expect(await contactsOf(user)).toHaveLength(1)

  const eve = platform.user()
  expect(await call(eve, 'show-notion-sync')).toMatchObject({ sync: null })
  expect(await call(eve, 'list-notion-conflicts', { sync_id: sync.id })).toMatchObject({ conflicts: [] })
  for (const name of ['stop-notion-sync', 'run-notion-sync']) expect((await call(eve, name, { sync_id: sync.id })).status).toBe(404)
  expect((await call(eve, 'start-notion-sync', { connection_id: connection, ...database, columns, adds: true })).code).toBe(
    'app_not_connected',
  )
  await db
    .updateTable('notion_links')
    .set({ conflicts: JSON.stringify({ phone: null }) })
    .where('user_id', '=', user.id)
    .execute()
  const [{ id: link_id }] = (await call(user, 'list-notion-conflicts', { sync_id: sync.id })).conflicts
  expect((await call(eve, 'settle-notion-conflict', { link_id, keep: 'there' })).status).toBe(404)
  expect((await call(eve, 'list-notion-conflicts', { sync_id: sync.id })).conflicts).toEqual([])

  await started(user, second)
  expect((await contactsOf(user)).map(({ name }: any) => name)).toEqual(['Ines Ortega', 'Leo'])
  const [contacts, rows] = [await contactsOf(user), await rowsOf(user, second)]
  const now = (await call(user, 'show-notion-sync')).sync
  expect(await call(user, 'stop-notion-sync', { sync_id: now.id })).toMatchObject({ stopped: true })
  expect([await contactsOf(user), await rowsOf(user, second)]).toEqual([contacts, rows])
  expect((await db.selectFrom('notion_links').select('id').where('user_id', '=', user.id).execute()).length).toBe(0)
})
