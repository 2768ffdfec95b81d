import { update } from '@operon/kit/testing/rows'
import { afterAll, expect, test, vi } from 'vitest'
import { startBilling } from '../fixture.ts'
import { runFriday } from '../payouts/friday.ts'
import { BANKS, sellingOn } from './fixture.ts'

const billing = await startBilling()
const selling = sellingOn(billing)
afterAll(() => billing.close())

const within = { timeout: 15_000, interval: 100 }

test('a seller onboards, sells to a guest, and is paid on Friday after the hold [spec-136]', { timeout: 90_000 }, async () => {
  const ann = await selling.seller()
  const sold = await selling.sell(ann)
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 8000, due_cents: 0 })
  expect((await selling.next(ann)).why.map(({ code }: { code: string }) => code)).toContain('not_delivered')
  await selling.deliver(sold)
  await selling.toFriday()
  await vi.waitFor(async () => expect(await selling.payouts(ann)).toMatchObject([{ status: 'pending', amount_cents: 8000 }]), within)
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 0, due_cents: 0, on_its_way_cents: 8000 })
  await selling.advance(3)
  await selling.payoutIs(ann, { status: 'paid', amount_cents: 8000, bank_last4: '6789' })
  const [payout] = await selling.payouts(ann)
  const { body } = await billing.call('explain-payout', ann, { payout_id: payout.id })
  expect(body).toMatchObject({ amount_cents: 8000, lines: [{ kind: 'hold_released', amount_cents: 8000 }], why: [{ code: 'paid' }] })
  expect((await billing.call('explain-payout', billing.user(), { payout_id: payout.id })).status).toBe(404)
  expect(billing.sandbox.truth.read({ kind: 'transfer' })).toHaveLength(1)
  await billing.booksMatch()
})

test('a session that was left open cannot say where the money goes: payouts ask for a fresh proof', async () => {
  const hourAgo = [{ method: 'password', timestamp: Math.floor(Date.now() / 1000) - 3600 }]
  expect(await billing.call('start-payouts', billing.user({ amr: hourAgo }), {})).toMatchObject({
    status: 403,
    body: { code: 'aal2_required' },
  })
  expect((await billing.call('start-payouts', billing.user(), {})).status).toBe(200)
})

test('an account at the provider is its own seller’s, also while another waits for one', async () => {
  const [ann, waiting] = [billing.user(), billing.user()]
  for (const user of [waiting, ann]) expect((await billing.call('start-payouts', user, {})).status).toBe(200)
  // As where the provider did not answer.
  for (const user of [waiting, ann]) await update(billing.db, 'seller_accounts', { user_id: user.id }, { account: null })
  expect((await billing.call('start-payouts', ann, {})).status).toBe(200)
  const accountOf = (user: { id: string }) =>
    billing.db.selectFrom('seller_accounts').select('account').where('user_id', '=', user.id).executeTakeFirst()
  expect(await accountOf(waiting)).toEqual({ account: null })
  expect((await accountOf(ann))!.account).toMatch(/^acct_/)
})

test('a payout that the bank returns is due again, says why, and is paid the Friday after [spec-136]', { timeout: 90_000 }, async () => {
  const bob = await selling.seller({ number: BANKS.returns })
  await selling.delivered(bob)
  await selling.toFriday()
  await selling.payoutIs(bob, { status: 'pending' })
  await selling.advance(2.5)
  await selling.payoutIs(bob, { status: 'paid' })
  await selling.advance(3.5)
  await vi.waitFor(async () => {
    await selling.sweep()
    expect(await selling.balance(bob)).toMatchObject({ due_cents: 8000, on_its_way_cents: 0 })
  }, within)
  expect(await selling.payouts(bob)).toMatchObject([{ status: 'returned', returned_because: expect.stringContaining('bank') }])
  expect(await billing.published('billing.payout_returned', bob)).toMatchObject([{ by: 'bank' }])
  const { why, amount_cents } = await selling.next(bob)
  expect([amount_cents, why.map(({ code }: { code: string }) => code)]).toEqual([0, ['account_incomplete', 'bank_returned']])
  // A Friday has one payout, even where nobody remembers that it was decided.
  const { db } = billing
  const accounts = db.updateTable('seller_accounts').where('user_id', '=', bob.id)
  const { state } = await db.selectFrom('seller_accounts').select('state').where('user_id', '=', bob.id).executeTakeFirstOrThrow()
  await accounts.set({ state: 'ready' }).execute()
  await update(db, 'seller_balances', { seller_id: bob.id }, { friday: '2000-01-07' })
  const { friday: paid } = await db.selectFrom('payouts').select('friday').where('seller_id', '=', bob.id).executeTakeFirstOrThrow()
  const { log } = billing.platform.services.billing!.rt
  expect(await runFriday({ db, log }, new Date(`${paid}T12:00:00Z`))).toBe(0)
  const balance = db.selectFrom('seller_balances').select('friday').where('seller_id', '=', bob.id)
  expect(await balance.execute()).toEqual([{ friday: paid }])
  expect(await selling.payouts(bob)).toHaveLength(1)
  await accounts.set({ state }).execute()
  await selling.onboard(bob, { number: BANKS.takes })
  await selling.advance(0.01)
  await vi.waitFor(
    async () => expect((await billing.call('payout-account', bob, { refresh: true })).body).toMatchObject({ ready: true }),
    within,
  )
  // The first bank account is no change; another one is told once, so that an owner hears of a thief's.
  expect(await billing.published('billing.payout_bank_changed', bob)).toMatchObject([{ bank_last4: '6789' }])
  await selling.toFriday()
  await selling.advance(3)
  await vi.waitFor(async () => expect(await selling.payouts(bob)).toMatchObject([{ status: 'paid', amount_cents: 8000 }, {}]), within)
  await billing.booksMatch()
})
