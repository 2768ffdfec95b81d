import { afterAll, expect, test, vi } from 'vitest'
import { startBilling } from '../fixture.ts'
import { GETS_DISPUTED, sellingOn } from '../sellers/fixture.ts'

const billing = await startBilling()
const selling = sellingOn(billing)
afterAll(() => billing.close())

const within = { timeout: 15_000, interval: 100 }
const at = '2026-11-20T10:15:00.000Z'
const onRecord = {
  ...{ ordered_at: at, delivered_at: at, email: 'guest@example.com', has_account: false },
  lines: [
    {
      ...{ title: 'Lead qualification', version: 2, files: 3, first_download_at: '2026-11-20T10:20:00.000Z' },
      ...{ activations: 1, reviewed_at: null, rating: null },
    },
  ],
  messages: [{ from: 'buyer' as const, at: '2026-11-21T08:00:00.000Z', text: 'It works well, thank you.' }],
  refund: null,
}

test('what is on record of an order goes to the bank with the seller’s words, once, and the seller reads it before', {
  timeout: 60_000,
}, async () => {
  const [ann, bob] = [await selling.seller(), billing.user()]
  const sold = await selling.sell(ann, 10_000, { card: GETS_DISPUTED })
  billing.orders.set(sold.reference, onRecord)
  await selling.deliver(sold)
  await billing.control('stripe/clock/advance', { seconds: 61 })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'open' }), within)
  const { id } = (await selling.row(sold))!
  const { parts } = (await billing.call('dispute-evidence', ann, { sale_id: id })).body
  expect(parts.map(({ title }: { title: string }) => title)).toEqual(['The purchase', 'Delivery and downloads', 'Messages'])
  expect((await billing.call('dispute-evidence', bob, { sale_id: id })).status).toBe(404)
  const evidence = async () => (await billing.stripe.disputes.list({ limit: 1 })).data[0]!.evidence
  await billing.call('submit-evidence', ann, { sale_id: id, text: 'They downloaded all of it.', send: false })
  expect(await evidence()).toMatchObject({ uncategorized_text: null, access_activity_log: null })
  await billing.call('submit-evidence', ann, { sale_id: id, text: 'They downloaded all of it.', send: true })
  const { uncategorized_text, access_activity_log, customer_name } = await evidence()
  expect([uncategorized_text, customer_name]).toEqual(['They downloaded all of it.', 'Test Person'])
  for (const said of [
    'version 2, 3 files: first downloaded 2026-11-20 10:20 UTC',
    'license key in use on 1 machine',
    '2026-11-21 08:00 UTC, buyer: It works well, thank you.',
    `order ${sold.reference}`,
  ])
    expect(access_activity_log).toContain(said)
})
