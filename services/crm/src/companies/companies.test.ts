import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { inTransaction } from '@operon/kit/tx'
import { afterAll, expect, test, vi } from 'vitest'
import { assertContact } from '../contacts/assert.ts'
import * as migration from '../migrations/0091_companies.ts'
import { crmService } from '../service.ts'

const platform = await startTestService(crmService)
const db: any = platform.services.crm!.rt.db
afterAll(() => platform.close())

const { call } = platform
const add = async (user: TestUser, body: object) => (await call('create-contact', user, body)).body.contact_id as string
const companies = async (user: TestUser) => (await call('find-companies', user)).body.companies
const told = (user: TestUser, prefix: string) =>
  db
    .selectFrom('outbox')
    .select(['name', 'payload'])
    .where('user_id', '=', user.id)
    .where('name', 'like', `${prefix}%`)
    .orderBy('id')
    .execute()
const companyIn = async (user: TestUser, contact_id: string) => (await call('show-contact', user, { contact_id })).body.contact.company

test('a contact belongs to the company it names, else to the one of its address; an address that anybody may have says nothing [spec-135]', async () => {
  const ann = platform.user()
  const ines = await add(ann, { name: 'Ines', email: 'ines@harbour.example', company: 'Harbour Café' })
  const bo = await add(ann, { name: 'Bo', email: 'bo@harbour.example' })
  const cy = await add(ann, { name: 'Cy', email: 'cy@harbour.example', company: 'Cy Consulting' })
  const di = await add(ann, { name: 'Di', email: 'di@gmail.com' })
  const ed = await add(ann, { name: 'Ed', email: 'ed@mill.example' })
  expect(await companies(ann)).toMatchObject([
    { name: 'Cy Consulting', domain: null, contacts: 1 },
    { name: 'Harbour Café', domain: 'harbour.example', contacts: 2 },
    { name: 'mill.example', domain: 'mill.example', contacts: 1 },
  ])
  expect(await Promise.all([ines, bo, cy, di, ed].map((id) => companyIn(ann, id)))).toEqual([
    'Harbour Café',
    'Harbour Café',
    'Cy Consulting',
    null,
    'mill.example',
  ])
  const [, harbour] = await companies(ann)
  const { contacts } = (await call('find-contacts', ann, { company_id: harbour.id, sort: 'name' })).body
  expect(contacts.map(({ name }: any) => name)).toEqual(['Bo', 'Ines'])

  await call('update-contact', ann, { contact_id: bo, company: 'cy consulting' })
  expect((await companies(ann)).map(({ contacts }: any) => contacts)).toEqual([2, 1, 1])
  await call('update-contact', ann, { contact_id: di, email: 'di@mill.example' })
  expect(await companyIn(ann, di)).toBe('mill.example')
})

test('a renamed company is shown by its new name, a deleted one leaves its contacts and comes back with them, and nobody else sees it [spec-135]', async () => {
  const [ann, stranger] = [platform.user(), platform.user()]
  const ines = await add(ann, { name: 'Ines', email: 'ines@harbour.example' })
  const [{ id: company_id }] = await companies(ann)
  const changed = await call('update-company', ann, {
    company_id,
    version: 1,
    name: 'Harbour Café',
    domain: 'https://www.harbour.example/menu',
  })
  expect(changed.body).toMatchObject({ name: 'Harbour Café', domain: 'harbour.example', version: 2, contacts: 1 })
  expect(await companyIn(ann, ines)).toBe('Harbour Café')
  expect((await call('update-company', ann, { company_id, version: 1, name: 'Late' })).body.code).toBe('conflict')
  await call('create-company', ann, { name: 'Mill' })
  expect((await call('create-company', ann, { name: 'MILL' })).body.code).toBe('company_exists')
  expect((await call('update-company', ann, { company_id, name: 'mill' })).body.code).toBe('company_exists')
  for (const name of ['show-company', 'update-company', 'delete-company', 'restore-company'])
    expect((await call(name, stranger, { company_id })).status, name).toBe(404)
  expect((await call('find-contacts', stranger, { company_id })).body.contacts).toEqual([])
  await call('delete-company', ann, { company_id })
  expect((await call('restore-company', stranger, { company_id })).status).toBe(404)
  expect((await call('show-contact', ann, { contact_id: ines })).body.contact).toMatchObject({ company: null, company_id: null })
  await call('restore-company', ann, { company_id })
  expect(await companyIn(ann, ines)).toBe('Harbour Café')
})

test('a company that is added or changed by hand is told once, with what changed; one made for a contact or refused is not', async () => {
  const ann = platform.user()
  await add(ann, { name: 'Ines', email: 'ines@harbour.example', company: 'Harbour' })
  const { company_id } = (await call('create-company', ann, { name: 'Mill', domain: 'mill.example' })).body
  await call('create-company', ann, { name: 'MILL' })
  await call('update-company', ann, { company_id, name: 'Harbour' })
  await call('update-company', ann, { company_id, version: 9, name: 'Late' })
  await call('update-company', ann, { company_id, name: 'Mill' })
  await call('update-company', ann, { company_id, name: 'Old Mill', domain: null, notes: '' })
  expect(await told(ann, 'crm.company_')).toEqual([
    { name: 'crm.company_added', payload: { company_id, name: 'Mill', domain: 'mill.example' } },
    { name: 'crm.company_changed', payload: { company_id, name: 'Old Mill', domain: null, changed: ['name', 'domain'] } },
  ])
})

test('callers at once make one company, each order pages through all once, and a search finds by name and domain', async () => {
  const ann = platform.user()
  await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      inTransaction(db, (trx: any) => assertContact(trx, ann.id, { email: `p${n}@harbour.example`, company: 'Harbour', source: 'form' })),
    ),
  )
  expect(await companies(ann)).toMatchObject([{ name: 'Harbour', domain: 'harbour.example', contacts: 12 }])
  for (const name of ['Birch', 'acorn', 'Cedar', '100% Oak']) await call('create-company', ann, { name })
  for (const [sort, first] of [
    ['name', '100% Oak'],
    ['newest', '100% Oak'],
  ]) {
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { body } = await call('find-companies', ann, { sort, limit: 2, ...(cursor && { cursor }) })
      seen.push(...body.companies.map(({ name }: any) => name))
      cursor = body.cursor
    }
    expect([seen[0], seen.length, new Set(seen).size], sort).toEqual([first, 5, 5])
  }
  const found = async (query: string) => (await call('find-companies', ann, { query })).body.companies.map(({ name }: any) => name)
  expect([await found('harbour.ex'), await found('0% o'), await found('%')]).toEqual([['Harbour'], ['100% Oak'], ['100% Oak']])
})

test('an import makes companies, a second one none, and its undo takes along those that have nobody left [spec-135]', {
  timeout: 60_000,
}, async () => {
  const ann = platform.user()
  await add(ann, { name: 'Ines', email: 'ines@harbour.example', company: 'Harbour' })
  const rows = [
    ['Bo', 'bo@harbour.example', ''],
    ['Cy', 'cy@mill.example', 'Mill'],
    ['Di', 'di@kiln.example', ''],
    ['Ines', 'ines@harbour.example', 'Other'],
  ]
  const run = async (on_match: string) => {
    const { import_id } = (await call('start-import', ann, { file_name: 'p.csv', columns: ['Name', 'Email', 'Company'] })).body
    await call('stage-import', ann, { import_id, from: 0, rows })
    await call('check-import', ann, { import_id, mapping: { name: 0, email: 1, company: 2 }, on_match })
    await call('run-import', ann, { import_id })
    await ends(import_id, 'done')
    return import_id
  }
  const ends = (import_id: string, state: string) =>
    vi.waitFor(async () => expect((await call('show-import', ann, { import_id })).body.state).toBe(state), { timeout: 20_000 })
  const names = async () => (await companies(ann)).map(({ name, contacts }: any) => `${name} ${contacts}`)
  const first = await run('overwrite')
  expect(await names()).toEqual(['Harbour 1', 'kiln.example 1', 'Mill 1', 'Other 1'])
  await run('overwrite')
  expect(await names()).toEqual(['Harbour 1', 'kiln.example 1', 'Mill 1', 'Other 1'])
  expect(await told(ann, 'crm.company_')).toEqual([])
  await call('undo-import', ann, { import_id: first })
  await ends(first, 'undone')
  expect(await names()).toEqual(['Harbour 1'])
})

test('contacts from before are assigned, however often the fill runs', async () => {
  const ann = platform.user()
  for (const n of [1, 2])
    await insert(db, 'leads', {
      id: newId(),
      user_id: ann.id,
      name: `Old ${n}`,
      email: `old${n}@forge.example`,
      company: n === 1 ? 'Forge' : null,
    })
  for (const _ of [1, 2]) await migration.fill(db)
  expect(await companies(ann)).toMatchObject([{ name: 'Forge', domain: 'forge.example', contacts: 2 }])
})
