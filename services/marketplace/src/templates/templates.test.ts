import { demoCreated } from '@operon/contracts/identity/events'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestService } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'
import { readLibrary } from './library.ts'
import { LIBRARY_SELLER, seedLibrary } from './seed.ts'

const platform = await startTestService(marketplaceService, { TEMPLATE_LIBRARY: 'on' })
const db: any = platform.services.marketplace!.rt.db
afterAll(() => platform.close())

async function call(body: object) {
  const headers = { ...platform.user().headers, 'content-type': 'application/json' }
  const response = await fetch(`${platform.url()}/functions/v1/template-library`, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await response.json()) as any
}
const titles = async (body: object) => (await call(body)).templates.map(({ title }: any) => title)

test('each chip shows its own templates, all of them are under All, and the search finds words [spec-107]', async () => {
  const library = await readLibrary()
  expect((await titles({})).toSorted()).toEqual(library.map(({ title }) => title).toSorted())
  for (const category of ['Marketing', 'Social Media', 'Support', 'Analytics', 'E-commerce']) {
    const own = library.filter((entry) => entry.category === category).map(({ title }) => title)
    expect(own.length).toBeGreaterThanOrEqual(2)
    expect((await titles({ category })).toSorted()).toEqual(own.toSorted())
  }
  expect(await titles({ q: 'lead qualif' })).toEqual(['Lead Qualification'])
  for (const name of ['Lead Qualification', 'Email Campaign Automation', 'Meeting Scheduler', 'Customer Support Routing'])
    expect(await titles({})).toContain(name)
})

test('what a seller sells as a template stands in the same list, before ours, and nothing else of theirs does', async () => {
  const seller = newId()
  await insert(db, 'profiles', { user_id: seller, display_name: 'Mara', marketplace_slug: `mara-${seller.slice(-6)}`, version: 1 })
  const item = { user_id: seller, category: 'Finance', price_cents: 900, item_type: 'x', is_active: true }
  await db
    .insertInto('items')
    .values([
      { id: newId(), title: 'Paid reminders', kind: 'template', ...item },
      { id: newId(), title: 'A consultation', kind: 'service', ...item },
    ])
    .execute()
  const { templates } = await call({})
  expect(templates[0]).toMatchObject({ title: 'Paid reminders', price_cents: 900, free_path: null })
  expect(templates.map(({ title }: any) => title)).not.toContain('A consultation')
})

test('a free template is downloaded whole by anybody, one that costs something is not, and a second start adds nothing', async () => {
  const { templates } = await call({ q: 'lead qualif' })
  const answer = await fetch(platform.url() + templates[0].free_path)
  expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
    200,
    expect.stringContaining('lead-qualification.workflow.json'),
  ])
  const [entry] = (await readLibrary()).filter(({ slug }) => slug === 'lead-qualification')
  expect(await answer.json()).toEqual(entry!.manifest)
  const paid = await db.selectFrom('items').select('id').where('price_cents', '>', 0).executeTakeFirstOrThrow()
  expect((await fetch(`${platform.url()}/files/v1/marketplace/~free/${paid.id}`)).status).toBe(404)
  const versions = () => db.selectFrom('item_versions').select(['id', 'number']).orderBy('id').execute()
  const before = await versions()
  await Promise.all([seedLibrary(platform.services.marketplace!.rt as never), seedLibrary(platform.services.marketplace!.rt as never)])
  expect(await versions()).toEqual(before)
  expect(await db.selectFrom('items').select('id').where('user_id', '=', LIBRARY_SELLER).execute()).toHaveLength(
    (await readLibrary()).length,
  )
})

test("a buyer's demo has saved products and searches of its own, and nothing is sent for them", async () => {
  const visitors = [platform.user(), platform.user()]
  const ends_at = new Date(Date.now() + 86_400_000).toISOString()
  for (const { id } of visitors) await platform.emit(demoCreated, id, { portal: 'buyer', name: 'Theo', ends_at })
  for (const { headers } of visitors) {
    const ask = async (name: string) => {
      const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' }
      return (await (await fetch(`${platform.url()}/functions/v1/${name}`, init)).json()) as any
    }
    await expect.poll(() => ask('buyer-overview')).toMatchObject({ wishlist: 3, searches: 2, orders: 0 })
    const { wishes } = await ask('my-wishlist')
    expect(wishes.every(({ offer }: any) => offer.price_cents === 0 && offer.seller.slug === 'library')).toBe(true)
    expect((await ask('my-searches')).searches.map(({ mails }: any) => mails)).toEqual([false, false])
  }
})
