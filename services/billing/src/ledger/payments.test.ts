import { afterAll, expect, test, vi } from 'vitest'
import { startBilling } from '../fixture.ts'
import { ledgerBalances } from './post.ts'

const billing = await startBilling()
afterAll(() => billing.close())

const within = { timeout: 10_000, interval: 50 }
const REFUND_COMES_BACK = '4000000000005126'
const GETS_DISPUTED = '4000000000000259'

const balance = async (account: string) =>
  (await ledgerBalances(billing.db)).balances.find((each) => each.account === account && each.currency === 'usd')?.amount_cents ?? 0
const entriesOf = async (kind: string, userId: string) =>
  billing.db.selectFrom('ledger_entries').select('reference').where('kind', '=', kind).where('user_id', '=', userId).execute()
const chargeOf = async (customer: string) => (await billing.stripe.charges.list({ customer })).data[0]!

/** A person without a plan whose card pays for something that we know nothing of. */
async function strangePayment(amount: number, card = 'pm_card_visa') {
  const user = billing.user()
  await billing.call('create-checkout', user, { plan: 'basic' })
  const customer = await billing.customer(user)
  await billing.stripe.paymentIntents.create({ amount, currency: 'usd', customer, payment_method: card, confirm: true })
  await billing.quiet()
  return { user, customer }
}

test('a payment that no subscription asked for is kept in suspense, earns nothing and uses up no referral', async () => {
  const [suspense, revenue] = [await balance('suspense'), await balance('subscription_revenue')]
  const { user, customer } = await strangePayment(500)
  expect([await balance('suspense'), await balance('subscription_revenue')]).toEqual([suspense - 500, revenue])
  expect(await billing.published('billing.payment_succeeded', user)).toEqual([])
  const friend = billing.user()
  const { code } = (await billing.call('referral-summary', friend)).body
  expect((await billing.call('create-checkout', user, { plan: 'basic', referral_code: code })).body).not.toHaveProperty('referral_dropped')
  expect(
    await billing.db.selectFrom('referrals').select('state').where('referred_user_id', '=', user.id).executeTakeFirstOrThrow(),
  ).toEqual({ state: 'signed_up' })
  // A payment by mistake goes back out of the account where it was put.
  await billing.stripe.refunds.create({ charge: (await chargeOf(customer)).id })
  await billing.quiet()
  expect(await balance('suspense')).toBe(suspense)
  expect((await billing.call('list-payments', user, {})).body.payments).toMatchObject([{ kind: 'refund' }, { kind: 'charge' }])
  await billing.booksMatch()
})

test('a refund that the bank sends back is booked back, and its person hears of it', async () => {
  const user = await billing.subscribed('basic', REFUND_COMES_BACK)
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  const suspense = await balance('suspense')
  await billing.stripe.refunds.create({ charge: (await chargeOf(await billing.customer(user))).id })
  await billing.quiet()
  await billing.booksMatch()
  await billing.advance(0.1)
  await vi.waitFor(
    async () => expect(await billing.published('billing.refund_returned', user)).toMatchObject([{ amount_cents: 4900 }]),
    within,
  )
  expect(await balance('suspense')).toBe(suspense - 4900)
  const { matters } = (await billing.call('staff-matters', billing.staff(), { reason: 'Morning' })).body
  expect(matters).toContainEqual(expect.objectContaining({ matter: 'suspense', title: 'A refund of $49.00 came back' }))
  await billing.booksMatch()
})

test('each fee of a dispute is booked: the one taken at first, and the one that a won dispute gives back', async () => {
  const user = await billing.subscribed('basic', GETS_DISPUTED)
  await billing.advance(3.1)
  await billing.advance(0.1)
  await vi.waitFor(async () => expect(await entriesOf('dispute_fee', user.id)).toHaveLength(1), within)
  const [dispute] = (await billing.stripe.disputes.list({ charge: (await chargeOf(await billing.customer(user))).id })).data
  await billing.stripe.disputes.update(dispute!.id, { evidence: { uncategorized_text: 'winning_evidence' } })
  await vi.waitFor(async () => expect(await entriesOf('dispute_fee', user.id)).toHaveLength(2), within)
  expect(await entriesOf('dispute_won', user.id)).toEqual([{ reference: `dispute_won:${dispute!.id}` }])
  expect(await balance('disputed')).toBe(0)
  await billing.booksMatch()
})

test('a price without metadata of its own counts as the plan whose product it sells, and any other as none', async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  const recurring = { interval: 'month' as const }
  const special = await billing.stripe.prices.create({ product: 'operon_pro', currency: 'usd', unit_amount: 7900, recurring })
  await billing.switchAtProvider(user, special.id)
  await billing.becomes(user, { subscription_tier: 'pro' })
  const other = await billing.stripe.products.create({ name: 'Something else' })
  const strange = await billing.stripe.prices.create({ product: other.id, currency: 'usd', unit_amount: 100, recurring })
  await billing.switchAtProvider(user, strange.id)
  // A paid period stays until its end.
  await billing.advance(31)
  await vi.waitFor(
    async () => expect((await billing.published('billing.subscription_changed', user)).at(-1)).toMatchObject({ tier: 'none' }),
    within,
  )
})
