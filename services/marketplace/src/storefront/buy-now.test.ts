import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestService } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'

const platform = await startTestService(marketplaceService)
const db: any = platform.services.marketplace!.rt.db
afterAll(() => platform.close())

const buy = (item_id: string, headers: Record<string, string>) =>
  fetch(`${platform.url()}/functions/v1/buy-now`, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams({ item_id }) })

test('the form of a product page is taken from our own pages alone, and says why no checkout opens [spec-104]', async () => {
  const [id, user_id] = [newId(), newId()]
  const item = { id, user_id, title: 'Guide', category: 'Sales', price_cents: 4900, item_type: 'pdf', is_active: false }
  await insert(db, 'items', item)
  for (const headers of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect((await buy(id, headers as Record<string, string>)).status, JSON.stringify(headers)).toBe(403)
  expect(await db.selectFrom('orders').select('id').where('item_id', '=', id).execute()).toEqual([])
  const refused = await buy(id, { 'sec-fetch-site': 'same-origin' })
  expect([refused.status, refused.headers.get('content-type')]).toEqual([409, 'text/html; charset=utf-8'])
  expect(await refused.text()).toContain('This product is not for sale right now.')
  expect((await buy(newId(), { 'sec-fetch-site': 'same-origin' })).status).toBe(404)
})
