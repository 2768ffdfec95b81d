import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test, vi } from 'vitest'
import { crmService } from '../service.ts'

const platform = await startTestService(crmService)
afterAll(() => platform.close())

async function post(name: string, user: TestUser, body: object = {}) {
  const headers = { ...user.headers, 'content-type': 'application/json' }
  return fetch(`${platform.url()}/functions/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
}
const { call } = platform
async function withFields() {
  const user = platform.user()
  const add = async (body: object) => (await call('create-contact-field', user, body)).body.field_id as string
  const budget = await add({ name: 'Budget', kind: 'number' })
  const since = await add({ name: 'Since', kind: 'date' })
  const size = await add({ name: 'Size', kind: 'choice', options: ['Small', 'Large', 'small'] })
  const member = await add({ name: 'Member', kind: 'yes_no' })
  const note = await add({ name: 'Shoe', kind: 'text' })
  return { user, budget, since, size, member, note }
}
const fieldsOf = async (user: TestUser, contact_id: string) => (await call('show-contact', user, { contact_id })).body.contact.fields

test('a field takes what fits its kind, is changed and emptied with the contact, and filters the list [spec-135]', async () => {
  const { user, budget, since, size, member, note } = await withFields()
  expect((await call('list-contact-fields', user)).body.fields.map(({ name, options }: any) => [name, options])).toEqual([
    ...[
      ['Budget', []],
      ['Since', []],
    ],
    ...[
      ['Size', ['small', 'Large']],
      ['Member', []],
      ['Shoe', []],
    ],
  ])
  const given = { [budget]: 1200.5, [since]: '2024-02-29', [size]: 'large', [member]: false, [note]: ' 42 ' }
  const made = await call('create-contact', user, { name: 'Ines', fields: given })
  const { contact_id } = made.body
  expect(await fieldsOf(user, contact_id)).toEqual({ ...given, [size]: 'Large', [note]: '42' })
  for (const [field, value] of [
    [budget, 'much'],
    [since, '2023-02-29'],
    [size, 'Huge'],
    [member, 'yes'],
    [note, 7],
    ['01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b31', 'x'],
  ] as const) {
    const refused = await call('update-contact', user, { contact_id, fields: { [field]: value } })
    expect([refused.status, refused.body.code], String(value)).toEqual([400, 'field_value'])
  }
  await call('update-contact', user, { contact_id, fields: { [budget]: null, [note]: '', [member]: true } })
  expect(await fieldsOf(user, contact_id)).toEqual({ [since]: '2024-02-29', [size]: 'Large', [member]: true })

  const other = (await call('create-contact', user, { name: 'Bo' })).body.contact_id
  const found = async (id: string, value: unknown) =>
    (await call('find-contacts', user, { field: { id, value } })).body.contacts.map(({ name }: any) => name)
  expect([await found(member, true), await found(size, 'Large'), await found(budget, 1200.5)]).toEqual([['Ines'], ['Ines'], []])
  expect((await call('edit-contacts', user, { contact_ids: [contact_id, other], fields: { [budget]: 300 } })).body.changed).toBe(2)
  expect((await found(budget, 300)).sort()).toEqual(['Bo', 'Ines'])
})

test('fields are their owner’s alone, thirty at most, of one name each, and a deleted one takes its values along [spec-135]', async () => {
  const { user, budget, size } = await withFields()
  const stranger = platform.user()
  const { contact_id } = (await call('create-contact', user, { name: 'Ines', fields: { [budget]: 5, [size]: 'Large' } })).body
  for (const [name, body] of [
    ['update-contact-field', { field_id: budget, name: 'Mine' }],
    ['delete-contact-field', { field_id: budget }],
  ] as const)
    expect((await call(name, stranger, body)).status, name).toBe(404)
  expect((await call('create-contact', stranger, { name: 'Eve', fields: { [budget]: 5 } })).body.code).toBe('field_value')
  expect((await call('create-contact-field', user, { name: 'BUDGET', kind: 'text' })).body.code).toBe('field_exists')
  expect((await call('create-contact-field', user, { name: 'Kind', kind: 'choice' })).body.code).toBe('field_options')
  expect((await call('update-contact-field', user, { field_id: size, name: 'Size', options: ['Tiny'] })).body.options).toEqual(['Tiny'])
  expect(await fieldsOf(user, contact_id)).toMatchObject({ [size]: 'Large' })
  const more = await Promise.all(Array.from({ length: 27 }, (_, n) => call('create-contact-field', user, { name: `F${n}`, kind: 'text' })))
  expect(more.map(({ body }) => body.code ?? 'made').sort()).toEqual([...Array(2).fill('fields_full'), ...Array(25).fill('made')])
  await call('delete-contact-field', user, { field_id: budget })
  await vi.waitFor(async () => expect(await fieldsOf(user, contact_id)).toEqual({ [size]: 'Large' }))
})

test('an import fills fields by their kinds, refuses what does not fit, finds nothing new the second time and takes it all back [spec-135]', {
  timeout: 60_000,
}, async () => {
  const { user, budget, since, size, member } = await withFields()
  const known = (await call('create-contact', user, { name: 'Ines', email: 'ines@example.com', fields: { [budget]: 7 } })).body.contact_id
  const rows = [
    ['Ines', 'ines@example.com', '1,250.50', '2024-01-31', 'LARGE', 'yes'],
    ['Bo', 'bo@example.com', '-3', '', '', 'No'],
    ['Cy', 'cy@example.com', 'much', '', '', ''],
    ['Di', 'di@example.com', '', '2024-13-01', '', ''],
    ['Ed', 'ed@example.com', '', '', 'Huge', ''],
  ]
  const run = async (on_match: string) => {
    const { import_id } = (await call('start-import', user, { file_name: 'p.csv', columns: ['a', 'b', 'c', 'd', 'e', 'f'] })).body
    await call('stage-import', user, { import_id, from: 0, rows })
    const fields = { [budget]: 2, [since]: 3, [size]: 4, [member]: 5 }
    const checked = await call('check-import', user, { import_id, mapping: { name: 0, email: 1 }, fields, on_match })
    expect(checked.status, JSON.stringify(checked.body)).toBe(200)
    await call('run-import', user, { import_id })
    await ends(import_id, 'done')
    return { import_id, ...checked.body }
  }
  const ends = (import_id: string, state: string) =>
    vi.waitFor(async () => expect((await call('show-import', user, { import_id })).body.state).toBe(state), { timeout: 20_000 })
  const first = await run('fill')
  expect(first.counts).toEqual({ new: 1, changed: 1, same: 0, refused: 3 })
  expect(first.rows.filter(({ action }: any) => action === 'refused').map(({ reason }: any) => reason)).toEqual([
    'Budget is not a number',
    'Since is not a date, as 2026-11-25',
    'Size is not one of its options',
  ])
  expect(await fieldsOf(user, known)).toEqual({ [budget]: 7, [since]: '2024-01-31', [size]: 'Large', [member]: true })
  const [bo] = (await call('find-contacts', user, { field: { id: member, value: false } })).body.contacts
  expect(bo).toMatchObject({ name: 'Bo', fields: { [budget]: -3, [member]: false } })
  const text = await (await post('export-contacts', user)).text()
  expect(text.split('\r\n')[0]).toBe('Name,Email,Phone,Company,Job title,Status,Source,Tags,Added,Budget,Since,Size,Member,Shoe')
  expect(text).toMatch(/,7,2024-01-31,Large,true,\r\n/)
  expect((await run('fill')).counts).toEqual({ new: 0, changed: 0, same: 2, refused: 3 })
  await call('undo-import', user, { import_id: first.import_id })
  await ends(first.import_id, 'undone')
  expect(await fieldsOf(user, known)).toEqual({ [budget]: 7 })
})

test('a segment whose condition names a deleted field or campaign matches nobody by it, however it is put, and says so [spec-135]', async () => {
  const { user, budget, size } = await withFields()
  const add = (name: string, body: object) => call('create-contact', user, { name, email: `${name}@example.com`, ...body })
  await add('ines', { fields: { [budget]: 5 }, tags: ['vip'] })
  await add('bo', { fields: { [size]: 'Large' } })
  const { campaign_id } = (await call('create-campaign', user, { name: 'News', subject: 'News', text: 'Hello' })).body
  const count = async (conditions: object[], match = 'all') => {
    const { contacts, first, note } = (await call('preview-segment', user, { tree: { match, conditions } })).body
    expect(first).toHaveLength(contacts)
    return [contacts, note]
  }
  const other = { field: 'own', is: 'is_not', id: budget, value: 5 }
  const unread = { field: 'campaign', is: 'not_opened', value: campaign_id }
  expect([await count([other]), await count([unread])]).toEqual([
    [1, undefined],
    [2, undefined],
  ])
  await call('delete-contact-field', user, { field_id: budget })
  const note = 'A condition names a field that was deleted. It matches nobody: change or remove it.'
  expect(await count([other])).toEqual([0, note])
  expect(await count([{ match: 'any', conditions: [other, { ...other, is: 'is' }] }])).toEqual([0, note])
  expect(await count([other, { field: 'tag', is: 'has', value: 'vip' }], 'any')).toEqual([1, note])
  expect(await count([{ field: 'own', is: 'is_not', id: size, value: 'Large' }])).toEqual([1, undefined])
  const segment = { match: 'all', conditions: [other] }
  expect((await call('update-campaign', user, { campaign_id, segment })).status).toBe(200)
  expect((await call('preview-campaign', user, { campaign_id })).body).toMatchObject({ recipients: 0, first: null })
  await call('delete-campaign', user, { campaign_id })
  expect(await count([unread])).toEqual([0, note.replace('field', 'campaign')])
  const stranger = platform.user()
  await call('create-contact', stranger, { name: 'Eve', email: 'eve@example.com' })
  const { body } = await call('preview-segment', stranger, {
    tree: { conditions: [{ field: 'own', is: 'is_not', id: size, value: 'Large' }] },
  })
  expect(body).toMatchObject({ contacts: 0, note })
})
