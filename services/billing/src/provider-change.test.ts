import { afterEach, beforeEach, expect, test } from 'vitest'
import { startBilling, type TestBilling } from './fixture.ts'
import { ledgerBalances } from './ledger/post.ts'
import { belongTo } from './provider-change.ts'

let billing: TestBilling
beforeEach(async () => {
  billing = await startBilling()
})
afterEach(() => billing.close())

test('a key in the sandbox’s place: accounts begin anew, balances are closed; what a live key made is not left behind [spec-42] [spec-44]', async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1)
  await billing.becomes(user, { status: 'active' })
  await billing.quiet()
  expect((await ledgerBalances(billing.db)).balances).not.toEqual([])

  expect(await belongTo(billing.db, 'sandbox')).toBe('same')
  expect(await billing.check(user)).toMatchObject({ status: 'active' })
  expect(await belongTo(billing.db, 'test')).toBe('moved')
  expect(await billing.check(user)).toMatchObject({ status: 'none', subscribed: false, subscription_tier: null, trial_end: null })
  expect((await billing.published('billing.subscription_changed', user)).at(-1)).toMatchObject({ tier: 'none', status: 'none' })
  const account = await billing.db.selectFrom('accounts').selectAll().where('user_id', '=', user.id).executeTakeFirstOrThrow()
  expect(account).toMatchObject({ stripe_customer_id: null, trial_used_at: null })
  const { balances, unbalanced, entries } = await ledgerBalances(billing.db)
  expect(balances.filter(({ amount_cents }) => amount_cents !== 0)).toEqual([])
  expect([unbalanced, entries]).toEqual([0, 3])

  expect(await belongTo(billing.db, 'live')).toBe('moved')
  await expect(belongTo(billing.db, 'test')).rejects.toThrow('live Stripe account')
})
