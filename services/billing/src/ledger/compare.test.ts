import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startBilling, type TestBilling } from '../fixture.ts'
import { ledgerBalances } from './post.ts'

// A platform of its own: what is compared is everything.
let billing: TestBilling
beforeAll(async () => {
  billing = await startBilling()
})
afterAll(() => billing.close())

const within = { timeout: 20_000, interval: 100 }

/** The books as staff see them, after one more comparison. */
async function compared() {
  const staff = billing.staff()
  const before = (await billing.call('staff-books', staff, { reason: 'before' })).body.compared_at
  await billing.call('staff-books', staff, { reason: 'again', compare_again: true })
  return vi.waitFor(async () => {
    const { body } = await billing.call('staff-books', staff, { reason: 'after' })
    expect(body.compared_at).not.toBe(before)
    return body
  }, within)
}

test('after payments, refunds, credit and a dispute every account is as the provider has it', { timeout: 60_000 }, async () => {
  const user = await billing.subscribed('basic')
  const disputed = await billing.subscribed('pro', '4000000000000259')
  await billing.advance(3.1)
  await billing.advance(0.1)
  await billing.becomes(disputed, { disputed: true })
  const customer = await billing.customer(user)
  await billing.stripe.customers.createBalanceTransaction(customer, { amount: -500, currency: 'usd' })
  const [charge] = (await billing.stripe.charges.list({ customer })).data
  await billing.stripe.refunds.create({ charge: charge!.id, amount: 100 })
  await billing.quiet()
  expect(await compared()).toMatchObject({ differences: [], suspense: [{ currency: 'usd', amount_cents: -500 }] })
})

test('a payment that no event told of is named as a difference until it is booked', { timeout: 60_000 }, async () => {
  const user = billing.user()
  await billing.call('create-checkout', user, { plan: 'basic' })
  billing.door.shut = true
  const customer = await billing.customer(user)
  const { latest_charge } = await billing.stripe.paymentIntents.create({
    ...{ amount: 700, currency: 'usd', customer },
    ...{ payment_method: 'pm_card_visa', confirm: true },
  })
  const { differences } = await compared()
  expect(differences).toMatchObject([
    { account: 'provider_balance', currency: 'usd', rows: [expect.stringContaining(`charge ${latest_charge}`)] },
  ])
  expect(differences[0].theirs_cents - differences[0].ours_cents).toBe(700 - 50)
  billing.door.shut = false
  await billing.sweep()
  await billing.booksMatch()
  expect(await compared()).toMatchObject({ differences: [] })
})

test('what the provider pays out to our bank is booked by the comparison, once', { timeout: 60_000 }, async () => {
  await billing.advance(3)
  const payout = await billing.stripe.payouts.create({ amount: 1000, currency: 'usd' })
  const banked = async () =>
    (await ledgerBalances(billing.db)).balances.find(({ account, currency }) => account === 'bank' && currency === 'usd')?.amount_cents
  expect(await compared()).toMatchObject({ differences: [] })
  expect(await banked()).toBe(1000)
  await billing.stripe.payouts.cancel(payout.id)
  expect(await compared()).toMatchObject({ differences: [] })
  expect(await compared()).toMatchObject({ differences: [] })
  expect(await banked()).toBe(0)
  await billing.booksMatch()
})
