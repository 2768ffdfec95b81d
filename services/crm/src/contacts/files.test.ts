import { newId } from '@operon/kit/ids'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { crmService } from '../service.ts'

const platform = await startTestService(crmService)
const db: any = platform.services.crm!.rt.db
afterAll(() => platform.close())
const { call } = platform

const add = async (user: TestUser, name: string) => (await call('create-contact', user, { name })).body.contact_id as string
const attach = (user: TestUser, contact_id: string, name: string, file_id: string = newId()) =>
  call('attach-contact-file', user, { contact_id, file_id, name })
const namesOf = async (user: TestUser, contact_id: string) =>
  (await call('contact-files', user, { contact_id })).body.files.map(({ name }: any) => name)

test('files are listed with the newest first, once each, and leave one by one [spec-135]', async () => {
  const user = platform.user()
  const ines = await add(user, 'Ines Ortega')
  const quote = newId()
  expect((await attach(user, ines, 'Quote.pdf', quote)).status).toBe(200)
  await attach(user, ines, 'Shop front.jpg')
  await attach(user, ines, 'Quote, signed.pdf', quote)
  expect(await namesOf(user, ines)).toEqual(['Shop front.jpg', 'Quote, signed.pdf'])
  expect((await call('detach-contact-file', user, { contact_id: ines, file_id: quote })).status).toBe(200)
  expect(await namesOf(user, ines)).toEqual(['Shop front.jpg'])
  expect((await call('detach-contact-file', user, { contact_id: ines, file_id: quote })).status).toBe(404)
})

test('a contact of somebody else has no files for one, and takes none [spec-135]', async () => {
  const [mara, thief] = [platform.user(), platform.user()]
  const ines = await add(mara, 'Ines Ortega')
  const quote = newId()
  await attach(mara, ines, 'Quote.pdf', quote)
  expect((await call('contact-files', thief, { contact_id: ines })).status).toBe(404)
  expect((await attach(thief, ines, 'Evil.pdf')).status).toBe(404)
  expect((await call('detach-contact-file', thief, { contact_id: ines, file_id: quote })).status).toBe(404)
  expect(await namesOf(mara, ines)).toEqual(['Quote.pdf'])
})

test('the hundred and first file is refused, also when the hundredth is being added at that moment [spec-135]', async () => {
  const user = platform.user()
  const ines = await add(user, 'Ines Ortega')
  for (let n = 0; n < 99; n++) await attach(user, ines, `Photo ${n}.jpg`)
  let late: ReturnType<typeof attach>
  // Another process takes the last place, and has not committed yet.
  await inTransaction(db, async (trx: any) => {
    await sql`select from leads where id = ${ines} for update`.execute(trx)
    await trx
      .insertInto('contact_files')
      .values({ id: newId(), user_id: user.id, contact_id: ines, file_id: newId(), name: 'Last.jpg' })
      .execute()
    late = attach(user, ines, 'Late.jpg')
    await new Promise((resolve) => setTimeout(resolve, 500))
  })
  expect((await late!).body.code).toBe('contact_files_full')
  expect(await namesOf(user, ines)).toHaveLength(100)
})

test('files come along with a merge, those of both once, and go back with it [spec-135]', async () => {
  const user = platform.user()
  const [ines, other] = [await add(user, 'Ines Ortega'), await add(user, 'I. Ortega')]
  const both = newId()
  await attach(user, ines, 'Logo.svg', both)
  await attach(user, other, 'Logo.svg', both)
  await attach(user, other, 'Quote.pdf')
  const { merge_id } = (await call('merge-contacts', user, { keep_id: ines, merge_id: other })).body
  expect(await namesOf(user, ines)).toEqual(['Quote.pdf', 'Logo.svg'])
  await call('unmerge-contacts', user, { merge_id })
  expect(await namesOf(user, ines)).toEqual(['Logo.svg'])
  expect(await namesOf(user, other)).toEqual(['Quote.pdf', 'Logo.svg'])
})
