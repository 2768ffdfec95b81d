import type { TestUser } from '@operon/kit/testing/service'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startBilling, type TestBilling } from '../fixture.ts'
import { GETS_DISPUTED, type Selling, sellingOn } from './fixture.ts'

let billing: TestBilling
let selling: Selling
let staff: TestUser
beforeAll(async () => {
  billing = await startBilling()
  selling = sellingOn(billing)
  staff = billing.staff()
})
afterAll(() => billing.close())

const within = { timeout: 15_000, interval: 100 }
const nobodys = '01900000-0000-7000-8000-000000000000'
const reason = 'asked by mail'
const asStaff = (name: string, body: object, headers: Record<string, string> = {}) =>
  billing.call(name, staff, { reason, ...body }, headers)
const idOf = async (sold: { reference: string }) => (await selling.row(sold))!.id
/** The lines of the log about an account, oldest first. */
const logged = async (user: { id: string }) =>
  (await billing.db.selectFrom('staff_actions').select(['action', 'reason']).where('user_id', '=', user.id).orderBy('id').execute()).map(
    (row) => [row.action, row.reason],
  )
const disputedSale = async (seller: Parameters<Selling['sell']>[0]) => {
  const sold = await selling.delivered(seller, 10_000, { card: GETS_DISPUTED })
  await billing.control('stripe/clock/advance', { seconds: 61 })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'open' }), within)
  return sold
}
const evidenceOf = async (charge: string) => (await billing.stripe.disputes.list({ charge })).data[0]!.evidence

test('staff refund a sale in part, once a dialog, never beyond it or a dispute, and the seller’s share goes with it [spec-136] [S21]', {
  timeout: 60_000,
}, async () => {
  const ann = await selling.seller()
  const sold = await selling.sell(ann)
  const { id: sale_id, charge } = (await selling.row(sold))!
  const refund = (body: object, key: string) => asStaff('staff-refund-sale', { sale_id, ...body }, { 'idempotency-key': key })
  const refunds = async () => (await billing.stripe.refunds.list({ charge })).data.map(({ amount }) => amount)

  expect(await refund({ amount_cents: 10_001 }, 'all')).toMatchObject({ status: 409, body: { code: 'refund_too_large' } })
  expect((await refund({ amount_cents: 0 }, 'none')).status).toBe(400)
  expect((await refund({ amount_cents: 100, reason: '' }, 'silent')).status).toBe(400)
  expect((await asStaff('staff-refund-sale', { sale_id: nobodys })).status).toBe(404)
  expect(await refunds()).toEqual([])
  for (const _again of [1, 2])
    expect(await refund({ amount_cents: 2_500 }, 'part')).toMatchObject({ status: 200, body: { amount_cents: 2_500, sale_id } })
  expect(await refunds()).toEqual([2_500])
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 6_000 })
  expect(await refund({ amount_cents: 7_501 }, 'rest')).toMatchObject({ status: 409, body: { code: 'refund_too_large' } })
  expect((await refund({}, 'left')).body).toMatchObject({ amount_cents: 7_500 })
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 0, due_cents: 0, owed_cents: 0 })
  // Also what was refused is in the log, with why it was tried; a call that is only sent again is not.
  expect(await logged(ann)).toEqual(Array.from({ length: 4 }, () => ['refund', reason]))

  const disputed = await idOf(await disputedSale(ann))
  expect(await asStaff('staff-refund-sale', { sale_id: disputed })).toMatchObject({ status: 409, body: { code: 'refund_disputed' } })
  await billing.booksMatch()
})

test('payouts are held and released for one seller, who reads why, and for nobody who sells nothing [spec-136]', {
  timeout: 90_000,
}, async () => {
  const [ann, bob] = [await selling.seller(), await selling.seller()]
  for (const name of ['staff-hold-payouts', 'staff-release-payouts']) {
    expect((await asStaff(name, { user_id: billing.user().id })).status).toBe(404)
    expect((await asStaff(name, { user_id: ann.id, reason: ' ' })).status).toBe(400)
  }
  for (const each of [ann, bob]) await selling.delivered(each)
  expect((await asStaff('staff-hold-payouts', { user_id: ann.id, reason: 'We ask the bank' })).body).toEqual({ held: true })
  await asStaff('staff-hold-payouts', { user_id: ann.id, reason: 'We ask the bank' })
  await selling.toFriday()
  await selling.payoutIs(bob, { amount_cents: 8_000 })
  expect([await selling.payouts(ann), (await selling.balance(ann)).due_cents]).toEqual([[], 8_000])
  const [why] = (await selling.next(ann)).why
  expect(why).toMatchObject({ code: 'held_by_staff', text: expect.stringContaining('We ask the bank') })
  expect((await asStaff('staff-seller', { query: ann.id })).body).toMatchObject({ held_because: 'We ask the bank' })
  expect((await asStaff('staff-seller', { query: bob.id })).body).toMatchObject({ held_because: null })
  expect((await asStaff('staff-release-payouts', { user_id: ann.id })).body).toEqual({ held: false })
  await selling.advance(7)
  await selling.payoutIs(ann, { amount_cents: 8_000 })
  // Held twice and told once.
  expect(await billing.published('billing.payouts_held', ann)).toMatchObject([{ held: true, because: 'We ask the bank' }, { held: false }])
  expect(await logged(ann)).toEqual([
    ['hold payouts', 'We ask the bank'],
    ['hold payouts', 'We ask the bank'],
    ['look up seller', reason],
    ['release payouts', reason],
  ])
  // Each Friday is the sum of the payouts that it has.
  const { runs } = (await asStaff('staff-payout-runs', {})).body
  expect(runs).toMatchObject([
    { payouts: 1, amount_cents: 8_000 },
    { payouts: 1, amount_cents: 8_000 },
  ])
  for (const { paid, pending, returned } of runs) expect(paid + pending + returned).toBe(1)
  await billing.booksMatch()
})

test('a seller is found by address, id or payout account, and whoever sells nothing is not; both looks are logged [spec-36]', async () => {
  const [ann, buyer] = [await selling.seller(), billing.user()]
  await billing.check(buyer)
  const { account } = await billing.db
    .selectFrom('seller_accounts')
    .select('account')
    .where('user_id', '=', ann.id)
    .executeTakeFirstOrThrow()
  for (const query of [ann.email.toUpperCase(), ann.id, account!])
    expect((await asStaff('staff-seller', { query })).body).toMatchObject({ user_id: ann.id, account: { state: 'ready' } })
  for (const query of [buyer.id, buyer.email, 'acct_nobody']) expect((await asStaff('staff-seller', { query })).status).toBe(404)
  expect(await logged(ann)).toHaveLength(3)
  const looks = await billing.db.selectFrom('staff_actions').select('detail').where('action', '=', 'look up seller').execute()
  expect(looks).toContainEqual({ detail: { query: 'acct_nobody' } })
})

test('staff answer the dispute of a sale: a draft stays here, it is sent once, and not after the bank has decided [spec-136]', {
  timeout: 60_000,
}, async () => {
  const ann = await selling.seller()
  const sold = await disputedSale(ann)
  const { id: sale_id, charge } = (await selling.row(sold))!
  const answer = (body: object) => asStaff('staff-submit-evidence', { sale_id, text: 'They downloaded it twice.', ...body })
  expect((await answer({ text: 'Too short' })).status).toBe(400)
  expect((await answer({ sale_id: nobodys })).status).toBe(404)
  expect((await answer({ sale_id: await idOf(await selling.sell(ann)) })).body).toMatchObject({ code: 'dispute_closed' })
  expect((await answer({})).body).toMatchObject({ sent: false })
  expect(await evidenceOf(charge)).toMatchObject({ uncategorized_text: null })
  const listed = async () =>
    (await asStaff('staff-disputes', {})).body.disputes.find(({ payment }: { payment: string }) => payment === charge)
  expect(await listed()).toMatchObject({ sale_id, evidence: 'They downloaded it twice.', evidence_sent_at: null })
  const shown = async () => (await asStaff('staff-seller', { query: ann.id })).body.disputes
  expect(await shown()).toMatchObject([{ sale_id, evidence: 'They downloaded it twice.', evidence_sent_at: null }])
  expect((await answer({ send: true })).body).toMatchObject({ sent: true })
  expect(await shown()).toMatchObject([{ sale_id, evidence_sent_at: expect.any(String) }])
  expect(await evidenceOf(charge)).toMatchObject({
    uncategorized_text: 'They downloaded it twice.',
    product_description: 'Lead qualification',
  })
  expect((await listed()).evidence_sent_at).not.toBeNull()
  for (const send of [false, true])
    expect(await answer({ text: 'Another answer.', send })).toMatchObject({ status: 409, body: { code: 'dispute_closed' } })
  expect(await listed()).toMatchObject({ evidence: 'They downloaded it twice.' })

  const decided = await disputedSale(ann)
  const { id, charge: other } = (await selling.row(decided))!
  const [dispute] = (await billing.stripe.disputes.list({ charge: other })).data
  await billing.stripe.disputes.update(dispute!.id, { evidence: { uncategorized_text: 'losing_evidence' }, submit: true })
  await vi.waitFor(async () => expect(await selling.row(decided)).toMatchObject({ dispute: 'lost' }), within)
  expect(await answer({ sale_id: id, send: true })).toMatchObject({ status: 409, body: { code: 'dispute_closed' } })
  await billing.booksMatch()
})

test('the dispute of a plan is answered by its own id, with what is known of who paid [R5]', { timeout: 60_000 }, async () => {
  const user = await billing.subscribed('basic', GETS_DISPUTED)
  await billing.advance(3.1, user)
  await billing.advance(0.1)
  await billing.becomes(user, { disputed: true })
  const [charge] = (await billing.stripe.charges.list({ customer: await billing.customer(user) })).data
  const dispute = (await billing.stripe.disputes.list({ charge: charge!.id })).data[0]!.id
  const body = { dispute, text: 'The tools were used each day.', send: true }
  expect((await asStaff('staff-submit-evidence', { ...body, dispute: 'dp_nobody' })).status).toBe(404)
  expect((await asStaff('staff-submit-evidence', body)).body).toMatchObject({ dispute, sent: true })
  const { uncategorized_text, customer_email_address, access_activity_log } = await evidenceOf(charge!.id)
  expect([uncategorized_text, customer_email_address]).toEqual([body.text, user.email])
  expect(access_activity_log).toMatch(/^The account was opened at /)
  expect(await logged(user)).toEqual([['send evidence', reason]])
})

test('a refund of a sale that the bank does not take waits for staff, who are told once and book it [spec-136]', {
  timeout: 60_000,
}, async () => {
  const ann = await selling.seller()
  const sold = await selling.sell(ann, 10_000, { card: '4000000000005126' })
  const waiting = async () =>
    (await asStaff('staff-matters', {})).body.matters.filter(({ title }: { title: string }) => title === 'A refund of $100.00 came back')
  await asStaff('staff-refund-sale', { sale_id: await idOf(sold) })
  expect(await waiting()).toEqual([])
  await selling.advance(0.1)
  await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), within)
  const told = { returned_cents: 10_000, email: 'test@example.com', title: 'Lead qualification' }
  for (const name of ['billing.sale_refunded', 'billing.sale_refund_returned'])
    expect([name, await billing.published(name, ann)]).toMatchObject([name, [told]])
  const { rows } = (await asStaff('staff-suspense', {})).body
  const row = rows.find(({ kind }: { kind: string }) => kind === 'refund_failed')
  expect(row).toMatchObject({ amount_cents: 10_000, cleared_as: null })
  await selling.advance(0.1)
  expect(await waiting()).toHaveLength(1)
  expect((await asStaff('staff-clear-suspense', { entry_id: row.id, as: 'refunds' })).status).toBe(200)
  expect(await waiting()).toEqual([])
  await billing.booksMatch()
})
