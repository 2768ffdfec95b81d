import { userCreated, userDeleted, userUpdated } from '@operon/contracts/identity/events'
import { storefrontOwner } from '@operon/contracts/marketplace/events'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'

const platform = await startTestService(marketplaceService)
const db: any = platform.services.marketplace!.rt.db
afterAll(() => platform.close())

const person = (name: string | null, version: number) => ({ email: 'a@example.com', name, referral_code: null, role: null, version })

async function read(path: string, user?: TestUser) {
  const response = await fetch(`${platform.url()}/rest/v1/${path}`, user && { headers: user.headers })
  return { status: response.status, body: (await response.json()) as any }
}

test('a profile follows its person, the newest version in any order [spec-138] [spec-139]', async () => {
  const ann = platform.user()
  const own = `user_profiles?user_id=eq.${ann.id}`
  await platform.emit(userUpdated, ann.id, person('Ann Newer', 2))
  await expect.poll(() => read(own, ann)).toMatchObject({ body: [{ user_id: ann.id, display_name: 'Ann Newer', marketplace_slug: null }] })
  const late = await platform.emit(userCreated, ann.id, person('Ann', 1))
  await expect.poll(() => done(late)).toBe(true)
  expect((await read(own, ann)).body[0].display_name).toBe('Ann Newer')
})

test('a seller is read by the exact slug, by anyone; nobody lists sellers [spec-102]', async () => {
  const [seller, other] = [newId(), newId()]
  const slug = `the-shop-${seller}`
  await db
    .insertInto('profiles')
    .values([
      { user_id: seller, display_name: 'Shop', marketplace_slug: slug, version: 1 },
      { user_id: other, display_name: 'Other', marketplace_slug: `other-${slug}`, version: 1 },
    ])
    .execute()
  expect((await read(`user_profiles?marketplace_slug=eq.${slug}`)).body).toEqual([
    { user_id: seller, display_name: 'Shop', marketplace_slug: slug },
  ])
  const { ask } = platform.services.marketplace!.rt
  expect(await ask(storefrontOwner, { slug })).toEqual({ name: 'Shop' })
  expect(await ask(storefrontOwner, { slug: 'no-shop' })).toBeNull()
  for (const query of [
    '',
    `?user_id=eq.${seller}`,
    '?marketplace_slug=like.*',
    `?marketplace_slug=in.(${slug})`,
    `?or=(marketplace_slug.eq.${slug},user_id.not.is.null)`,
    '?marketplace_slug=not.eq.x',
  ])
    expect((await read(`user_profiles${query}`)).body, query).toEqual([])
  expect((await read('user_profiles', platform.user())).body).toEqual([])
})

test("the public sees what is for sale, a seller sees drafts too, and nobody another's [spec-102]", async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const item = (user_id: string, title: string, is_active: boolean) => ({
    id: newId(),
    user_id,
    title,
    category: 'Marketing',
    price_cents: 1999,
    item_type: 'template',
    is_active,
  })
  await insert(db, 'items', [item(ann.id, 'for sale', true), item(ann.id, 'draft', false)])
  const titles = async (user?: TestUser) => (await read(`marketplace_items?user_id=eq.${ann.id}&order=title&select=title,price`, user)).body
  expect(await titles()).toEqual([{ title: 'for sale', price: 19.99 }])
  expect(await titles(bob)).toEqual([{ title: 'for sale', price: 19.99 }])
  expect(await titles(ann)).toHaveLength(2)
  expect((await read('marketplace_items?select=user_id')).body).toEqual([])
  const [{ id }] = (await read(`marketplace_items?user_id=eq.${ann.id}&select=id`)).body
  expect((await read(`marketplace_items?id=eq.${id}&select=user_id`)).body).toEqual([{ user_id: ann.id }])
  for (const wide of [
    'user_id=not.is.null',
    `or=(user_id.eq.${ann.id},id.not.is.null)`,
    `user_id=not.eq.${newId()}`,
    `user_id=in.(${ann.id})`,
  ])
    expect((await read(`marketplace_items?${wide}`)).body).toEqual([])
  const write = await fetch(`${platform.url()}/rest/v1/marketplace_items`, {
    method: 'POST',
    headers: { ...ann.headers, 'content-type': 'application/json' },
    body: '{}',
  })
  expect([write.status, await write.json()]).toMatchObject([403, { code: '42501' }])
})

test('a deleted person is gone, and a late event brings nobody back', async () => {
  const ann = platform.user()
  await insert(db, 'items', { id: newId(), user_id: ann.id, title: 'x', category: 'c', price_cents: 1, item_type: 't', is_active: true })
  await platform.emit(userDeleted, ann.id, { version: 3 })
  await expect
    .poll(() =>
      db.selectFrom('outbox').select('payload').where('name', '=', 'marketplace.user_erased').where('user_id', '=', ann.id).execute(),
    )
    .toMatchObject([{ payload: { deleted: { items: 1 } } }])
  const late = await platform.emit(userUpdated, ann.id, person('Ann', 9))
  await expect.poll(() => done(late)).toBe(true)
  expect((await read('user_profiles', ann)).body).toEqual([])
  expect((await read(`marketplace_items?user_id=eq.${ann.id}`)).body).toEqual([])
  expect(
    await db.selectFrom('profiles').select(['display_name', 'marketplace_slug']).where('user_id', '=', ann.id).executeTakeFirst(),
  ).toEqual({ display_name: null, marketplace_slug: null })
})

/** Whether every handler of an event has run. */
async function done(event: string): Promise<boolean> {
  const rows = await db.selectFrom('inbox').select('done_at').where('event_id', '=', event).execute()
  return rows.length > 0 && rows.every((row: { done_at: Date | null }) => row.done_at)
}
