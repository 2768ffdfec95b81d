import { randomBytes } from 'node:crypto'
import { insert } from '@operon/kit/testing/rows'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { FAILS_ON_CHARGE, startBilling } from '../fixture.ts'

const billing = await startBilling()
afterAll(() => billing.close())
afterEach(async () => {
  billing.door.hold = false
  await billing.mend()
})

const within = { timeout: 10_000, interval: 50 }

/** Signed as the provider signs. */
async function send(type: string, object: object, id = `evt_made${randomBytes(8).toString('hex')}`) {
  const body = JSON.stringify({ id, object: 'event', type, created: Math.floor(Date.now() / 1000), livemode: false, data: { object } })
  const signature = billing.stripe.webhooks.generateTestHeaderString({ payload: body, secret: await billing.secret() })
  return { id, status: await billing.door.pass({ body: Buffer.from(body), signature }) }
}
const eventOf = (id: string) => billing.db.selectFrom('provider_events').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('sixty events of one customer at once are all taken in, and a few looks at the provider are enough for them [R4]', async () => {
  const user = await billing.subscribed('basic')
  const customer = await billing.customer(user)
  const looks = async () =>
    (await billing.db.selectFrom('subscriptions').select('looks').where('user_id', '=', user.id).executeTakeFirstOrThrow()).looks
  const before = await looks()
  const sent = await Promise.all(
    Array.from({ length: 60 }, () => send('customer.subscription.updated', { object: 'subscription', customer })),
  )
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(await Promise.all(sent.map(async ({ id }) => (await eventOf(id)).status)))).toEqual(new Set(['done']))
  expect((await looks()) - before).toBeLessThan(30)
})

test('an event that cannot be handled does not hold up those that came with it, and is tried again later', async () => {
  const user = await billing.subscribed('basic')
  const customer = await billing.customer(user)
  await billing.order({ kind: 'slow_headers', match: 'GET /v1/subscriptions', ms: 300 })
  const sent = await Promise.all([
    send('customer.subscription.updated', { object: 'subscription', customer }),
    send('charge.succeeded', { id: 'ch_nobody_knows', object: 'charge', customer }),
    send('customer.subscription.updated', { object: 'subscription', customer }),
  ])
  const [first, poison, third] = await Promise.all(sent.map(({ id }) => eventOf(id)))
  expect([first, third]).toMatchObject([{ status: 'done' }, { status: 'done' }])
  expect(poison).toMatchObject({ status: 'failed', attempts: 1, error: expect.stringContaining('ch_nobody_knows') })
  expect(poison!.next_at.getTime()).toBeGreaterThan(Date.now())
  await billing.db.deleteFrom('provider_events').where('id', '=', poison!.id).execute()
})

test('what an instance stored and did not live to handle is taken up by another [R1] [R6]', async () => {
  const user = await billing.subscribed('basic')
  billing.door.hold = true
  await billing.advance(3.1)
  const [updated] = (await billing.stripe.events.list({ type: 'customer.subscription.updated', limit: 1 })).data
  expect(await billing.check(user)).toMatchObject({ status: 'trialing' })
  await insert(billing.db, 'provider_events', {
    id: updated!.id,
    type: updated!.type,
    created_at: new Date(updated!.created * 1000),
    status: 'waiting',
    error: null,
    payload: JSON.stringify(updated),
  })
  await billing.becomes(user, { status: 'active' })
  await vi.waitFor(async () => expect(await eventOf(updated!.id)).toMatchObject({ status: 'done', payload: null }), within)
})

test('a card that does not pay is written about when it was a renewal, and not at the checkout or at a switch', async () => {
  const user = await billing.subscribed('basic')
  const customer = await billing.customer(user)
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  const declined = { amount: 4900, currency: 'usd', customer, payment_method: 'pm_card_chargeDeclined', confirm: true }
  await expect(billing.stripe.paymentIntents.create(declined)).rejects.toThrow('declined')
  await billing.inPortal(user, 'card', { number: FAILS_ON_CHARGE })
  expect(await billing.call('switch-plan', user, { plan: 'pro' })).toMatchObject({ status: 402 })
  await billing.quiet()
  const { data: told } = await billing.stripe.events.list({ type: 'charge.failed' })
  expect(told.map(({ data }) => (data.object as { customer: string }).customer)).toContain(customer)
  expect(await billing.published('billing.payment_failed', user)).toEqual([])

  await billing.advance(31)
  await billing.becomes(user, { status: 'past_due' })
  expect(await billing.published('billing.payment_failed', user)).toMatchObject([{ amount_cents: 4900, currency: 'usd' }])
})
