import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startBilling, type TestBilling } from '../fixture.ts'
import { type Selling, sellingOn } from '../sellers/fixture.ts'

let billing: TestBilling
let selling: Selling
beforeAll(async () => {
  billing = await startBilling()
  selling = sellingOn(billing)
})
afterAll(() => billing.close())

const within = { timeout: 15_000, interval: 100 }
const account = async (user: { id: string }) =>
  billing.db.selectFrom('seller_accounts').selectAll().where('user_id', '=', user.id).executeTakeFirstOrThrow()
const matters = async () =>
  (await billing.call('staff-matters', billing.staff(), { reason: 'Morning' })).body.matters.filter(
    ({ matter }: { matter: string }) => matter === 'payout',
  )

test('a transfer that is refused for good is tried once, is due again, and waits until staff or the provider move [spec-136]', {
  timeout: 90_000,
}, async () => {
  const ann = await selling.seller()
  await selling.delivered(ann)
  await billing.order({ kind: 'status', status: 400, match: 'POST /v1/transfers', times: 1 })
  await selling.toFriday()
  await vi.waitFor(async () => expect(await selling.payouts(ann)).toMatchObject([{ status: 'returned' }]), within)
  expect(await selling.balance(ann)).toMatchObject({ due_cents: 8_000, on_its_way_cents: 0 })
  expect((await selling.next(ann)).why.map(({ code }: { code: string }) => code)).toEqual(['refused', 'bank_returned'])
  expect(await matters()).toMatchObject([{ title: 'A payout of $80.00 was refused', body: expect.stringContaining(ann.id) }])
  expect(await billing.published('billing.payout_returned', ann)).toHaveLength(1)
  await selling.advance(7)
  expect(await selling.payouts(ann)).toHaveLength(1)
  expect(billing.sandbox.truth.read({ kind: 'transfer' })).toEqual([])
  await billing.call('staff-release-payouts', billing.staff(), { user_id: ann.id, reason: 'The provider mended it' })
  await selling.advance(7)
  await selling.advance(3)
  await vi.waitFor(async () => expect(await selling.payouts(ann)).toMatchObject([{ status: 'paid', amount_cents: 8_000 }, {}]), within)
  await billing.booksMatch()
})

test('an account that the provider has turned away gets nothing more, and its seller reads why', { timeout: 60_000 }, async () => {
  const bob = await selling.seller()
  await selling.delivered(bob)
  await selling.advance(7.1)
  await billing.stripe.accounts.reject((await account(bob)).account!, { reason: 'fraud_other' })
  await billing.quiet()
  // As if its news had not come yet.
  await billing.db.updateTable('seller_accounts').set({ state: 'ready' }).where('user_id', '=', bob.id).execute()
  await selling.toFriday()
  await vi.waitFor(async () => expect(await selling.payouts(bob)).toMatchObject([{ status: 'returned' }]), within)
  expect((await selling.next(bob)).why[0]).toMatchObject({ code: 'account_incomplete' })
  expect(await account(bob)).toMatchObject({ state: 'stopped', refused_because: expect.stringContaining('capabilities') })
  await selling.advance(7)
  expect(await selling.payouts(bob)).toHaveLength(1)
})

test('a sale that is disputed after its payout is set aside from what becomes due next, until the bank decides [spec-136]', {
  timeout: 90_000,
}, async () => {
  const cyd = await selling.seller()
  const first = await selling.delivered(cyd)
  await selling.toFriday()
  await selling.advance(3)
  await selling.payoutIs(cyd, { status: 'paid' })
  const { charge, id } = (await selling.row(first))!
  await billing.control('stripe/disputes', { charge })
  await vi.waitFor(async () => expect(await selling.row(first)).toMatchObject({ dispute: 'open' }), within)
  expect(await selling.balance(cyd)).toMatchObject({ reserved_cents: 0, due_cents: 0 })
  await selling.delivered(cyd, 15_000)
  await selling.toFriday()
  expect(await selling.balance(cyd)).toMatchObject({ reserved_cents: 8_000, due_cents: 4_000, held_cents: 0 })
  expect((await selling.next(cyd)).why.map(({ code }: { code: string }) => code)).toEqual(['below_minimum', 'disputed'])
  expect(await selling.payouts(cyd)).toHaveLength(1)
  await billing.call('submit-evidence', cyd, { sale_id: id, text: 'losing_evidence', send: true })
  await vi.waitFor(async () => expect(await selling.row(first)).toMatchObject({ dispute: 'lost' }), within)
  expect(await selling.balance(cyd)).toMatchObject({ reserved_cents: 0, due_cents: 4_000, owed_cents: 0 })
  await billing.booksMatch()
})

test('a bank that takes back more than was paid costs the seller their share and no more [spec-136]', { timeout: 60_000 }, async () => {
  const dee = await selling.seller()
  const sold = await selling.sell(dee, 10_000)
  const { charge, id } = (await selling.row(sold))!
  await billing.control('stripe/disputes', { charge, amount: 10_700 })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'open' }), within)
  await billing.call('submit-evidence', dee, { sale_id: id, text: 'losing_evidence', send: true })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'lost', refunded_cents: 10_000 }), within)
  expect(await selling.balance(dee)).toMatchObject({ held_cents: 0, owed_cents: 0 })
  const losses = await billing.db
    .selectFrom('ledger_postings as p')
    .innerJoin('ledger_entries as e', 'e.id', 'p.entry_id')
    .select('p.amount_cents')
    .where('e.sale_id', '=', id)
    .where('p.account', '=', 'dispute_losses')
    .execute()
  expect(losses).toEqual([{ amount_cents: 700 }])
  await billing.booksMatch()
})
