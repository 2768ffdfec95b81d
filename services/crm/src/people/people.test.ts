import { signedUp, userCreated, userDeleted, userUpdated } from '@operon/contracts/identity/events'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { crmService } from '../service.ts'

const platform = await startTestService(crmService)
const db: any = platform.services.crm!.rt.db
afterAll(() => platform.close())

const record = (email: string) => ({
  email,
  name: 'Ann',
  referral_code: null,
  signup_date: '2026-11-21T10:00:00Z',
  accept_terms: true,
  accept_marketing: true,
})
const records = (userId: string) => db.selectFrom('sign_up_records').selectAll().where('user_id', '=', userId).execute()
const erased = (userId: string) =>
  db.selectFrom('outbox').select('payload').where('name', '=', 'crm.user_erased').where('user_id', '=', userId).execute()
const settled = async (id: string) => {
  const rows = await db.selectFrom('inbox').select('done_at').where('event_id', '=', id).execute()
  return rows.length > 0 && rows.every((row: { done_at: Date | null }) => row.done_at)
}
async function read(path: string, user: TestUser) {
  const response = await fetch(`${platform.url()}/rest/v1/${path}`, { headers: { ...user.headers, prefer: 'count=exact' } })
  return { status: response.status, range: response.headers.get('content-range'), body: (await response.json()) as any }
}

test('leads, appointments and campaigns are read by their owner [spec-138] [spec-132]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  await insert(
    db,
    'leads',
    [1, 2, 3].map((n) => ({ id: newId(), user_id: ann.id, name: `lead ${n}` })),
  )
  await insert(db, 'appointments', { id: newId(), user_id: ann.id, title: 'call', starts_at: new Date('2026-12-01T09:00:00Z') })
  const campaign = (name: string, sent_count: number, day: number) => ({
    id: newId(),
    user_id: ann.id,
    name,
    sent_count,
    created_at: new Date(Date.UTC(2026, 0, day)),
  })
  await insert(db, 'email_campaigns', [campaign('old', 5, 1), campaign('new', 7, 2)])
  expect((await read(`leads?user_id=eq.${ann.id}`, ann)).range).toBe('0-2/3')
  expect((await read('appointments?select=title,starts_at', ann)).body).toEqual([{ title: 'call', starts_at: '2026-12-01T09:00:00+00:00' }])
  expect((await read('email_campaigns?select=name,sent_count&order=created_at.desc', ann)).body).toEqual([
    { name: 'new', sent_count: 7 },
    { name: 'old', sent_count: 5 },
  ])
  for (const table of ['leads', 'appointments', 'email_campaigns'])
    expect((await read(`${table}?user_id=eq.${ann.id}`, bob)).body).toEqual([])
})

test('a sign-up is kept once, with its consent [spec-27]', async () => {
  const ann = platform.user()
  for (const each of [record('ann@example.com'), { ...record('ann@example.com'), accept_marketing: false }]) {
    const id = await platform.emit(signedUp, ann.id, each)
    await expect.poll(() => settled(id)).toBe(true)
  }
  expect(await records(ann.id)).toMatchObject([{ email: 'ann@example.com', accept_terms: true, accept_marketing: true }])
})

test('a deleted person takes everything along, and a late record leaves nothing', async () => {
  const ann = platform.user()
  const email = `gone-${ann.id}@example.com`
  const kept = await platform.emit(signedUp, ann.id, record(`Gone-${ann.id}@Example.com`))
  await expect.poll(() => settled(kept)).toBe(true)
  await insert(db, 'newsletter_subscribers', { id: newId(), email, status: 'confirmed', unsubscribe_hash: email })
  await insert(db, 'leads', { id: newId(), user_id: ann.id, name: 'x' })
  await platform.emit(userDeleted, ann.id, { version: 2 })
  await expect.poll(() => erased(ann.id)).toHaveLength(1)
  const late = await platform.emit(signedUp, ann.id, record(email))
  await expect.poll(() => settled(late)).toBe(true)
  expect([await records(ann.id), (await read('leads', ann)).body]).toEqual([[], []])
  expect(await db.selectFrom('newsletter_subscribers').select('id').where('email', '=', email).execute()).toEqual([])
})

test('who came by a provider, or changed their address since, leaves the list as well', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const person = (email: string, version: number) => ({ email, name: 'A', referral_code: null, role: null, version })
  const [provider, changed, other] = ['provider', 'changed', 'other'].map((name) => `${name}-${ann.id}@example.com`) as [
    string,
    string,
    string,
  ]
  await db
    .insertInto('newsletter_subscribers')
    .values(
      [provider, changed, other].map((email) => ({
        id: newId(),
        email,
        status: 'confirmed',
        unsubscribe_hash: email,
      })),
    )
    .execute()
  const events = [
    await platform.emit(userCreated, ann.id, person(`P${provider.slice(1)}`, 1)),
    await platform.emit(signedUp, bob.id, record('bob@example.com')),
    await platform.emit(userUpdated, bob.id, person(changed, 2)),
  ]
  for (const id of events) await expect.poll(() => settled(id)).toBe(true)
  for (const { id } of [ann, bob]) {
    await platform.emit(userDeleted, id, { version: 3 })
    await expect.poll(() => erased(id)).toHaveLength(1)
  }
  const left = await db.selectFrom('newsletter_subscribers').select('email').where('email', 'like', `%-${ann.id}@example.com`).execute()
  expect(left.map(({ email }: { email: string }) => email)).toEqual([other])
})
