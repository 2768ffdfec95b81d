import { saleSettled } from '@operon/contracts/billing/selling-events'
import { newId } from '@operon/kit/ids'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import * as contactCounts from '../migrations/0070_contact_counts.ts'
import { crmService } from '../service.ts'
import { assertContact } from './assert.ts'
import { remindOfTasks } from './tasks.ts'
import { addActivity } from './timeline.ts'

const platform = await startTestService(crmService)
const db: any = platform.services.crm!.rt.db
afterAll(() => platform.close())

const { call } = platform
const add = async (user: TestUser, body: object) => (await call('create-contact', user, body)).body.contact_id as string

test('an address belongs to one contact of an account: 20 callers at once get one, and its lead is counted once [spec-135]', async () => {
  const ann = platform.user()
  const known = { email: 'Ines@Example.com ', name: 'Ines', source: 'booking' }
  const ids = await Promise.all(Array.from({ length: 20 }, () => inTransaction(db, (trx: any) => assertContact(trx, ann.id, known))))
  expect(new Set(ids).size).toBe(1)
  expect((await call('create-contact', ann, { name: 'Again', email: 'ines@example.com' })).body.code).toBe('contact_exists')
  const said = await db
    .selectFrom('outbox')
    .select('payload')
    .where('user_id', '=', ann.id)
    .where('name', '=', 'crm.lead_created')
    .execute()
  expect(said).toEqual([{ payload: { lead_id: ids[0] } }])
  const later = await inTransaction(db, (trx: any) => assertContact(trx, ann.id, { ...known, name: 'Other', phone: '+351 910 000 000' }))
  expect((await call('show-contact', ann, { contact_id: later })).body.contact).toMatchObject({ name: 'Ines', phone: '+351 910 000 000' })
  expect(await add(platform.user(), { name: 'Ines', email: 'ines@example.com' })).not.toBe(later)
})

test('a contact from elsewhere gets a name of one bounded line, or that of its address', async () => {
  const ann = platform.user()
  const nameOf = async (email: string, name: string) => {
    const contact_id = await inTransaction(db, (trx: any) => assertContact(trx, ann.id, { email, name, source: 'checkout' }))
    return (await call('show-contact', ann, { contact_id })).body.contact.name
  }
  expect(await nameOf('one@example.com', 'Ada\u202e\r\n Love\u2066lace\u{e0041}')).toBe('Ada Love lace')
  expect(await nameOf('two@example.com', 'n'.repeat(500))).toBe('n'.repeat(120))
  expect(await nameOf('three@example.com', '\u202e\u200b')).toBe('three')
})

test('a sale makes its buyer a hot contact, once however often it is told, and says why [spec-135]', async () => {
  const ann = platform.user()
  const sold = {
    ...{ version: 1, sale_id: newId(), kind: 'product', reference: newId(), seller_id: ann.id, buyer_id: null, email: 'bo@example.com' },
    ...{ title: 'Five questions', amount_cents: 4900, currency: 'usd', refunded_cents: 0, tax_cents: 0, share_cents: 3920, lines: [] },
  } as const
  const id = newId()
  for (const _ of [1, 2]) await platform.emit(saleSettled, ann.id, sold as never, id)
  await vi.waitFor(async () => expect((await call('find-contacts', ann)).body.contacts).toHaveLength(1))
  const [contact] = (await call('find-contacts', ann, { temperature: 'hot' })).body.contacts
  const { body } = await call('show-contact', ann, { contact_id: contact.id })
  expect(body).toMatchObject({ points: 60, reasons: [{ kind: 'sale', count: 1, points: 60 }] })
  expect(body.activities).toMatchObject([{ kind: 'sale', text: 'Bought Five questions for $49.00' }])
})

test('points halve in 14 days: what was hot is warm, then cold, without anything that sweeps', async () => {
  const ann = platform.user()
  const of = async (daysAgo: number) => {
    const contactId = await add(ann, { name: `${daysAgo} days ago` })
    const at = new Date(Date.now() - daysAgo * 86_400_000)
    await inTransaction(db, (trx: any) => addActivity(trx, ann.id, { contactId, kind: 'booking', text: 'Booked', at }))
    await inTransaction(db, (trx: any) => addActivity(trx, ann.id, { contactId, kind: 'reply', text: 'Answered', at }))
    const { points, contact } = (await call('show-contact', ann, { contact_id: contactId })).body
    return [points, contact.temperature]
  }
  expect(await of(0)).toEqual([42, 'hot'])
  expect(await of(14)).toEqual([21, 'warm'])
  expect(await of(42)).toEqual([5, 'cold'])
  // A call is 8 points and 8 are warm, also when some of them cooled off in a moment.
  const called = await add(ann, { name: 'Called' })
  await call('add-note', ann, { contact_id: called, text: 'Wants a quote', kind: 'call' })
  const { points, contact } = (await call('show-contact', ann, { contact_id: called })).body
  expect([points, contact.temperature]).toEqual([8, 'warm'])
  await call('delete-contact', ann, { contact_id: called })
  expect((await call('find-contacts', ann, { sort: 'heat' })).body.contacts.map(({ name }: any) => name)).toEqual([
    '0 days ago',
    '14 days ago',
    '42 days ago',
  ])
})

test('each order pages through all contacts once, and a search finds them by name, company, address or number', async () => {
  const ann = platform.user()
  for (let n = 0; n < 12; n++)
    await add(ann, { name: `Na"m\\e ${n % 3}`, email: `p${n}@shop${n % 2}.example`, company: `Firm ${n}`, tags: n % 2 ? ['odd'] : [] })
  for (const sort of ['newest', 'name', 'activity', 'heat']) {
    const seen: string[] = []
    for (let cursor: string | undefined, page = 0; page < 9; page++) {
      const { body } = await call('find-contacts', ann, { sort, limit: 5, ...(cursor && { cursor }) })
      seen.push(...body.contacts.map(({ id }: any) => id))
      cursor = body.cursor
      if (!cursor) break
    }
    expect(new Set(seen).size, sort).toBe(12)
    expect(seen, sort).toHaveLength(12)
  }
  for (const [query, count] of [
    ['firm 11', 1],
    ['SHOP1', 6],
    ['%', 0],
    ['na"m\\e 2', 4],
  ] as const)
    expect((await call('find-contacts', ann, { query })).body.contacts, query).toHaveLength(count)
  expect((await call('find-contacts', ann, { tag: 'odd' })).body.contacts).toHaveLength(6)
  for (const cursor of ['x', Buffer.from('["heat","never","01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b31"]').toString('base64url')])
    expect((await call('find-contacts', ann, { cursor, sort: 'heat' })).status).toBe(200)
})

test('a deleted contact comes back with its timeline, tasks and address; to nobody else, and not over somebody who has the address', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const contact_id = await add(ann, { name: 'Ines', email: 'ines@example.com', phone: '+351 910 000 000', tags: ['vip'] })
  await call('add-note', ann, { contact_id, text: 'Wants a quote' })
  await call('create-task', ann, { contact_id, title: 'Send it' })
  expect((await call('delete-contact', bob, { contact_id })).status).toBe(404)
  const { deletion_id } = (await call('delete-contact', ann, { contact_id })).body
  expect((await call('list-tasks', ann)).body.tasks).toEqual([])
  expect((await call('restore-contact', bob, { deletion_id })).status).toBe(404)
  const other = await add(ann, { name: 'Other', email: 'ines@example.com' })
  expect((await call('restore-contact', ann, { deletion_id })).body.code).toBe('contact_exists')
  await call('delete-contact', ann, { contact_id: other })
  expect((await call('restore-contact', ann, { deletion_id })).body).toEqual({ contact_id })
  const { body } = await call('show-contact', ann, { contact_id })
  expect(body).toMatchObject({ contact: { name: 'Ines', tags: ['vip'] }, emails: ['ines@example.com'], tasks: [{ title: 'Send it' }] })
  expect(body.activities).toMatchObject([{ text: 'Wants a quote' }])
})

test('a change that was made on an older version is refused, and an address that another has as well', async () => {
  const ann = platform.user()
  const contact_id = await add(ann, { name: 'Ines', email: 'ines@example.com' })
  await add(ann, { name: 'Bo', email: 'bo@example.com' })
  expect((await call('update-contact', ann, { contact_id, version: 1, status: 'won' })).body).toMatchObject({ status: 'won', version: 2 })
  expect((await call('update-contact', ann, { contact_id, version: 1, name: 'Old' })).body.code).toBe('conflict')
  expect((await call('update-contact', ann, { contact_id, email: 'bo@example.com' })).body.code).toBe('contact_exists')
  expect((await call('update-contact', ann, { contact_id, email: null })).body.email).toBeNull()
  expect((await call('update-contact', platform.user(), { contact_id, name: 'Theirs' })).status).toBe(404)
  expect((await call('edit-contacts', platform.user(), { contact_ids: [contact_id], add_tags: ['theirs'] })).body).toEqual({ changed: 0 })
  expect((await call('edit-contacts', ann, { contact_ids: [contact_id], add_tags: ['b', 'a'] })).body).toEqual({ changed: 1 })
  expect((await call('show-contact', ann, { contact_id })).body.contact.tags).toEqual(['a', 'b'])
})

test('a task that is due is told of once', async () => {
  const ann = platform.user()
  await call('create-task', ann, { title: 'Call back', due_at: new Date(Date.now() - 1000).toISOString() })
  await call('create-task', ann, { title: 'Later', due_at: new Date(Date.now() + 60_000).toISOString() })
  const { signal } = new AbortController()
  await Promise.all([remindOfTasks({ db, signal }), remindOfTasks({ db, signal })])
  const told = await db
    .selectFrom('outbox')
    .select(sql`payload ->> 'title'`.as('title'))
    .where('user_id', '=', ann.id)
    .where('name', '=', 'crm.task_due')
    .execute()
  expect(told).toEqual([{ title: 'Call back' }])
})

test('contacts are counted as they come, change and go, also by callers at once and by those who were there before [spec-135]', async () => {
  const [ann, old] = [platform.user(), platform.user()]
  const countOf = async (user: TestUser) => (await call('count-contacts', user)).body
  expect(await countOf(ann)).toEqual({ contacts: 0, with_email: 0, newest_at: null })
  const [first, ...others] = await Promise.all(
    Array.from({ length: 12 }, (_, n) => add(ann, { name: `Person ${n}`, ...(n < 8 && { email: `person${n}@example.com` }) })),
  )
  expect(await countOf(ann)).toMatchObject({ contacts: 12, with_email: 8, newest_at: expect.any(String) })
  await call('update-contact', ann, { contact_id: first, email: null })
  const { body } = await call('delete-contact', ann, { contact_id: others[0] })
  expect(await countOf(ann)).toMatchObject({ contacts: 11, with_email: 6 })
  await call('restore-contact', ann, { deletion_id: body.deletion_id })
  expect(await countOf(ann)).toMatchObject({ contacts: 12, with_email: 7 })

  // Rows from before the counting, as a release before left them.
  await add(old, { name: 'One', email: 'one@example.com' })
  await add(old, { name: 'Two' })
  await db.deleteFrom('contact_counts').where('user_id', '=', old.id).execute()
  await contactCounts.fill(db)
  expect(await countOf(old)).toMatchObject({ contacts: 2, with_email: 1 })
  await contactCounts.fill(db)
  await add(old, { name: 'Three' })
  expect(await countOf(old)).toMatchObject({ contacts: 3, with_email: 1 })
})
