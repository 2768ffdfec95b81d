import { newId } from '@operon/kit/ids'
import { update } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { crmService } from '../service.ts'
import { forgetDeleted } from './delete.ts'

const platform = await startTestService(crmService)
const { rt } = platform.services.crm!
const db: any = rt.db
afterAll(() => platform.close())

const call = async (name: string, user: TestUser, body: object) =>
  (await platform.call(name, user, body, { 'idempotency-key': newId() })).body
const contact = async (user: TestUser, name: string) => (await call('create-contact', user, { name })).contact_id as string
const entries = async (user: TestUser, contact_id: string): Promise<any[]> => (await call('show-contact', user, { contact_id })).activities

/** Bob with a note that mentions Ann, her company and a deal. */
async function aNote() {
  const user = platform.user()
  const [bob, ann] = [await contact(user, 'Bob Ray'), await contact(user, 'Ann')]
  const { company_id } = await call('create-company', user, { name: 'Anna Works' })
  const { deal_id } = await call('create-deal', user, { title: 'New roof', amount_cents: 100, currency: 'usd' })
  const mentions = [
    { kind: 'contact', id: ann },
    { kind: 'company', id: company_id },
    { kind: 'deal', id: deal_id },
  ]
  const text = 'Ask @Anna Works and @Ann about @New roof'
  const { activity_id } = await call('add-note', user, { contact_id: bob, text, mentions })
  return { user, bob, ann, company_id, deal_id, activity_id, text, mentions }
}

test('a note mentions a contact, a company and a deal, and each of them tells of it [spec-130]', async () => {
  const { user, bob, ann, company_id, deal_id, text, activity_id } = await aNote()
  const [note] = await entries(user, bob)
  expect(note).toMatchObject({ id: activity_id, text })
  expect(note.mentions).toEqual([
    { kind: 'company', id: company_id, name: 'Anna Works', starts: 4, length: 11 },
    { kind: 'contact', id: ann, name: 'Ann', starts: 20, length: 4 },
    { kind: 'deal', id: deal_id, name: 'New roof', starts: 31, length: 9 },
  ])
  expect((await entries(user, ann))[0]).toMatchObject({
    text: 'Mentioned in a note on Bob Ray',
    mentions: [{ kind: 'contact', id: bob, name: 'Bob Ray', starts: 23, length: 7 }],
  })
  const told = [{ activity_id, contact_id: bob, contact_name: 'Bob Ray', text, at: expect.any(String) }]
  expect((await call('show-company', user, { company_id })).mentions).toEqual(told)
  expect((await call('show-deal', user, { deal_id })).mentions).toEqual(told)
})

test('a mention has the name of now, and what is deleted keeps the name that was written [spec-130]', async () => {
  const { user, bob, ann, company_id, deal_id } = await aNote()
  await call('update-contact', user, { contact_id: ann, name: 'Ann Lee' })
  const names = async () => ((await entries(user, bob)).find(({ kind }) => kind === 'note').mentions ?? []).map(({ name }: any) => name)
  expect(await names()).toEqual(['Anna Works', 'Ann Lee', 'New roof'])
  await call('delete-company', user, { company_id })
  await call('delete-deal', user, { deal_id })
  const { deletion_id } = await call('delete-contact', user, { contact_id: ann })
  expect(await names()).toEqual([])
  await call('restore-contact', user, { deletion_id })
  expect(await names()).toEqual(['Ann Lee'])
  await call('delete-contact', user, { contact_id: ann })
  await update(db, 'contact_images', { user_id: user.id }, { at: new Date(Date.now() - 31 * 86_400_000) })
  await forgetDeleted({ db, signal: new AbortController().signal } as any)
  const kept = await db
    .selectFrom('note_mentions')
    .select(['contact_id'])
    .where('user_id', '=', user.id)
    .where('contact_id', '=', ann)
    .execute()
  expect(kept).toEqual([])
})

test('the note of a merged contact mentions whoever stays, and a deleted note is told of nowhere [spec-130]', async () => {
  const { user, bob, ann, company_id, activity_id } = await aNote()
  const other = await contact(user, 'Ann Lee')
  const { merge_id } = await call('merge-contacts', user, { keep_id: other, merge_id: ann })
  const mentioned = async () => (await entries(user, bob))[0].mentions.find(({ kind }: any) => kind === 'contact')
  expect(await mentioned()).toMatchObject({ id: other, name: 'Ann Lee' })
  await call('unmerge-contacts', user, { merge_id })
  expect(await mentioned()).toMatchObject({ id: ann, name: 'Ann' })
  expect(await call('delete-note', user, { activity_id })).toEqual({ deleted: true })
  expect((await entries(user, ann)).filter(({ text }) => text.startsWith('Mentioned'))).toEqual([])
  expect((await call('show-company', user, { company_id })).mentions).toEqual([])
  expect(await db.selectFrom('note_mentions').select('id').where('user_id', '=', user.id).execute()).toEqual([])
})

test('nobody mentions what is another’s or is not in the text, and the whole note is refused then [spec-130] [S4]', async () => {
  const { mentions, ann } = await aNote()
  const eve = platform.user()
  const own = await contact(eve, 'Ann')
  for (const mention of mentions) {
    const { code } = await call('add-note', eve, { contact_id: own, text: 'See @Ann, @Anna Works and @New roof', mentions: [mention] })
    expect([mention.kind, code]).toEqual([mention.kind, 'not_found'])
  }
  const missing = await call('add-note', eve, { contact_id: own, text: 'See Ann', mentions: [{ kind: 'contact', id: own }] })
  expect(missing).toMatchObject({ code: 'mention_missing', message: 'Write “@Ann” where the note mentions it.' })
  expect((await entries(eve, own)).filter(({ kind }) => kind === 'note')).toEqual([])
  expect(await db.selectFrom('note_mentions').select('id').where('user_id', '=', eve.id).execute()).toEqual([])
  expect(ann).not.toBe(own)
})
