import { staffPeople } from '@operon/contracts/identity/events'
import { newId } from '@operon/kit/ids'
import type { ServiceDefinition } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { startBilling } from '../fixture.ts'
import { BANKS, GETS_DISPUTED, sellingOn } from '../sellers/fixture.ts'
import { ledgerBalances, post } from './post.ts'

// A platform of its own: what is compared is everything.
const member = newId()
const staff: ServiceDefinition = {
  ...{ name: 'analytics', config: z.object({}), migrations: {} },
  setup: (rt) => rt.answer(staffPeople, async () => ({ ids: [member] })),
}
const billing = await startBilling({}, [staff])
const selling = sellingOn(billing)
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
    { account: 'provider_balance', currency: 'usd', rows: [`charge ${latest_charge}: 650 usd, booked 0`] },
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

test('sales, refunds, a dispute and a payout that came back leave no account of the books different from the provider [spec-136]', {
  timeout: 120_000,
}, async () => {
  const ann = await selling.seller({ number: BANKS.returns })
  const [first] = [await selling.delivered(ann, 20_000), await selling.delivered(ann, 7_001), await selling.sell(ann, 5_000)]
  await selling.delivered(ann, 9_000, { card: GETS_DISPUTED })
  await billing.call('refund-order', ann, {
    sale_id: (await selling.row(first))!.id,
    amount_cents: 3_333,
    reason: 'Half of it was missing',
  })
  await selling.advance(0.01)
  expect(await compared()).toMatchObject({ differences: [] })
  await selling.toFriday()
  await selling.payoutIs(ann, { status: 'pending' })
  expect(await compared()).toMatchObject({ differences: [] })
  await selling.advance(2.5)
  await selling.payoutIs(ann, { status: 'paid' })
  expect(await compared()).toMatchObject({ differences: [] })
  await selling.advance(3.5)
  await vi.waitFor(async () => {
    await selling.sweep()
    expect(await selling.payouts(ann)).toMatchObject([{ status: 'returned' }])
  }, within)
  expect(await compared()).toMatchObject({ differences: [] })
  const open = await billing.db.selectFrom('provider_movements').select('id').where('matched', '=', false).execute()
  expect(open).toEqual([])
})

test('an entry of a wrong amount is named, stops the payouts of its seller alone, and staff are told once [spec-136]', {
  timeout: 90_000,
}, async () => {
  const [ann, bob] = [await selling.seller(), await selling.seller()]
  const sold = await selling.delivered(ann, 10_000)
  await selling.delivered(bob, 10_000)
  await compared()
  const before = await told()
  // Somebody books by hand what never happened, and the provider's list knows nothing of it.
  const { charge } = (await selling.row(sold))!
  await sql`update provider_movements set matched = false where source = ${charge}`.execute(billing.db)
  const wrong = (reference: string, cents: number) => ({
    ...{ reference, kind: 'fee', userId: null, description: 'By hand', occurredAt: new Date() },
    lines: [
      { account: 'provider_balance' as const, currency: 'usd', amountCents: cents },
      { account: 'provider_fees' as const, currency: 'usd', amountCents: -cents },
    ],
  })
  await inTransaction(billing.db, (trx) => post(trx, wrong(`refund_failed:${charge}`, 7)))
  const { differences } = await compared()
  expect(differences).toMatchObject([
    { account: 'provider_balance', rows: [expect.stringMatching(`^charge ${charge}: 9680 usd, booked 9687$`)] },
  ])
  expect(await stopped()).toEqual([ann.id])
  expect((await selling.next(ann)).why.map(({ code }: { code: string }) => code)).toContain('books_differ')
  await compared()
  await vi.waitFor(async () => expect(await told()).toBe(before + 1), within)
  const { matters } = (await billing.call('staff-matters', billing.staff(), { reason: 'Morning' })).body
  expect(matters.filter(({ matter }: { matter: string }) => matter === 'books')).toMatchObject([
    { body: '1 difference found. Payouts to 1 seller wait. The rows are in Staff, Books.' },
  ])
  expect((await billing.call('staff-matters', ann, { reason: 'Morning' })).status).toBe(403)
  // Another mistake makes up for it in the sum: together the two are nothing, and still neither is right.
  await inTransaction(billing.db, (trx) => post(trx, wrong('charge:ch_nobody', -7)))
  expect((await compared()).differences).toMatchObject([{ account: 'provider_balance', rows: [expect.stringMatching(/^charge /)] }])
  await inTransaction(billing.db, (trx) => post(trx, wrong(`dispute_won:${charge}`, -7)))
  expect((await compared()).differences).toMatchObject([
    { account: 'provider_balance', rows: ['booked charge:ch_nobody: -7 usd, unknown to the provider'] },
    { account: 'provider_fees' },
  ])
  await inTransaction(billing.db, (trx) => post(trx, wrong('charge:ch_nobody_either', 7)))
  expect(await compared()).toMatchObject({ differences: [] })
  expect(await stopped()).toEqual([])
})

const stopped = async () =>
  (await billing.db.selectFrom('seller_accounts').select('user_id').where('books_differ', '=', true).execute()).map(
    ({ user_id }) => user_id,
  )
const told = async () =>
  (await billing.published('billing.staff_matter', { id: member } as never)).filter(({ matter }) => matter === 'books').length
