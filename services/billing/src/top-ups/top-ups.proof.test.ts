import { topUpChanged } from '@operon/contracts/billing/top-ups'
import { type TopUpUnit, topUpOf } from '@operon/contracts/plans'
import { aiCloseTopUp, aiTopUpDrawn } from '@operon/contracts/top-ups'
import type { ServiceDefinition } from '@operon/kit/service'
import { insert, update } from '@operon/kit/testing/rows'
import type { TestUser } from '@operon/kit/testing/service'
import { inTransaction } from '@operon/kit/tx'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { erasure } from '../erasure.ts'
import { startBilling } from '../fixture.ts'
import { ledgerBalances } from '../ledger/post.ts'
import { closeMonths, endOf } from '../months/close.ts'

/** The meter's answer when a top-up is closed; null where it is down. */
const leftAt = new Map<string, number | null>()
const meter: ServiceDefinition = {
  name: 'ai-gateway',
  config: z.object({}),
  migrations: {},
  setup: (rt) =>
    rt.answer(aiCloseTopUp, async (_ctx, { top_up_id, units }) => {
      const left = leftAt.get(top_up_id)
      if (left === null) throw new Error('down')
      return { left: left ?? units }
    }),
}
const billing = await startBilling({}, [meter])
afterAll(() => billing.close())

const timeout = 60_000
const within = { timeout: 10_000, interval: 50 }
const { units, priceCents } = topUpOf('prompts')
const rowOf = (id: string) => billing.db.selectFrom('top_ups').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const list = async (user: TestUser) => (await billing.call('list-top-ups', user)).body
const balances = async () =>
  Object.fromEntries((await ledgerBalances(billing.db)).balances.map(({ account, amount_cents }) => [account, amount_cents]))

async function bought(user: TestUser, unit: TopUpUnit = 'prompts', address: Record<string, string> = {}) {
  const opened = await billing.call('buy-top-up', user, { unit })
  expect(opened).toMatchObject({ status: 200, body: { amount_cents: topUpOf(unit).priceCents, currency: 'usd' } })
  const { top_up_id: id, url } = opened.body
  await billing.pay(url, undefined, address)
  expect((await billing.call('top-up-status', user, { top_up_id: id })).body).toEqual({
    status: 'complete',
    unit,
    units: topUpOf(unit).units,
  })
  await billing.quiet()
  return id as string
}
async function uses(user: TestUser, id: string, drawn: number) {
  await billing.platform.emit(aiTopUpDrawn, user.id, { top_up_id: id, drawn, version: drawn })
  await vi.waitFor(async () => expect(await rowOf(id)).toMatchObject({ drawn }), within)
  leftAt.set(id, units - drawn)
}
const refund = (user: TestUser, top_up_id: string) => billing.call('refund-top-up', user, { top_up_id })
const changesOf = (user: TestUser) => billing.published(topUpChanged.name, user)
const refundsOf = async (id: string) =>
  (await billing.stripe.refunds.list({ charge: (await rowOf(id)).charge! })).data.map(({ amount }) => amount)

test('a top-up is paid once at its price, told to its meter once, and stands in list, statement, invoice and books [spec-45]', {
  timeout,
}, async () => {
  const before = await balances()
  const user = billing.user()
  const first = await billing.call('buy-top-up', user, { unit: 'prompts' })
  const again = await billing.call('buy-top-up', user, { unit: 'prompts' })
  expect(again.body).toEqual(first.body)
  expect((await list(user)).top_ups).toEqual([])
  const id = await bought(user)
  expect(id).toBe(first.body.top_up_id)

  const told = { top_up_id: id, unit: 'prompts', units, unit_microusd: 12_000, state: 'open', version: 1 }
  expect(await changesOf(user)).toEqual([{ ...told, bought_at: expect.any(String) }])
  expect(await billing.published('billing.top_up_bought', user)).toHaveLength(1)
  expect((await list(user)).top_ups).toMatchObject([{ id, left: units, state: 'open', amount_cents: priceCents, refund_cents: priceCents }])
  expect((await billing.call('list-payments', user, {})).body.payments).toMatchObject([
    { kind: 'charge', amount_cents: priceCents, description: '500 AI prompts' },
  ])
  const { credit_notes: papers } = (await billing.call('list-invoices', user)).body
  expect(papers).toMatchObject([{ kind: 'invoice', amount_cents: priceCents }])
  const paper = await billing.call('open-document', user, { document_id: papers[0].id })
  expect(Buffer.from(paper.body.pdf, 'base64').toString('latin1')).toContain('500 AI prompts')
  expect((await billing.call('open-document', billing.user(), { document_id: papers[0].id })).status).toBe(404)
  const after = await balances()
  expect(after.top_up_revenue! - (before.top_up_revenue ?? 0)).toBe(-priceCents)
  expect(after.suspense ?? 0).toBe(before.suspense ?? 0)
  await billing.booksMatch()
  // The next one is another purchase.
  expect((await billing.call('buy-top-up', user, { unit: 'prompts' })).body.top_up_id).not.toBe(id)
})

test('a refund gives back what is left and no more, whoever asks how often; what was used stays paid for', { timeout }, async () => {
  const user = billing.user()
  const id = await bought(user)
  await uses(user, id, 100)
  const preview = async (asking: TestUser) => billing.call('preview-top-up-refund', asking, { top_up_id: id })
  expect((await preview(user)).body).toEqual({
    ...{ top_up: '500 AI prompts', left: 400, amount_cents: Math.floor((priceCents * 400) / units), currency: 'usd' },
  })
  expect([(await preview(billing.user())).status, await refundsOf(id)]).toEqual([404, []])
  // The meter knows of more than billing has heard.
  leftAt.set(id, 380)
  expect((await refund(billing.user(), id)).status).toBe(404)
  const both = await Promise.all([refund(user, id), refund(user, id)])
  const cents = Math.floor((priceCents * 380) / units)
  for (const { status, body } of both) if (status === 200) expect(body).toEqual({ amount_cents: cents, currency: 'usd', left: 380 })
  expect(both.some(({ status }) => status === 200)).toBe(true)
  await billing.quiet()
  expect(await refundsOf(id)).toEqual([cents])
  for (const answer of [await refund(user, id), await preview(user)])
    expect(answer).toMatchObject({ status: 409, body: { code: 'top_up_closed' } })
  expect((await list(user)).top_ups).toMatchObject([{ id, left: 0, state: 'closed', refunded_cents: cents, refund_cents: null }])
  expect((await changesOf(user)).at(-1)).toMatchObject({ state: 'closed', version: 2 })
  const { credit_notes: papers } = (await billing.call('list-invoices', user)).body
  expect(papers.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['credit_note', 'invoice'])
  await billing.booksMatch()

  // Nothing left: nothing goes back, and nothing is asked of the bank.
  const burned = await bought(user)
  await uses(user, burned, units)
  expect(await refund(user, burned)).toMatchObject({ status: 409, body: { code: 'top_up_used' } })
  expect(await refundsOf(burned)).toEqual([])
})

test('a refund whose meter or bank does not answer is sent later, once, and nothing can be used meanwhile', { timeout }, async () => {
  const user = billing.user()
  const id = await bought(user)
  leftAt.set(id, null)
  expect((await refund(user, id)).status).toBeGreaterThanOrEqual(500)
  expect(await rowOf(id)).toMatchObject({ state: 'refunding', refund_units: null })
  leftAt.set(id, 250)
  await update(billing.db, 'top_ups', { id }, { looked_at: new Date(0) })
  await billing.sweep()
  await vi.waitFor(async () => expect(await rowOf(id)).toMatchObject({ state: 'closed', returned_cents: priceCents / 2 }), within)
  await billing.quiet()
  expect(await refundsOf(id)).toEqual([priceCents / 2])

  // Its answer and all that was kept of the request are lost: what the provider has of it is enough.
  await billing.db.deleteFrom('provider_calls').where('user_id', '=', user.id).execute()
  const unheard = { state: 'refunding', returned_cents: 0, looked_at: new Date(0) } as const
  await billing.db.updateTable('top_ups').set(unheard).where('id', '=', id).execute()
  await billing.sweep()
  await vi.waitFor(async () => expect(await rowOf(id)).toMatchObject({ state: 'closed', returned_cents: priceCents / 2 }), within)
  expect(await refundsOf(id)).toEqual([priceCents / 2])
})

const saidBy = ({ status, body }: { status: number; body: any }) => (status === 200 ? '200' : `${status} ${body?.code}`)
test('a refund that was made and not booked is the same one when it is asked for again, by its owner or by staff [R3]', {
  timeout,
}, async () => {
  const user = billing.user()
  const [own, theirs] = [await bought(user), await bought(user)]
  leftAt.set(own, 100)
  const { charge } = await rowOf(theirs)
  const byStaff = () => billing.call('staff-refund', billing.staff(), { payment: charge, amount_cents: 300, reason: 'A part of it' })
  for (const [id, ask] of [
    [own, () => refund(user, own)],
    [theirs, byStaff],
  ] as const) {
    // Between the provider's answer and the books.
    await billing.order({ kind: 'status', status: 500, match: `GET /v1/charges/${(await rowOf(id)).charge}`, times: 0 })
    expect((await ask()).status).toBeGreaterThanOrEqual(500)
    await billing.mend()
    // After so many failures the provider is left alone for a moment. A webhook may close the top-up first.
    await vi.waitFor(async () => expect(['200', '409 top_up_closed']).toContain(saidBy(await ask())), within)
    expect(await refundsOf(id)).toHaveLength(1)
  }
  // Another one of staff's is another refund.
  expect((await byStaff()).status).toBe(200)
  expect(await refundsOf(theirs)).toEqual([300, 300])
})

test('a refund by staff beside one that was begun takes nothing from it, and neither is made twice [R3]', { timeout }, async () => {
  const user = billing.user()
  const id = await bought(user)
  const { charge } = await rowOf(id)
  leftAt.set(id, 100)
  const own = Math.floor((priceCents * 100) / units)
  const byStaff = () => billing.call('staff-refund', billing.staff(), { payment: charge, amount_cents: 100, reason: 'For the trouble' })
  const inAnyOrder = (cents: number[]) => cents.toSorted((a, b) => a - b)
  // The bank does not take it, and staff give something back meanwhile.
  await billing.order({ kind: 'status', status: 500, match: 'POST /v1/refunds', times: 0 })
  expect((await refund(user, id)).status).toBeGreaterThanOrEqual(500)
  await billing.mend()
  await vi.waitFor(async () => expect((await byStaff()).status).toBe(200), within)
  await billing.quiet()
  expect(await rowOf(id)).toMatchObject({ state: 'refunding', returned_cents: 100 })
  expect(await refund(user, id)).toMatchObject({ status: 200, body: { amount_cents: own } })
  await billing.quiet()
  expect(await rowOf(id)).toMatchObject({ state: 'closed', returned_cents: 100 + own })
  expect(inAnyOrder(await refundsOf(id))).toEqual([100, own])

  // Made, and its answer lost; the call of staff takes its place.
  const other = await bought(user)
  leftAt.set(other, 100)
  const { charge: paid } = await rowOf(other)
  billing.door.shut = true
  await billing.order({ kind: 'status', status: 500, match: `GET /v1/charges/${paid}`, times: 0 })
  expect((await refund(user, other)).status).toBeGreaterThanOrEqual(500)
  const part = { payment: paid, amount_cents: 100, reason: 'For the trouble' }
  await vi.waitFor(async () => {
    await billing.call('staff-refund', billing.staff(), part)
    expect(await refundsOf(other)).toHaveLength(2)
  }, within)
  await billing.mend()
  await vi.waitFor(async () => expect(['200', '409 top_up_closed']).toContain(saidBy(await refund(user, other))), within)
  billing.door.shut = false
  await billing.quiet()
  expect(inAnyOrder(await refundsOf(other))).toEqual([100, own])
  expect(await rowOf(other)).toMatchObject({ state: 'closed', returned_cents: 100 + own })
  await billing.booksMatch()
})

test('a bank that takes all of a top-up back after a part was refunded ends it, and every cent is in the books', { timeout }, async () => {
  const user = billing.user()
  const [used, fresh] = [await bought(user), await bought(user)]
  await uses(user, used, 250)
  expect((await refund(user, used)).status).toBe(200)
  const part = { payment: (await rowOf(fresh)).charge, amount_cents: 400, reason: 'A part of it' }
  expect((await billing.call('staff-refund', billing.staff(), part)).status).toBe(200)
  for (const id of [used, fresh]) {
    const { id: dispute } = await billing.control('stripe/disputes', { charge: (await rowOf(id)).charge, amount: priceCents })
    await billing.quiet()
    expect((await refund(user, id)).status).toBe(409)
    await billing.stripe.disputes.update(dispute, { evidence: { uncategorized_text: 'losing_evidence' } })
    await billing.quiet()
    expect(await rowOf(id)).toMatchObject({ state: 'closed', returned_cents: priceCents })
  }
  expect(await billing.call('refund-top-up', user, { top_up_id: fresh })).toMatchObject({ body: { code: 'top_up_closed' } })
  await billing.booksMatch()
})

test('upgrade, burn and return pays nobody: a burned top-up lowers no charge, and its refund is no credit of the plan', {
  timeout,
}, async () => {
  const user = await billing.subscribed('basic')
  await billing.advance(3.1, user)
  await billing.becomes(user, { status: 'active' })
  const due = async () => (await billing.call('preview-switch', user, { plan: 'pro', period: 'year' })).body.amount_due_cents
  const before = await due()
  const id = await bought(user)
  expect(await due()).toBeGreaterThanOrEqual(before)
  await uses(user, id, 50)
  expect((await refund(user, id)).status).toBe(200)
  await billing.quiet()
  expect(await due()).toBeGreaterThanOrEqual(before)
  // Nor is the refund of a top-up taken for one of the plan, which would make the step dearer.
  expect((await due()) - before).toBeLessThan(100)
  const { stripe } = billing
  expect((await stripe.customers.retrieve(await billing.customer(user))) as object).toMatchObject({ balance: 0 })
})

test('a bank’s dispute holds it and opens it again when won; one that is lost ends it, and the mail speaks of no plan', {
  timeout,
}, async () => {
  const user = billing.user()
  const [won, lost] = [await bought(user), await bought(user)]
  for (const [id, evidence] of [
    [won, 'winning_evidence'],
    [lost, 'losing_evidence'],
  ] as const) {
    const { id: dispute } = await billing.control('stripe/disputes', { charge: (await rowOf(id)).charge })
    await billing.quiet()
    expect(await rowOf(id)).toMatchObject({ state: 'held' })
    expect(await refund(user, id)).toMatchObject({ status: 409, body: { code: 'refund_disputed' } })
    await billing.stripe.disputes.update(dispute, { evidence: { uncategorized_text: evidence } })
    await billing.quiet()
  }
  expect([(await rowOf(won)).state, (await rowOf(lost)).state]).toEqual(['paid', 'closed'])
  const states = (await changesOf(user)).map(({ top_up_id, state }) => `${top_up_id === won ? 'won' : 'lost'} ${state}`)
  expect(states).toEqual(['won open', 'lost open', 'won held', 'won open', 'lost held', 'lost closed'])
  expect(await billing.published('billing.payment_disputed', user)).toMatchObject([{ top_up: true }, { top_up: true }])
  await billing.booksMatch()
})

test('a payment of another amount is no top-up of ours: it waits as of unknown purpose, and opens nothing', { timeout }, async () => {
  const user = billing.user()
  const { body } = await billing.call('buy-top-up', user, { unit: 'images' })
  const metadata = { kind: 'top_up', top_up: body.top_up_id, user_id: user.id }
  const customer = await billing.customer(user)
  const paid = { amount: 100, currency: 'usd', customer, metadata, payment_method: 'pm_card_visa', confirm: true }
  await billing.stripe.paymentIntents.create(paid)
  await billing.quiet()
  expect(await rowOf(body.top_up_id)).toMatchObject({ state: 'open', charge: null })
  expect(await changesOf(user)).toEqual([])
  await billing.booksMatch()
})

test('a page that was paid and opened nothing is left behind, and the next purchase has a page of its own', { timeout }, async () => {
  const user = billing.user()
  const { body } = await billing.call('buy-top-up', user, { unit: 'speech' })
  await update(billing.db, 'top_ups', { id: body.top_up_id }, { currency: 'eur' })
  await billing.pay(body.url)
  await billing.quiet()
  expect(await rowOf(body.top_up_id)).toMatchObject({ state: 'open', charge: null })
  const next = await billing.call('buy-top-up', user, { unit: 'speech' })
  expect(next).toMatchObject({ status: 200 })
  expect(next.body.top_up_id).not.toBe(body.top_up_id)
  expect(await rowOf(body.top_up_id)).toMatchObject({ state: 'expired' })
})

test('a refund that was begun is sent although the account is deleted meanwhile, for what was heard to be left', { timeout }, async () => {
  const user = billing.user()
  const [begun, kept] = [await bought(user), await bought(user)]
  await uses(user, begun, 125)
  leftAt.set(begun, null)
  expect((await refund(user, begun)).status).toBeGreaterThanOrEqual(500)
  await inTransaction(billing.db, (trx) => erasure({} as Deps).erase(trx, user.id))
  expect(await rowOf(kept)).toMatchObject({ state: 'closed' })
  // By now the meter has forgotten that any was used.
  leftAt.set(begun, units)
  const soon = { looked_at: new Date(0) }
  await billing.db.updateTable('top_ups').set(soon).where('id', '=', begun).execute()
  await billing.sweep()
  await vi.waitFor(async () => expect(await rowOf(begun)).toMatchObject({ state: 'closed' }), within)
  await billing.quiet()
  expect(await refundsOf(begun)).toEqual([Math.floor((priceCents * 375) / units)])
  expect(await refundsOf(kept)).toEqual([])
})

test('what is not used by the end of a month is deferred, and earned in the month in which it is used, tax left out', {
  timeout,
}, async () => {
  const user = billing.user()
  const id = await bought(user, 'prompts', { country: 'DE', line1: 'Am Markt 1', city: 'Bremen', postal_code: '28195' })
  const { gross_cents, tax_cents, paid_at } = await rowOf(id)
  expect(gross_cents! - tax_cents!).toBe(priceCents)
  const month = paid_at!.toISOString().slice(0, 7)
  const deferred = async () => 0 - ((await balances()).deferred_top_ups ?? 0)
  const others = await billing.db
    .selectFrom('top_ups')
    .select('id')
    .where('state', 'in', ['paid', 'held', 'refunding'])
    .where('id', '<>', id)
    .execute()
  for (const { id } of others) await update(billing.db, 'top_ups', { id }, { state: 'closed' })
  await uses(user, id, 200)
  await closeMonths(billing.db, new Date(endOf(month).getTime() + 5 * 86_400_000))
  expect(await deferred()).toBe(Math.floor((priceCents * 300) / units))
  await insert(billing.db, 'top_up_months', { top_up_id: id, month: '9999-01', drawn: 500 })
  const next = endOf(month).toISOString().slice(0, 7)
  await closeMonths(billing.db, new Date(endOf(next).getTime() + 5 * 86_400_000))
  expect(await deferred()).toBe(Math.floor((priceCents * 300) / units))
  await insert(billing.db, 'top_up_months', { top_up_id: id, month: endOf(next).toISOString().slice(0, 7), drawn: 500 })
  await closeMonths(billing.db, new Date(endOf(endOf(next).toISOString().slice(0, 7)).getTime() + 5 * 86_400_000))
  expect(await deferred()).toBe(0)
})
