import { userCreated, userDeleted } from '@operon/contracts/identity/events'
import { afterAll, expect, test, vi } from 'vitest'
import { startBilling } from '../fixture.ts'

const billing = await startBilling()
afterAll(() => billing.close())

const within = { timeout: 10_000, interval: 50 }

async function signUp(referral_code: string | null = null) {
  const user = billing.user()
  await billing.platform.emit(userCreated, user.id, { email: user.email, name: 'Test', referral_code, role: 'seller', version: 1 })
  await vi.waitFor(async () => expect(await billing.published('billing.subscription_changed', user)).toHaveLength(1), within)
  const summary = (await billing.call('referral-summary', user)).body
  return { user, code: summary.code as string, link: summary.link as string }
}

test('a sign-up gives an account of its own kind: no plan, free limits, a code [spec-17] [spec-39]', async () => {
  const { user, code, link } = await signUp()
  expect(code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/)
  expect(link).toBe(`http://localhost:8080/auth?ref=${code}`)
  expect((await billing.published('billing.subscription_changed', user))[0]).toMatchObject({
    tier: 'none',
    status: 'none',
    limits: { prompts: 25, images: 5, emails: 0 },
    version: 1,
  })
  expect(await billing.check(user)).toMatchObject({ subscribed: false, subscription_tier: null, status: 'none' })
  expect((await billing.call('validate-referral', null, { code: code.toLowerCase() })).body).toEqual({ valid: true, percent_off: 30 })
  expect((await billing.call('validate-referral', null, { code: 'NOSUCH00' })).body).toMatchObject({ valid: false })
})

test('the friend pays 30 % less the first month, the referrer is credited after the refund window, and the credit is used [spec-17]', {
  timeout: 30_000,
}, async () => {
  const referrer = await signUp()
  const friend = await signUp(referrer.code)
  const { url } = (await billing.call('create-checkout', friend.user, { plan: 'basic' })).body
  await billing.pay(url)
  await billing.becomes(friend.user, { status: 'trialing' })
  await billing.advance(3.1)
  await vi.waitFor(
    async () => expect(await billing.published('billing.payment_succeeded', friend.user)).toMatchObject([{ amount_cents: 3430 }]),
    within,
  )
  expect((await billing.call('referral-summary', referrer.user)).body).toMatchObject({
    sign_ups: 1,
    credit_cents: 0,
    credits: [{ state: 'waiting', amount_cents: 1029 }],
  })

  await billing.sweep('billing.credit_referrals')
  await billing.advance(31)
  await vi.waitFor(
    async () =>
      expect(await billing.published('billing.payment_succeeded', friend.user)).toMatchObject([
        { amount_cents: 3430 },
        { amount_cents: 4900 },
      ]),
    within,
  )
  // Anything that happens there now tells us how late it is there.
  await billing.subscribed('basic')
  await Promise.all([billing.sweep('billing.credit_referrals'), billing.sweep('billing.credit_referrals')])
  await vi.waitFor(
    async () =>
      expect((await billing.call('referral-summary', referrer.user)).body).toMatchObject({
        credit_cents: 1029,
        credits: [{ state: 'credited' }],
      }),
    within,
  )
  const customer = await billing.stripe.customers.retrieve(await billing.customer(referrer.user))
  expect(customer).toMatchObject({ balance: -1029 })

  const { url: own } = (await billing.call('create-checkout', referrer.user, { plan: 'basic' })).body
  await billing.pay(own)
  await billing.advance(3.1)
  await vi.waitFor(
    async () => expect(await billing.published('billing.payment_succeeded', referrer.user)).toMatchObject([{ amount_cents: 3871 }]),
    within,
  )
  await vi.waitFor(async () => expect(await kinds(referrer.user.id)).toEqual(['charge', 'credit_granted', 'credit_used', 'fee']), within)
  const month = new Date((await lastEntry(referrer.user.id)).occurred_at).toISOString().slice(0, 7)
  const statement = (await billing.call('statement-export', referrer.user, { month })).body
  expect(statement.csv.split('\r\n')[0]).toBe('date,reference,type,description,amount,currency')
  expect(statement.csv).toContain(',38.71,usd')
  expect(statement.csv).toContain(',10.29,usd')
  const { payments } = (await billing.call('list-payments', referrer.user, { limit: 2 })).body
  expect(payments.map(({ amount_cents, currency }: any) => `${amount_cents} ${currency}`).sort()).toEqual(['1029 usd', '3871 usd'])
  await billing.booksMatch()
})

test('a discount that the trial has used up is given again, so that the first charge is the cheaper one, and is announced so [spec-17]', {
  timeout: 30_000,
}, async () => {
  const referrer = await signUp()
  const friend = await signUp(referrer.code)
  const { url } = (await billing.call('create-checkout', friend.user, { plan: 'pro' })).body
  await billing.pay(url)
  await billing.becomes(friend.user, { status: 'trialing' })
  const customer = await billing.customer(friend.user)
  const discounts = async () => (await billing.stripe.subscriptions.list({ customer })).data[0]!.discounts
  expect(await discounts()).toHaveLength(1)

  // As if a coupon that is good once had been spent on the trial's invoice of nothing.
  await billing.stripe.subscriptions.deleteDiscount((await billing.stripe.subscriptions.list({ customer })).data[0]!.id)
  await billing.quiet()
  await vi.waitFor(async () => expect(await discounts()).toHaveLength(1), within)

  await billing.advance(2.2)
  await billing.sweep()
  await vi.waitFor(
    async () =>
      expect(await billing.published('billing.trial_ending', friend.user)).toMatchObject([{ amount_cents: 6930, price_cents: 9900 }]),
    within,
  )
  await billing.advance(1)
  await vi.waitFor(
    async () => expect(await billing.published('billing.payment_succeeded', friend.user)).toMatchObject([{ amount_cents: 6930 }]),
    within,
  )
  expect(await discounts()).toEqual([])
})

test('a referrer who has left is owed nothing, and holds up nobody else’s credit [spec-17]', { timeout: 40_000 }, async () => {
  const [gone, here] = [await signUp(), await signUp()]
  for (const { code } of [gone, here]) {
    const friend = await billing.subscribed('basic', undefined, { referral_code: code })
    await billing.advance(3.1)
    await billing.becomes(friend, { status: 'active' })
  }
  await billing.call('create-checkout', gone.user, { plan: 'basic' })
  await billing.stripe.customers.del(await billing.customer(gone.user))
  await billing.advance(31)
  await billing.subscribed('basic')
  await billing.sweep('billing.credit_referrals')
  const summary = async ({ user }: typeof here) => (await billing.call('referral-summary', user)).body
  await vi.waitFor(async () => expect(await summary(here)).toMatchObject({ credit_cents: 1029 }), within)
  expect(await summary(gone)).toMatchObject({ credit_cents: 0, credits: [{ state: 'waiting' }] })
  await billing.platform.emit(userDeleted, gone.user.id, { version: 9 })
  await billing.sweep('billing.credit_referrals')
  await billing.booksMatch()
})

test('an unknown or own code is dropped and named, the checkout opens at the full price, and nobody is credited [S21] [spec-17]', async () => {
  for (const [code, dropped] of [
    ['own', 'own'],
    ['NOSUCH00', 'unknown'],
    ['x'.repeat(1500), 'unknown'],
  ] as const) {
    const { user, code: own } = await signUp()
    const { status, body } = await billing.call('create-checkout', user, { plan: 'basic', referral_code: code === 'own' ? own : code })
    expect({ status, dropped: body.referral_dropped }).toEqual({ status: 200, dropped })
    await billing.pay(body.url)
    await billing.becomes(user, { status: 'trialing' })
    await billing.advance(3.1)
    await vi.waitFor(
      async () => expect(await billing.published('billing.payment_succeeded', user)).toMatchObject([{ amount_cents: 4900 }]),
      within,
    )
    expect(await billing.db.selectFrom('referrals').selectAll().where('referred_user_id', '=', user.id).execute()).toEqual([])
  }
})

test('nobody refers themselves, a refunded friend brings nothing, and a code is not for who has paid [S21] [spec-17]', async () => {
  const referrer = await signUp()
  expect((await billing.call('validate-referral', referrer.user, { code: referrer.code })).body).toMatchObject({ valid: false })

  const friend = await billing.subscribed('basic', undefined, { referral_code: referrer.code })
  await billing.advance(3.1)
  await vi.waitFor(
    async () => expect(await billing.published('billing.payment_succeeded', friend)).toMatchObject([{ amount_cents: 3430 }]),
    within,
  )
  const [charge] = (await billing.stripe.charges.list({ customer: await billing.customer(friend) })).data
  await billing.call('staff-refund', billing.staff(), { payment: charge!.id, reason: 'changed their mind' })
  expect((await billing.call('referral-summary', referrer.user)).body).toMatchObject({ sign_ups: 1, credits: [] })

  await billing.call('cancel-subscription', friend)
  await billing.advance(31)
  await billing.becomes(friend, { status: 'canceled' })
  const other = await signUp()
  const again = await billing.call('create-checkout', friend, { plan: 'basic', referral_code: other.code })
  await billing.pay(again.body.url)
  await billing.becomes(friend, { status: 'active' })
  await vi.waitFor(
    async () => expect((await billing.published('billing.payment_succeeded', friend)).at(-1)).toMatchObject({ amount_cents: 4900 }),
    within,
  )
})

test('a deleted user is not charged again and leaves the books without a name', async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  await billing.platform.emit(userDeleted, user.id, { version: 9 })
  // The webhook of the end may be here before the account is closed.
  const account = () => billing.db.selectFrom('accounts').selectAll().where('user_id', '=', user.id).executeTakeFirstOrThrow()
  await vi.waitFor(async () => expect(await account()).toMatchObject({ email: null, name: null }), within)
  await billing.becomes(user, { status: 'canceled', subscribed: false })
  expect((await kinds(user.id)).length).toBeGreaterThan(0)
})

const kinds = async (userId: string) =>
  (await billing.db.selectFrom('ledger_entries').select('kind').where('user_id', '=', userId).orderBy('kind').execute()).map(
    ({ kind }) => kind,
  )
const lastEntry = (userId: string) =>
  billing.db
    .selectFrom('ledger_entries')
    .select('occurred_at')
    .where('user_id', '=', userId)
    .orderBy('occurred_at', 'desc')
    .executeTakeFirstOrThrow()
