import { userDeleted } from '@operon/contracts/identity/events'
import { afterAll, expect, test, vi } from 'vitest'
import { GOOD_CARD, startBilling } from '../fixture.ts'

const billing = await startBilling()
afterAll(() => billing.close())

const within = { timeout: 10_000, interval: 50 }

/** An account's credit in our books: the provider's own figure, sign and all. */
async function creditOf(userId: string): Promise<number> {
  const { cents } = await billing.db
    .selectFrom('ledger_postings')
    .innerJoin('ledger_entries', 'ledger_entries.id', 'ledger_postings.entry_id')
    .select(({ fn }) => fn.sum<number>('amount_cents').as('cents'))
    .where('user_id', '=', userId)
    .where('account', '=', 'customer_credit')
    .executeTakeFirstOrThrow()
  return Number(cents ?? 0)
}
const balanceOf = async (customer: string) => ((await billing.stripe.customers.retrieve(customer)) as { balance: number }).balance

test('credit from an invoice below nothing is booked when it is given and when it is used, as the provider has it', {
  timeout: 30_000,
}, async () => {
  const user = await billing.subscribed('pro')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  const customer = await billing.customer(user)
  const [basic] = (await billing.stripe.prices.list({ lookup_keys: ['operon_basic_month_usd_4900'] })).data
  await billing.switchAtProvider(user, basic!.id)
  const given = await balanceOf(customer)
  expect(given).toBeLessThan(-4000)
  await vi.waitFor(async () => expect(await creditOf(user.id)).toBe(given), within)
  await billing.advance(31)
  const left = await balanceOf(customer)
  expect(left).toBeGreaterThan(given)
  await vi.waitFor(async () => expect(await creditOf(user.id)).toBe(left), within)
  await billing.booksMatch()
})

test('what an account that is deleted has left in credit leaves the books with it', async () => {
  const user = await billing.subscribed('basic')
  await billing.stripe.customers.createBalanceTransaction(await billing.customer(user), { amount: -700, currency: 'usd' })
  await vi.waitFor(async () => expect(await creditOf(user.id)).toBe(-700), within)
  await billing.platform.emit(userDeleted, user.id, { version: 9 })
  await vi.waitFor(async () => expect(await creditOf(user.id)).toBe(0), within)
  await billing.booksMatch()
})

test('a payment refunded after its referral was credited takes the credit back, once, and no more than is left', {
  timeout: 40_000,
}, async () => {
  const referrer = await billing.subscribed('basic')
  const { code } = (await billing.call('referral-summary', referrer, {})).body
  const friend = await billing.subscribed('basic', GOOD_CARD, { referral_code: code })
  await billing.advance(3.1)
  await billing.becomes(friend, { status: 'active' })
  await billing.advance(30.5)
  await billing.sweep('billing.credit_referrals')
  await vi.waitFor(async () => expect(await billing.published('billing.referral_credited', referrer)).toHaveLength(1), within)
  await billing.quiet()
  const before = await balanceOf(await billing.customer(referrer))
  expect(before).toBe(await creditOf(referrer.id))
  expect(before).toBeLessThan(0)
  const charges = (await billing.stripe.charges.list({ customer: await billing.customer(friend) })).data
  await billing.stripe.refunds.create({ charge: charges.at(-1)!.id })
  await billing.quiet()
  await Promise.all([billing.sweep('billing.credit_referrals'), billing.sweep('billing.credit_referrals')])
  const state = async () =>
    (await billing.db.selectFrom('referrals').select('state').where('referred_user_id', '=', friend.id).executeTakeFirstOrThrow()).state
  await vi.waitFor(async () => expect(await state()).toBe('void'), within)
  await billing.quiet()
  expect([await balanceOf(await billing.customer(referrer)), await creditOf(referrer.id)]).toEqual([0, 0])
  await billing.booksMatch()
})
