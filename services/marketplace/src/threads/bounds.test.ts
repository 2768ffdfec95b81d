import { userUpdated } from '@operon/contracts/identity/events'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestPlatform } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { marketplaceService } from '../service.ts'

const platform = await startTestPlatform([marketplaceService, sandboxService], { LIMIT_MARKET_MAIL_PER_WRITER: '6' })
const db: any = platform.services.marketplace!.rt.db
afterAll(() => platform.close())

const within = { timeout: 15_000, interval: 50 }
const { call } = platform
/** A product of a seller who can be written to. */
async function onSale(): Promise<{ item_id: string }> {
  const seller = platform.user()
  const email = `seller-${seller.id}@example.com`
  await platform.emit(userUpdated, seller.id, { email, email_verified: true, name: 'Ann', referral_code: null, role: 'seller', version: 2 })
  const item_id = newId()
  await insert(db, 'items', {
    id: item_id,
    user_id: seller.id,
    title: 'Lead qualification',
    category: 'Sales',
    price_cents: 4900,
    item_type: 'pdf',
    is_active: true,
  })
  return { item_id }
}
const slots = async () => (await sql<{ waits: boolean }>`select due_at > now() as waits from message_slots`.execute(db)).rows

test('one account writes to a bounded number of sellers an hour, goes on where it began, and a guest of no address to none', async () => {
  const buyer = platform.user()
  const items = await Promise.all(Array.from({ length: 22 }, onSale))
  const asked = []
  for (const { item_id } of items) asked.push(await call('ask-seller', buyer, { item_id, text: 'Does it work with HubSpot?' }))
  expect(asked.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429, 429])
  expect(asked.at(-1)!.body.code).toBe('too_many_questions')
  expect((await call('ask-seller', buyer, { item_id: items[0]!.item_id, text: 'And with Pipedrive?' })).status).toBe(200)
  expect((await call('ask-seller', platform.user(), { item_id: items[21]!.item_id, text: 'Hello' })).status).toBe(200)
  const nobody = platform.user({ is_anonymous: true })
  expect((await call('ask-seller', nobody, { item_id: items[0]!.item_id, text: 'Hello' })).body.code).toBe('anonymous_no_messages')
  // The letters of one writer go slowly: half of an hour's at once, the others in their turn.
  await vi.waitFor(async () => expect((await slots()).length).toBe(22), within)
  expect((await slots()).filter(({ waits }) => waits)).toHaveLength(21 - 3)
})
