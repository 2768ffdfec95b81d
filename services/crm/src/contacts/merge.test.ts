import { newId } from '@operon/kit/ids'
import { update } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { inTransaction } from '@operon/kit/tx'
import { afterAll, expect, test } from 'vitest'
import { crmService } from '../service.ts'
import { assertContact } from './assert.ts'
import { forgetDeleted } from './delete.ts'
import { addActivity } from './timeline.ts'

const platform = await startTestService(crmService)
const db: any = platform.services.crm!.rt.db
afterAll(() => platform.close())

const { call } = platform
const add = async (user: TestUser, body: object) => (await call('create-contact', user, body)).body.contact_id as string
const did = (user: TestUser, contactId: string, text: string, eventId?: string) =>
  inTransaction(db, (trx: any) => addActivity(trx, user.id, { contactId, kind: 'booking', text, at: new Date(), eventId: eventId ?? null }))
/** All that is known of a contact, without what counts changes. */
async function known(user: TestUser, contact_id: string) {
  const { body } = await call('show-contact', user, { contact_id })
  const { version, temperature, last_activity_at, ...contact } = body.contact
  const said = body.activities.filter(({ kind }: any) => kind !== 'change').map(({ text }: any) => text)
  const tasks = body.tasks.map(({ title }: any) => title)
  const { deals } = (await call('find-deals', user, { contact_id })).body
  return {
    ...contact,
    points: body.points,
    emails: body.emails.sort(),
    said: said.sort(),
    tasks,
    deals: deals.map(({ title }: any) => title),
  }
}

async function twoOfOne() {
  const user = platform.user()
  const ines = await add(user, { name: 'Ines Ortega', email: 'ines@harbour.example', tags: ['vip'] })
  const other = await add(user, {
    name: 'I. Ortega',
    email: 'ines@mill.example',
    phone: '+351 910 000 000',
    company: 'Mill',
    tags: ['spring', 'vip'],
  })
  await did(user, ines, 'Booked a call')
  await did(user, other, 'Booked a visit')
  const both = newId()
  for (const id of [ines, other]) await did(user, id, 'Came to the fair', both)
  await call('create-task', user, { title: 'Send the quote', contact_id: other })
  await call('create-deal', user, { title: 'Website', contact_id: other })
  return { user, ines, other }
}

test('a merge keeps every entry, address, task and deal of both, and undone each is what it was [spec-135]', async () => {
  const { user, ines, other } = await twoOfOne()
  const [before, otherBefore] = [await known(user, ines), await known(user, other)]
  const merged = await call('merge-contacts', user, { keep_id: ines, merge_id: other })
  expect(merged.status, JSON.stringify(merged.body)).toBe(200)
  const told = () =>
    db.selectFrom('outbox').select('payload').where('user_id', '=', user.id).where('name', '=', 'crm.contact_merged').execute()
  expect(await told()).toEqual([{ payload: { kept_id: ines, merged_id: other } }])
  expect(await known(user, ines)).toMatchObject({
    ...{ name: 'Ines Ortega', email: 'ines@harbour.example', phone: '+351 910 000 000', company: 'harbour.example' },
    ...{ emails: ['ines@harbour.example', 'ines@mill.example'], tags: ['spring', 'vip'], tasks: ['Send the quote'], deals: ['Website'] },
    said: ['Booked a call', 'Booked a visit', 'Came to the fair'],
  })
  expect((await call('show-contact', user, { contact_id: other })).status).toBe(404)
  // Events for the other's address from now on belong to the one that was kept.
  expect(await inTransaction(db, (trx: any) => assertContact(trx, user.id, { email: 'ines@mill.example', source: 'sale' }))).toBe(ines)

  const { merges } = (await call('list-merges', user, { contact_id: ines })).body
  expect(merges).toMatchObject([{ name: 'I. Ortega', email: 'ines@mill.example' }])
  await call('unmerge-contacts', user, { merge_id: merges[0].merge_id })
  expect(await known(user, ines)).toEqual(before)
  expect(await known(user, other)).toEqual(otherBefore)
  expect((await call('unmerge-contacts', user, { merge_id: merges[0].merge_id })).status).toBe(404)
})

test('an undo leaves what was changed or happened since, and merges come apart in the order they were made [spec-135]', async () => {
  const { user, ines, other } = await twoOfOne()
  const third = await add(user, { name: 'Ines O.', email: 'ines@kiln.example' })
  const first = (await call('merge-contacts', user, { keep_id: ines, merge_id: other })).body.merge_id
  const second = (await call('merge-contacts', user, { keep_id: third, merge_id: ines })).body.merge_id
  expect((await known(user, third)).said).toEqual(['Booked a call', 'Booked a visit', 'Came to the fair'])
  expect((await call('unmerge-contacts', user, { merge_id: first })).body.code).toBe('merge_order')
  expect((await call('unmerge-contacts', user, { merge_id: second })).status).toBe(200)
  await call('update-contact', user, { contact_id: ines, phone: '+351 920 000 000' })
  await call('add-note', user, { contact_id: ines, text: 'Wants a quote' })
  expect((await call('unmerge-contacts', user, { merge_id: first })).status).toBe(200)
  expect(await known(user, ines)).toMatchObject({ phone: '+351 920 000 000', said: ['Booked a call', 'Came to the fair', 'Wants a quote'] })
  expect(await known(user, other)).toMatchObject({ phone: '+351 910 000 000', said: ['Booked a visit', 'Came to the fair'] })
})

test('nobody merges contacts of others, a contact is not merged with itself, and what was merged goes with the contact that was deleted', async () => {
  const { user, ines, other } = await twoOfOne()
  const stranger = platform.user()
  const own = await add(stranger, { name: 'Own' })
  for (const body of [
    { keep_id: own, merge_id: other },
    { keep_id: ines, merge_id: other },
  ])
    expect((await call('merge-contacts', stranger, body)).status).toBe(404)
  expect(
    await db.selectFrom('outbox').select('id').where('name', '=', 'crm.contact_merged').where('user_id', '=', stranger.id).execute(),
  ).toEqual([])
  expect((await call('merge-contacts', user, { keep_id: ines, merge_id: ines })).body.code).toBe('merge_itself')
  expect((await call('list-merges', stranger, { contact_id: ines })).body).toEqual({ merges: [], others: [] })
  const { merge_id } = (await call('merge-contacts', user, { keep_id: ines, merge_id: other })).body
  expect((await call('unmerge-contacts', stranger, { merge_id })).status).toBe(404)
  await call('delete-contact', user, { contact_id: ines })
  await update(db, 'contact_images', { user_id: user.id }, { at: new Date(0) })
  await forgetDeleted({ db, signal: new AbortController().signal })
  for (const table of ['contact_merges', 'activities', 'tasks'])
    expect(await db.selectFrom(table).select('id').where('user_id', '=', user.id).execute(), table).toEqual([])
})

test('others that may be the same person are those with its name or its number', async () => {
  const user = platform.user()
  const ines = await add(user, { name: 'Ines Ortega', phone: '+351 910 000 000' })
  const named = await add(user, { name: 'INES ORTEGA' })
  const called = await add(user, { name: 'Café', phone: '+351910000000' })
  await add(user, { name: 'Tom' })
  const { others } = (await call('list-merges', user, { contact_id: ines })).body
  expect(others.map(({ id }: any) => id)).toEqual([named, called].sort())
})
