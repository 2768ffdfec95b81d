import { startTestService, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { crmService } from '../service.ts'

/** More than two pieces of a check and two pages of an export. */
const ROWS = process.env.OPERON_TEST_ALL === '1' ? 20_000 : 4_100

let platform: TestPlatform
let db: any
beforeAll(async () => {
  platform = await startTestService(crmService)
  db = platform.services.crm!.rt.db
})
afterAll(() => platform.close())

async function post(name: string, user: TestUser, body: object = {}) {
  const headers = { ...user.headers, 'content-type': 'application/json' }
  return fetch(`${platform.url()}/functions/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
}
async function call(name: string, user: TestUser, body: object = {}) {
  const response = await post(name, user, body)
  return { status: response.status, body: (await response.json()) as any }
}
const columns = ['Name', 'Email', 'Phone', 'Company', 'Title', 'Tags']
const mapping = { name: 0, email: 1, phone: 2, company: 3, job_title: 4, tags: 5 }
async function staged(user: TestUser, rows: string[][], on_match = 'fill') {
  const { import_id } = (await call('start-import', user, { file_name: 'people.csv', columns })).body
  for (let from = 0; from < rows.length; from += 2000)
    await call('stage-import', user, { import_id, from, rows: rows.slice(from, from + 2000) })
  const checked = await call('check-import', user, { import_id, mapping, on_match })
  expect(checked.status, JSON.stringify(checked.body)).toBe(200)
  return { import_id, ...checked.body }
}
async function ends(user: TestUser, import_id: string, state: string) {
  return vi.waitFor(
    async () => {
      const { body } = await call('show-import', user, { import_id })
      expect(body.state).toBe(state)
      return body
    },
    { timeout: 60_000 },
  )
}

test('a name from a file loses what a name typed by hand loses', async () => {
  const ann = platform.user()
  const { import_id } = await staged(ann, [['Ada\u202e Love\u200blace\u{e0041}', 'ada@example.com', '', 'Co\u2066', '', '']])
  await call('run-import', ann, { import_id })
  await ends(ann, import_id, 'done')
  const [found] = (await call('find-contacts', ann, {})).body.contacts
  expect(found).toMatchObject({ name: expect.stringMatching(/^Ada +Love lace$/), company: 'Co' })
})

test('a dry run says what would be new, changed, the same and refused, and why, and changes nothing [spec-135]', async () => {
  const ann = platform.user()
  await call('create-contact', ann, { name: 'Ines', email: 'ines@example.com' })
  await call('create-contact', ann, { name: 'Bo', company: 'Bo & Co' })
  const { counts, rows } = await staged(ann, [
    ['Ines Ortega', ' INES@example.com ', '+351 910 000 000', '', '', 'vip'],
    ['bo', '', '', 'Bo & Co', '', ''],
    ['Cy', 'cy@example.com', '', "'=HYPERLINK(1)", '', 'a, b,a'],
    ['Cy again', 'CY@example.com', '', '', '', ''],
    ['', '', '', 'Nobody', '', ''],
    ['Di', 'di at example', '', '', '', ''],
    ['Ed', '', 'call me', '', '', ''],
  ])
  expect(counts).toEqual({ new: 1, changed: 1, same: 1, refused: 4 })
  expect(rows.filter(({ action }: any) => action === 'refused').map(({ row, reason }: any) => [row, reason])).toEqual([
    [4, 'An earlier row has the same email address'],
    [5, 'It has neither a name nor an email address'],
    [6, 'This is not an email address'],
    [7, 'This is not a phone number'],
  ])
  expect((await call('find-contacts', ann)).body.contacts).toHaveLength(2)
})

test('an undo takes away what was added, restores what was changed, and keeps what somebody touched since [spec-135]', async () => {
  const ann = platform.user()
  const ines = (await call('create-contact', ann, { name: 'Ines', email: 'ines@example.com', tags: ['old'] })).body.contact_id
  const bo = (await call('create-contact', ann, { name: 'Bo', email: 'bo@example.com' })).body.contact_id
  const { import_id } = await staged(
    ann,
    [
      ['Ines Ortega', 'ines@example.com', '+351 910 000 000', 'Harbour', '', 'vip'],
      ['Bo B', 'bo@example.com', '', 'Firm', '', ''],
      ['Cy', 'cy@example.com', '', '', '', ''],
      ['Di', 'di@example.com', '', '', '', ''],
    ],
    'overwrite',
  )
  const stranger = platform.user()
  for (const name of ['run-import', 'undo-import', 'show-import'])
    expect((await call(name, stranger, { import_id })).status, name).toBe(404)
  await call('run-import', ann, { import_id })
  expect(await ends(ann, import_id, 'done')).toMatchObject({ added: 2, changed: 2 })
  expect((await call('run-import', ann, { import_id })).status).toBe(409)
  expect((await call('show-contact', ann, { contact_id: ines })).body.contact).toMatchObject({ name: 'Ines Ortega', tags: ['old', 'vip'] })
  const [di] = (await call('find-contacts', ann, { query: 'di@' })).body.contacts
  await call('add-note', ann, { contact_id: di.id, text: 'Called' })
  await call('update-contact', ann, { contact_id: bo, status: 'won' })
  await call('undo-import', ann, { import_id })
  expect((await ends(ann, import_id, 'undone')).undone).toEqual({ removed: 1, restored: 1, kept: 2 })
  const { contact } = (await call('show-contact', ann, { contact_id: ines })).body
  expect(contact).toMatchObject({ name: 'Ines', phone: null, company: 'example.com', tags: ['old'] })
  expect((await call('show-contact', ann, { contact_id: bo })).body.contact).toMatchObject({ name: 'Bo B', company: 'Firm', status: 'won' })
  expect((await call('create-contact', ann, { name: 'Cy', email: 'cy@example.com' })).status).toBe(200)
  const told = await db
    .selectFrom('outbox')
    .select('payload')
    .where('user_id', '=', ann.id)
    .where('name', '=', 'crm.lead_count_changed')
    .orderBy('id')
    .execute()
  expect(told.map(({ payload }: any) => payload.change)).toEqual([2, -1])
})

test(`${ROWS} rows twice: none new, and the export holds no formula`, { timeout: 120_000 }, async () => {
  const ann = platform.user()
  const rows = Array.from({ length: ROWS }, (_, n) => [
    `Person ${n}`,
    `p${n}@example.com`,
    '',
    n === 7 ? '=1+1' : `Firm ${n % 90}`,
    '',
    'list',
  ])
  // Far from the row that it repeats, and decided by another statement.
  rows.push(['Person 5 again', 'P5@example.com', '', '', '', ''])
  const first = await staged(ann, rows)
  expect(first.counts).toEqual({ new: ROWS, changed: 0, same: 0, refused: 1 })
  await call('run-import', ann, { import_id: first.import_id })
  expect(await ends(ann, first.import_id, 'done')).toMatchObject({ added: ROWS, changed: 0 })
  const second = await staged(ann, rows)
  expect(second.counts).toEqual({ new: 0, changed: 0, same: ROWS, refused: 1 })
  const text = await (await post('export-contacts', ann)).text()
  const lines = text.trim().split('\r\n')
  expect(lines).toHaveLength(ROWS + 1)
  expect(lines.find((line) => line.startsWith('Person 7,'))).toContain(`,'=1+1,`)
  expect(text).not.toMatch(/(^|,)"?[=+@-]/m)
  const { rows: kept } = await sql`select from import_rows where import_id = ${second.import_id} and n = ${ROWS - 1}`.execute(db)
  expect(kept).toHaveLength(1)
})
