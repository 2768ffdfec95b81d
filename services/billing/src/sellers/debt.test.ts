import type { TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test, vi } from 'vitest'
import { startBilling } from '../fixture.ts'
import { sellingOn } from './fixture.ts'

const billing = await startBilling()
const selling = sellingOn(billing)
afterAll(() => billing.close())

const within = { timeout: 15_000, interval: 100 }
const staff = billing.staff()
const asStaff = (name: string, body: object) => billing.call(name, staff, { reason: 'Looked into it', ...body })
/** The open matters of staff that name this seller. */
const waiting = async ({ id }: TestUser) =>
  (await asStaff('staff-matters', {})).body.matters.filter(({ body }: { body: string }) => body.includes(id))
const idOf = async (sold: { reference: string }) => (await selling.row(sold))!.id
/** A seller who was paid for each of these on a Friday, and has nothing left. */
async function paidOut(...prices: number[]) {
  const seller = await selling.seller()
  const sold = []
  for (const price of prices) sold.push(await selling.delivered(seller, price))
  await selling.toFriday()
  await selling.advance(3)
  await selling.payoutIs(seller, { status: 'paid' })
  return { seller, sales: await Promise.all(sold.map(idOf)) }
}
const refund = (seller: TestUser, sale_id: string, more: object = {}) =>
  billing.call('refund-order', seller, { sale_id, reason: 'They asked for it', ...more })
const refused = { status: 409, body: { code: 'refund_needs_staff' } }

test('refunds of money that was paid out end at a debt of $100: the next one is staff’s, who are told of it and of the debt [spec-136]', {
  timeout: 90_000,
}, async () => {
  const { seller, sales } = await paidOut(10_000, 10_000, 10_000)
  const [first, second, third] = sales as [string, string, string]
  const refunds = async () => (await billing.stripe.refunds.list({ limit: 100 })).data.length
  const before = await refunds()
  expect((await refund(seller, first)).status).toBe(200)
  expect(await waiting(seller)).toEqual([])
  const preview = async (body: object) => (await billing.call('preview-refund', seller, { reason: 'Asked', ...body })).body
  expect(await preview({ sale_id: second })).toMatchObject({ becomes_owed_cents: 8_000, needs_staff: true })
  expect(await preview({ sale_id: second, amount_cents: 2_000 })).not.toHaveProperty('needs_staff')
  for (const _again of [1, 2]) expect(await refund(seller, second)).toMatchObject(refused)
  expect(await refunds()).toBe(before + 1)
  expect(await selling.balance(seller)).toMatchObject({ owed_cents: 8_000 })
  expect(await waiting(seller)).toMatchObject([
    { title: 'A refund of $100.00 waits for you', subject: second, body: expect.stringContaining('$80.00 of it they no longer have') },
  ])
  // Staff send it: the matter ends, and that of the debt begins, with its rows.
  expect((await asStaff('staff-refund-sale', { sale_id: second })).status).toBe(200)
  const [debt] = await waiting(seller)
  expect(debt).toMatchObject({ title: 'A seller owes $160.00', subject: seller.id, matter: 'payout' })
  for (const sale of [first, second]) expect(debt.body).toContain(`$80.00 of sale ${sale}`)
  // It grows, and is closed by hand or as it is settled.
  expect(await refund(seller, third, { amount_cents: 100 })).toMatchObject(refused)
  expect((await asStaff('staff-refund-sale', { sale_id: third, amount_cents: 1_000 })).status).toBe(200)
  expect(await waiting(seller)).toMatchObject([{ id: debt.id, title: 'A seller owes $168.00' }])
  await selling.sell(seller, 30_000)
  expect([await selling.balance(seller), await waiting(seller)]).toMatchObject([{ owed_cents: 0 }, []])
  await billing.booksMatch()
})

test('many refunds at once come to no larger debt than one after the other, and a refund that the balance covers waits for nobody', {
  timeout: 90_000,
}, async () => {
  const { seller, sales } = await paidOut(6_000, 6_000, 6_000, 6_000)
  const fresh = await idOf(await selling.sell(seller, 50_000))
  const answers = await Promise.all(sales.map((sale) => refund(seller, sale)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409])
  expect(await selling.balance(seller)).toMatchObject({ owed_cents: 9_600 })
  expect((await refund(seller, fresh)).status).toBe(200)
  await billing.booksMatch()
})

test('a fourth refund in a week that leaves a debt is staff’s, however small, and a week later is not', { timeout: 90_000 }, async () => {
  const { seller, sales } = await paidOut(2_000, 2_000, 2_000, 2_000, 2_000)
  const part = { amount_cents: 100 }
  for (const sale of sales.slice(0, 3)) expect((await refund(seller, sale, part)).status).toBe(200)
  expect(await refund(seller, sales[3]!, part)).toMatchObject(refused)
  const [asked] = await waiting(seller)
  expect(asked.body).toContain('3 of their refunds this week left a debt')
  expect((await asStaff('staff-close-matter', { matter_id: asked.id })).body).toEqual({ closed: true })
  expect([await waiting(seller), (await asStaff('staff-close-matter', { matter_id: asked.id })).status]).toEqual([[], 404])
  await selling.advance(7.1)
  expect((await refund(seller, sales[3]!, part)).status).toBe(200)
})

test('a debt that a lost dispute leaves is told as well', { timeout: 60_000 }, async () => {
  const { seller, sales } = await paidOut(20_000)
  const row = await billing.db.selectFrom('sales').selectAll().where('id', '=', sales[0]!).executeTakeFirstOrThrow()
  await billing.control('stripe/disputes', { charge: row.charge })
  await vi.waitFor(async () => expect(await selling.row(row)).toMatchObject({ dispute: 'open' }), within)
  await billing.call('submit-evidence', seller, { sale_id: sales[0], text: 'losing_evidence', send: true })
  await vi.waitFor(async () => expect(await waiting(seller)).toMatchObject([{ title: 'A seller owes $160.00' }]), within)
  const events = await billing.db.selectFrom('staff_matters').select('matter').where('subject', '=', seller.id).execute()
  expect(events).toEqual([{ matter: 'payout' }])
})

test('a whole refund whose answer was lost is the same one when it is asked for again, also after the webhook has told of it [R3]', {
  timeout: 60_000,
}, async () => {
  const seller = await selling.seller()
  const sold = await selling.sell(seller)
  const asked = { sale_id: await idOf(sold), reason: 'All of it' }
  const send = () => billing.call('refund-order', seller, asked, { 'idempotency-key': 'all-of-it' })
  await billing.order({ kind: 'reset_after', match: 'POST /v1/refunds', times: 3 })
  expect((await send()).status).toBeGreaterThanOrEqual(500)
  await billing.quiet()
  expect(await selling.row(sold)).toMatchObject({ refunded_cents: 10_000 })
  expect(await send()).toMatchObject({ status: 200, body: { amount_cents: 10_000 } })
})
