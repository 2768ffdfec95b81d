import { usualHours } from '@operon/contracts/crm/calendar'
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

const todo = { database_id: 'db-4' }
const columns = { title: 'title', done: 'dn', due: 'du', email: 'em' }
type Row = { title?: string; Done?: '1' | ''; Due?: string; Contact?: string; status?: string; archived?: '1' | '0' }

/** As somebody adds or changes a row in Notion itself. */
const there = ({ email }: { email: string }, row: string, fields: Row, database = 'db-4') =>
  fetch(`${world.sandbox}/sandbox/apps/notion/${row}`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email, database, ...fields }),
  })
const call = async (user: TestUser, name: string, body: object = {}) => {
  const { status, body: answer } = await platform.call(name, user, body)
  return { status, ...answer }
}
const rowsOf = async (user: TestUser, connection_id: string, of: object = { ...todo, columns: Object.values(columns) }): Promise<any[]> =>
  (await world.call(user, 'list-notion-changes', { connection_id, ...of })).body.rows.map(({ values }: any) => values)
const tasksOf = async (user: TestUser): Promise<any[]> =>
  (
    await sql<any>`
    select t.id, t.title, t.done_at is not null as done, t.due_at as due, t.told_at as told, l.email from tasks t left join leads l on l.id = t.contact_id
    where t.user_id = ${user.id} order by t.title, t.id`.execute(db)
  ).rows
const show = async (user: TestUser) => (await call(user, 'show-notion-sync', { kind: 'tasks' })).sync
/** Until no run is at work and none is due. */
async function settled(user: TestUser) {
  const idle = () => sql`select from notion_syncs where user_id = ${user.id} and (lease is not null or due_at <= now())`.execute(db)
  await expect.poll(async () => (await idle()).rows.length, { timeout: 30_000, interval: 50 }).toBe(0)
  return show(user)
}
async function started(user: TestUser, connection_id: string, more: object = {}) {
  const asked = { kind: 'tasks', connection_id, ...todo, columns, adds: true, ...more }
  const { status, message } = await call(user, 'start-notion-sync', asked)
  expect([status, message]).toEqual([200, undefined])
  return settled(user)
}
async function again(user: TestUser) {
  expect((await call(user, 'run-notion-sync', { sync_id: (await show(user)).id })).status).toBe(200)
  return settled(user)
}
/** A person with one task that is level with its row. */
async function level() {
  const user = platform.user()
  const connection = await world.connected(user, 'notion')
  await there(user, 'quote', { title: 'Send the quote', Due: '2031-05-04' })
  const sync = await started(user, connection)
  const [{ id }] = await tasksOf(user)
  return { user, connection, sync, id }
}

test('columns are proposed by type and name, and one that cannot hold a field is refused', async () => {
  const user = platform.user()
  const connection_id = await world.connected(user, 'notion')
  expect(await call(user, 'propose-notion-sync', { kind: 'tasks', connection_id, ...todo })).toMatchObject({ proposal: columns })
  const planned = await call(user, 'propose-notion-sync', { kind: 'tasks', connection_id, database_id: 'db-1' })
  expect(planned.proposal).toEqual({ title: 'title', done: 'st', due: 'du', email: null })
  const start = (more: object) => call(user, 'start-notion-sync', { kind: 'tasks', connection_id, ...todo, adds: false, columns, ...more })
  for (const odd of [{ done: 'dn' }, { title: 'title', done: 'du' }, { title: 'title', due: 'dn' }, { title: 'du' }])
    expect(await start({ columns: odd })).toMatchObject({ status: 400, code: 'app_input' })
  expect(await show(user)).toBe(null)
})

test('rows and tasks that say the same are one, the others come to the other side while they are open, and the next sync changes nothing', async () => {
  const user = platform.user()
  const connection = await world.connected(user, 'notion')
  const { contact_id } = await call(user, 'create-contact', { name: 'Ines', email: 'ines@cafe.example' })
  const task = (title: string, more: object = {}) => call(user, 'create-task', { title, ...more })
  await task('Both', { due_at: '2031-05-04T15:30:00.000Z' })
  await task('Call back', { contact_id })
  await task('Call back')
  await task('Only here', { due_at: '2031-05-05T08:00:00.000Z', contact_id })
  const { task_id } = await task('Done here')
  await call(user, 'complete-task', { task_id })
  await there(user, 'other-time', { title: 'Both', Due: '2031-05-04T10:00:00.000Z' })
  await there(user, 'other-day', { title: 'Both', Due: '2031-05-06' })
  await there(user, 'both', { title: 'Both', Due: '2031-05-04' })
  await there(user, 'call', { title: 'Call back', Contact: 'INES@cafe.example' })
  await there(user, 'late', { title: 'Only there', Due: '2020-01-02', Contact: 'nobody@cafe.example' })
  await there(user, 'past', { title: 'Done there', Done: '1' })
  await there(user, 'empty', { title: '' })
  expect(await started(user, connection)).toMatchObject({ linked: 7, conflicts: 0, unlinked: 0, skipped: 1, failure: null })
  const due = (text: string) => new Date(text)
  const tasks = await tasksOf(user)
  const none = { done: false, due: null, email: null }
  expect(tasks).toMatchObject([
    { ...none, title: 'Both', due: due('2031-05-04T15:30:00.000Z') },
    { ...none, title: 'Both', due: due('2031-05-04T10:00:00.000Z') },
    { ...none, title: 'Both', due: due('2031-05-06T09:00:00.000Z'), told: null },
    { ...none, title: 'Call back', email: 'ines@cafe.example' },
    { ...none, title: 'Call back' },
    { ...none, title: 'Done here', done: true },
    { ...none, title: 'Only here', due: due('2031-05-05T08:00:00.000Z'), email: 'ines@cafe.example' },
    { ...none, title: 'Only there', due: due('2020-01-02T09:00:00.000Z'), told: expect.any(Date) },
  ])
  const rows = await rowsOf(user, connection)
  const sorted = rows.map(({ title, dn, du, em }) => [title, dn, du, em].join(' ')).sort()
  expect(sorted).toEqual([
    ' false  ',
    'Both false 2031-05-04 ',
    'Both false 2031-05-04T10:00:00.000Z ',
    'Both false 2031-05-06 ',
    'Call back false  ',
    'Call back false  INES@cafe.example',
    'Done there true  ',
    'Only here false 2031-05-05T08:00:00.000Z ines@cafe.example',
    'Only there false 2020-01-02 nobody@cafe.example',
  ])
  await again(user)
  expect([await tasksOf(user), await rowsOf(user, connection)]).toEqual([tasks, rows])
})

test('what is changed on one side comes to the other, field by field', async () => {
  const { user, connection, id } = await level()
  await call(user, 'update-task', { task_id: id, title: 'Send the new quote' })
  await there(user, 'quote', { Due: '2031-06-01T10:15:00.000Z' })
  expect(await again(user)).toMatchObject({ linked: 1, conflicts: 0, failure: null })
  expect(await tasksOf(user)).toMatchObject([{ id, title: 'Send the new quote', due: new Date('2031-06-01T10:15:00.000Z') }])
  expect(await rowsOf(user, connection)).toMatchObject([{ title: 'Send the new quote', du: '2031-06-01T10:15:00.000Z', dn: 'false' }])

  await there(user, 'quote', { Done: '1' })
  await again(user)
  expect((await call(user, 'list-tasks')).tasks).toEqual([])
  await call(user, 'complete-task', { task_id: id, done: false })
  await call(user, 'create-contact', { name: 'Ines', email: 'ines@cafe.example' })
  await there(user, 'quote', { Contact: 'ines@cafe.example' })
  expect(await again(user)).toMatchObject({ conflicts: 0 })
  expect((await call(user, 'list-tasks')).tasks).toMatchObject([{ contact_name: 'Ines' }])
  expect(await rowsOf(user, connection)).toMatchObject([{ dn: 'false' }])
})

test('a field that is changed on both sides is overwritten on neither until the person chooses', async () => {
  const { user, connection, id, sync } = await level()
  const differ = async (here: string, other: string) => {
    await call(user, 'update-task', { task_id: id, title: here })
    await there(user, 'quote', { title: other, Done: '' })
    expect(await again(user)).toMatchObject({ linked: 1, conflicts: 1 })
    expect([(await tasksOf(user))[0].title, (await rowsOf(user, connection))[0].title]).toEqual([here, other])
    const { conflicts } = await call(user, 'list-notion-conflicts', { sync_id: sync.id })
    expect(conflicts).toMatchObject([{ task_id: id, contact_id: null, name: here, fields: [{ field: 'title', here, there: other }] }])
    return conflicts[0].id as string
  }
  const keep = async (link_id: string, side: string) => {
    expect((await call(user, 'settle-notion-conflict', { link_id, keep: side })).status).toBe(200)
    expect(await again(user)).toMatchObject({ conflicts: 0, failure: null })
    return [(await tasksOf(user))[0].title, (await rowsOf(user, connection))[0].title]
  }
  expect(await keep(await differ('Mine', 'Theirs'), 'here')).toEqual(['Mine', 'Mine'])
  expect(await keep(await differ('Mine again', 'Theirs again'), 'there')).toEqual(['Theirs again', 'Theirs again'])
  // A task that has a contact does not lose it to an address of nobody.
  await call(user, 'create-contact', { name: 'Ines', email: 'ines@cafe.example' })
  await there(user, 'quote', { Contact: 'ines@cafe.example' })
  await again(user)
  await there(user, 'quote', { Contact: 'nobody@cafe.example' })
  expect(await again(user)).toMatchObject({ conflicts: 1 })
  expect(await tasksOf(user)).toMatchObject([{ email: 'ines@cafe.example' }])
  const [{ id: link_id }] = (await call(user, 'list-notion-conflicts', { sync_id: sync.id })).conflicts
  expect(await call(user, 'settle-notion-conflict', { link_id, keep: 'there' })).toMatchObject({ code: 'app_input' })
})

test('what is deleted on one side stays on the other and does not come back', async () => {
  const { user, connection, id } = await level()
  await there(user, 'second', { title: 'Second' })
  await again(user)
  await call(user, 'delete-task', { task_id: id })
  await there(user, 'second', { archived: '1' })
  for (const _ of [1, 2]) {
    expect(await again(user)).toMatchObject({ linked: 0, unlinked: 2, conflicts: 0, failure: null })
    expect((await tasksOf(user)).map(({ title }) => title)).toEqual(['Second'])
    expect((await rowsOf(user, connection)).map(({ title }) => title)).toEqual(['Send the quote'])
  }
})

test('a task of a deleted contact waits with it, and its row stays as it is', async () => {
  const { user, connection } = await level()
  const { contact_id } = await call(user, 'create-contact', { name: 'Ines', email: 'ines@cafe.example' })
  await there(user, 'quote', { Contact: 'ines@cafe.example' })
  await again(user)
  const before = await rowsOf(user, connection)
  const { deletion_id } = await call(user, 'delete-contact', { contact_id })
  expect(await again(user)).toMatchObject({ linked: 0, unlinked: 1, failure: null })
  expect(await rowsOf(user, connection)).toEqual(before)
  expect((await call(user, 'restore-contact', { deletion_id })).status).toBe(200)
  expect(await again(user)).toMatchObject({ linked: 1, unlinked: 0 })
  expect([(await tasksOf(user)).length, await rowsOf(user, connection)]).toEqual([1, before])
})

test('an answer that was lost adds no row and no task twice, though the task was changed since', async () => {
  const { user, connection, id } = await level()
  for (const change of [() => undefined, (task_id: string) => call(user, 'update-task', { task_id, title: 'Changed since' })]) {
    const { task_id } = await call(user, 'create-task', { title: 'Only once', due_at: '2031-07-01T08:00:00.000Z' })
    await platform.fault({ provider: 'apps', account: user.email, match: '/v1/pages', kind: 'reset_after' })
    expect((await again(user)).failure).toMatch(/./)
    await change(task_id)
    expect(await again(user)).toMatchObject({ conflicts: 0, failure: null })
    const [tasks, rows] = [await tasksOf(user), await rowsOf(user, connection)]
    expect([tasks.length, rows.length]).toEqual([2, 2])
    const title = tasks.find((each) => each.id === task_id)!.title
    expect(rows.map((each) => each.title).sort()).toEqual(['Send the quote', title].sort())
    await call(user, 'delete-task', { task_id })
    await again(user)
    const added = (await sql<any>`select page_id from notion_links where record_id = ${task_id}`.execute(db)).rows
    expect(added).toHaveLength(1)
    await there(user, added[0].page_id, { archived: '1' })
    expect((await tasksOf(user)).map((each) => each.id)).toEqual([id])
  }
})

test('a task whose answer was lost and that was done or deleted since is not added twice, and does not come back', async () => {
  const { user, connection, id } = await level()
  const lost = async (title: string) => {
    const { task_id } = await call(user, 'create-task', { title })
    await platform.fault({ provider: 'apps', account: user.email, match: '/v1/pages', kind: 'reset_after' })
    expect((await again(user)).failure).toMatch(/./)
    return task_id as string
  }
  const done = await lost('Done since')
  await call(user, 'complete-task', { task_id: done })
  await call(user, 'update-task', { task_id: done, title: 'Done and changed since' })
  expect(await again(user)).toMatchObject({ linked: 2, conflicts: 0, failure: null })
  const deleted = await lost('Deleted since')
  await call(user, 'delete-task', { task_id: deleted })
  for (const _ of [1, 2]) {
    expect(await again(user)).toMatchObject({ linked: 2, unlinked: 1, conflicts: 0, failure: null })
    expect((await tasksOf(user)).map((each) => each.id).sort()).toEqual([id, done].sort())
    expect((await rowsOf(user, connection)).map(({ title, dn }) => [title, dn]).sort()).toEqual([
      ['Deleted since', 'false'],
      ['Done and changed since', 'true'],
      ['Send the quote', 'false'],
    ])
  }
})

test("a day without a time is a day of the owner's time zone, and nine in the morning there", async () => {
  const user = platform.user()
  const connection = await world.connected(user, 'notion')
  const hours = { hours: usualHours, exceptions: [] }
  expect((await call(user, 'save-availability', { zone: 'Pacific/Auckland', ...hours, version: 0 })).status).toBe(200)
  // In Auckland this is half past eight in the morning of the fifth.
  await call(user, 'create-task', { title: 'Both', due_at: '2031-05-04T20:30:00.000Z' })
  await there(user, 'both', { title: 'Both', Due: '2031-05-05' })
  await there(user, 'new', { title: 'New', Due: '2031-05-05' })
  expect(await started(user, connection)).toMatchObject({ linked: 2, conflicts: 0 })
  const dues = async () => (await tasksOf(user)).map(({ title, due }) => [title, due.toISOString()])
  const level = [
    ['Both', '2031-05-04T20:30:00.000Z'],
    ['New', '2031-05-04T21:00:00.000Z'],
  ]
  expect(await dues()).toEqual(level)
  // A day that was taken stays what it was when its owner moves.
  expect((await call(user, 'save-availability', { zone: 'America/New_York', ...hours, version: 1 })).status).toBe(200)
  expect(await again(user)).toMatchObject({ linked: 2, conflicts: 0 })
  expect(await dues()).toEqual(level)
})

test('a status says what is done by its groups', async () => {
  const user = platform.user()
  const connection = await world.connected(user, 'notion')
  const plan = { database_id: 'db-1', columns: { title: 'title', done: 'st' } }
  await started(user, connection, plan)
  // A row that was done before is no task here.
  const [task, ...others] = await tasksOf(user)
  expect([task.title, others]).toEqual(['Plan the launch', []])
  const status = async () => (await rowsOf(user, connection, { ...plan, columns: ['st'] })).map(({ st }) => st).sort()
  expect(await status()).toEqual(['Done', 'In progress'])
  await call(user, 'complete-task', { task_id: task.id })
  await again(user)
  expect(await status()).toEqual(['Done', 'Done'])
  await call(user, 'complete-task', { task_id: task.id, done: false })
  await again(user)
  expect(await status()).toEqual(['Done', 'Not started'])
  await there(user, 'page-3', { status: 'In progress' }, 'db-1')
  await again(user)
  expect((await tasksOf(user)).map(({ title, done }) => [title, done])).toEqual([
    ['Answer the survey replies', false],
    ['Plan the launch', false],
  ])
})

test('more open rows than tasks can be open are counted and left alone, and nothing else waits for them', async () => {
  const { user, id, connection } = await level()
  await sql`
    insert into tasks (id, user_id, title) select gen_random_uuid(), ${user.id}, 'Task ' || n from generate_series(1, 199) n`.execute(db)
  await there(user, 'more', { title: 'One too many' })
  await sql`update notion_syncs set adds = false where user_id = ${user.id}`.execute(db)
  await call(user, 'update-task', { task_id: id, title: 'Still level' })
  expect(await again(user)).toMatchObject({ linked: 1, skipped: 1, failure: null })
  expect((await rowsOf(user, connection)).map(({ title }) => title).sort()).toEqual(['One too many', 'Still level'])
})

test('contacts and tasks are synced side by side, never with the same database, and connected again both go on', async () => {
  const { user, connection, sync } = await level()
  const people = { connection_id: connection, database_id: 'db-3', columns: { name: 'title', email: 'em' }, adds: false }
  const refused = await call(user, 'start-notion-sync', { ...people, database_id: 'db4' })
  expect(refused.status).not.toBe(200)
  const same = await call(user, 'start-notion-sync', { ...people, ...todo })
  expect(same).toMatchObject({ status: 400, code: 'app_input', message: expect.stringMatching(/tasks are synced with this database/) })
  await there(user, 'ines', { title: 'Ines', Contact: '' }, 'db-3')
  expect((await call(user, 'start-notion-sync', people)).kind).toBe('contacts')
  expect(await settled(user)).toMatchObject({ id: sync.id, linked: 1, kind: 'tasks' })
  expect((await call(user, 'show-notion-sync')).sync).toMatchObject({ kind: 'contacts', title: 'People' })
  const moved = await call(user, 'start-notion-sync', {
    kind: 'tasks',
    connection_id: connection,
    database_id: 'db-3',
    columns,
    adds: true,
  })
  expect(moved).toMatchObject({ status: 400, code: 'app_input' })
  expect(await show(user)).toMatchObject({ id: sync.id })
  const eve = platform.user()
  expect((await call(eve, 'show-notion-sync', { kind: 'tasks' })).sync).toBe(null)
  expect((await call(eve, 'update-task', { task_id: (await tasksOf(user))[0].id, title: 'Mine now' })).status).toBe(404)
})

test('of two syncs that begin with one database at the same moment, the later one is told why not', async () => {
  const user = platform.user()
  const connection_id = await world.connected(user, 'notion')
  const start = () => call(user, 'start-notion-sync', { kind: 'tasks', connection_id, ...todo, columns, adds: false })
  const waiting = async () =>
    (await sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into "notion_syncs"%'`.execute(db)).rows
      .length
  const refused = await db.transaction().execute(async (trx: any) => {
    await sql`
      insert into notion_syncs (id, user_id, kind, connection_id, database_id, title, columns, adds)
      values (gen_random_uuid(), ${user.id}, 'contacts', ${connection_id}, 'db4', 'People', '{}', false)`.execute(trx)
    const later = start()
    await expect.poll(waiting, { timeout: 10_000, interval: 50 }).toBe(1)
    return { later }
  })
  expect(await refused.later).toMatchObject({
    ...{ status: 400, code: 'app_input' },
    message: 'Your contacts are synced with this database. Choose another one for your tasks, or stop that sync first.',
  })
})
