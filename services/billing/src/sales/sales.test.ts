import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { startBilling } from '../fixture.ts'
import { GETS_DISPUTED, sellingOn } from '../sellers/fixture.ts'
import type { ProviderCharge } from '../stripe-shapes.ts'
import { settle } from './settle.ts'

const billing = await startBilling()
const selling = sellingOn(billing)
afterAll(() => billing.close())

const within = { timeout: 15_000, interval: 100 }
const events = (name: string, seller: { id: string }) => billing.published(name, seller as never)

test('a refund in parts gives each back its share, and a second of the same intention is one [spec-136]', { timeout: 60_000 }, async () => {
  const ann = await selling.seller()
  const sold = await selling.sell(ann, 9_999)
  const { id: sale_id } = (await selling.row(sold))!
  const part = { sale_id, amount_cents: 3_333, reason: 'One of three did not work' }
  const preview = await billing.call('preview-refund', ann, part)
  expect(preview.body).toMatchObject({ from_held_cents: 2_666, becomes_owed_cents: 0, fee_returned_cents: 667 })
  expect((await billing.call('refund-order', ann, part)).status).toBe(200)
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 7_999 - 2_666 })
  expect(await billing.call('refund-order', ann, { ...part, amount_cents: 6_667 })).toMatchObject({
    status: 409,
    body: { code: 'refund_too_large' },
  })
  expect((await billing.call('refund-order', billing.user(), part)).status).toBe(404)
  expect((await billing.call('refund-order', ann, { sale_id, reason: 'The rest as well' })).body).toMatchObject({ amount_cents: 6_666 })
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 0, due_cents: 0, owed_cents: 0 })
  await billing.quiet()
  const told = await events('billing.sale_refunded', ann)
  expect(told.map(({ returned_cents }) => returned_cents)).toEqual([3_333, 6_666])
  const { email } = (await selling.row(sold))!
  expect(told.map((refund) => refund.email)).toEqual([email, email])
  expect(email).toContain('@')
  expect((await billing.call('show-sale', ann, { sale_id })).body).toMatchObject({
    sale: { refunded_cents: 9_999 },
    refunds: [{ reason: 'One of three did not work' }, { reason: 'The rest as well' }],
  })
  await billing.booksMatch()
})

test('a refund whose answer was lost is asked for again under its key, also after the webhook has told of it [R3]', {
  timeout: 60_000,
}, async () => {
  const ann = await selling.seller()
  const sold = await selling.sell(ann, 10_000)
  const { id: sale_id, charge } = (await selling.row(sold))!
  const asked = { sale_id, amount_cents: 300, reason: 'A part of it' }
  const refund = (key?: string) => billing.call('refund-order', ann, asked, key ? { 'idempotency-key': key } : {})
  const refunds = async () => (await billing.stripe.refunds.list({ charge })).data.length
  for (const key of [undefined, 'asked-once']) {
    const before = await refunds()
    await billing.order({ kind: 'reset_after', match: 'POST /v1/refunds', times: 3 })
    expect((await refund(key)).status).toBeGreaterThanOrEqual(500)
    await billing.quiet()
    expect(await selling.row(sold)).toMatchObject({ refunded_cents: 300 * (before + 1) })
    expect((await refund(key)).status).toBe(200)
    expect(await refunds()).toBe(before + 1)
  }
  // Meant as another one, it is one.
  expect((await refund('asked-anew')).status).toBe(200)
  expect(await refunds()).toBe(3)
})

test('a refund that was made and not booked is asked for again under its key, and is made once [R3]', { timeout: 60_000 }, async () => {
  const ann = await selling.seller()
  const { id: sale_id, charge } = (await selling.row(await selling.sell(ann, 10_000)))!
  const refund = (key: string) =>
    billing.call('refund-order', ann, { sale_id, amount_cents: 300, reason: 'A part of it' }, { 'idempotency-key': key })
  const refunds = async () => (await billing.stripe.refunds.list({ charge })).data.length
  // Between the provider's answer and the books.
  await billing.order({ kind: 'status', status: 500, match: `GET /v1/charges/${charge}`, times: 0 })
  expect((await refund('a')).status).toBeGreaterThanOrEqual(500)
  await fetch(`${billing.sandbox.addresses.stripe}/sandbox/faults`, { method: 'DELETE' })
  // The circuit closes by itself.
  await expect.poll(async () => (await refund('a')).status, { timeout: 20_000 }).toBe(200)
  expect(await refunds()).toBe(1)
  await billing.quiet()
  expect((await refund('a')).status).toBe(200)
  expect(await refunds()).toBe(1)
  expect((await refund('b')).status).toBe(200)
  expect(await refunds()).toBe(2)
})

test('a cursor that is none of ours is refused in words', async () => {
  const seller = billing.user()
  for (const at of ['2026', '0000-01-01T00:00:00.000Z', '2026-02-31T00:00:00.000Z', '+275760-09-13T00:00:00.000Z', 'x', '']) {
    const { status } = await billing.call('list-sales', seller, { cursor: `${at}|${seller.id}` })
    expect([at, status]).toEqual([at, ['2026-02-31T00:00:00.000Z'].includes(at) ? 200 : 400])
  }
})

test('the address that a buyer comes back by opens the order, and no row keeps it once its page is made', async () => {
  const seller = await selling.seller()
  const { reference, opened } = await selling.open(seller)
  expect((await selling.open(seller, 10_000, { reference })).opened).toEqual(opened)
  const row = await billing.db.selectFrom('sale_checkouts').selectAll().where('reference', '=', reference).executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain('thank-you')
})

test('what is refunded after the payout is owed, and the next sales settle it [spec-136]', { timeout: 90_000 }, async () => {
  const bob = await selling.seller()
  const sold = await selling.delivered(bob)
  await selling.toFriday()
  await selling.advance(3)
  await selling.payoutIs(bob, { status: 'paid' })
  const { id: sale_id } = (await selling.row(sold))!
  await billing.call('refund-order', bob, { sale_id, reason: 'Too late, and all the same' })
  expect(await selling.balance(bob)).toMatchObject({ held_cents: 0, due_cents: 0, owed_cents: 8_000 })
  const [why] = (await selling.next(bob)).why.filter(({ code }: { code: string }) => code === 'owed')
  expect(why).toMatchObject({ amount_cents: 8_000, rows: 'owed' })
  await selling.sell(bob, 15_000)
  expect(await selling.balance(bob)).toMatchObject({ held_cents: 4_000, owed_cents: 0 })
  await billing.booksMatch()
})

test('a disputed sale is held, answered with evidence, and won or lost to the cent [spec-136]', { timeout: 90_000 }, async () => {
  const cyd = await selling.seller()
  const disputed = await Promise.all([1, 2].map(() => selling.delivered(cyd, 10_000, { card: GETS_DISPUTED })))
  await selling.advance(0.01)
  await vi.waitFor(async () => {
    for (const each of disputed) expect(await selling.row(each)).toMatchObject({ dispute: 'open' })
  }, within)
  await selling.toFriday()
  expect(await selling.balance(cyd)).toMatchObject({ held_cents: 16_000, due_cents: 0 })
  const { amount_cents, why } = await selling.next(cyd)
  expect([amount_cents, why.map(({ code, amount_cents }: { code: string; amount_cents: number }) => [code, amount_cents])]).toEqual([
    0,
    [
      ['nothing_due', 0],
      ['disputed', 16_000],
    ],
  ])
  const ids = await Promise.all(disputed.map(async (each) => (await selling.row(each))!.id))
  const reason = 'The bank decides'
  expect(await billing.call('refund-order', cyd, { sale_id: ids[0], reason })).toMatchObject({
    status: 409,
    body: { code: 'refund_disputed' },
  })
  for (const [index, text] of ['winning_evidence', 'losing_evidence'].entries()) {
    const answer = await billing.call('submit-evidence', cyd, { sale_id: ids[index], text, send: true })
    expect(answer.body).toMatchObject({ sent: true })
    expect((await billing.call('submit-evidence', cyd, { sale_id: ids[index], text, send: true })).status).toBe(409)
  }
  await vi.waitFor(async () => {
    expect(await selling.row(disputed[0]!)).toMatchObject({ dispute: 'won', refunded_cents: 0 })
    expect(await selling.row(disputed[1]!)).toMatchObject({ dispute: 'lost', refunded_cents: 10_000, held_cents: 0 })
  }, within)
  await selling.sweep()
  expect(await selling.balance(cyd)).toMatchObject({ held_cents: 0, due_cents: 8_000, owed_cents: 0, reserved_cents: 0 })
  expect((await events('billing.sale_dispute_closed', cyd)).map(({ outcome }) => outcome).toSorted()).toEqual(['lost', 'won'])
  await billing.booksMatch()
})

test('a bank that takes all of a sale back after a part was refunded costs the seller their share, once [spec-136]', {
  timeout: 60_000,
}, async () => {
  const dot = await selling.seller()
  const sold = await selling.sell(dot, 10_000)
  const { charge, id } = (await selling.row(sold))!
  expect((await billing.call('refund-order', dot, { sale_id: id, amount_cents: 4_000, reason: 'A part' })).status).toBe(200)
  expect(await selling.balance(dot)).toMatchObject({ held_cents: 4_800 })
  await billing.control('stripe/disputes', { charge, amount: 10_000 })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'open' }), within)
  await billing.call('submit-evidence', dot, { sale_id: id, text: 'losing_evidence', send: true })
  await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ dispute: 'lost', refunded_cents: 10_000 }), within)
  expect(await selling.balance(dot)).toMatchObject({ held_cents: 0, due_cents: 0, owed_cents: 0 })
  await billing.booksMatch()
})

test('a sale is settled once, whoever tells of it, and only for what was asked [R4] [S21]', { timeout: 60_000 }, async () => {
  const ann = await selling.seller()
  billing.door.shut = true
  const { opened, ...sold } = await selling.open(ann)
  if (opened.state !== 'open') throw new Error(opened.state)
  expect((await selling.open(ann, 1, { reference: sold.reference })).opened).toMatchObject({ state: 'open', url: opened.url })
  await billing.pay(opened.url)
  await Promise.all(Array.from({ length: 8 }, () => selling.settle(sold)))
  billing.door.shut = false
  await billing.sweep()
  await billing.quiet()
  expect(await events('billing.sale_settled', ann)).toMatchObject([{ amount_cents: 10_000, share_cents: 8_000, refunded_cents: 0 }])
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 8_000 })
  // A payment that names a sale and is not what it cost stays where staff see it.
  const { id: checkout } = (await selling.row(sold))!
  const metadata = { kind: 'sale', checkout }
  await billing.stripe.paymentIntents.create({ amount: 500, currency: 'usd', payment_method: 'pm_card_visa', confirm: true, metadata })
  await billing.quiet()
  expect(await selling.balance(ann)).toMatchObject({ held_cents: 8_000 })
  await billing.booksMatch()
})

test('lists show a seller their own sales alone, page by page, and the statement has every movement [spec-136]', {
  timeout: 60_000,
}, async () => {
  const [ann, bob] = [await selling.seller(), await selling.seller()]
  for (const cents of [1_000, 2_000, 3_000]) await selling.sell(ann, cents)
  await selling.sell(bob, 4_000)
  const first = (await billing.call('list-sales', ann, { limit: 2 })).body
  const rest = (await billing.call('list-sales', ann, { limit: 2, cursor: first.cursor })).body
  expect([...first.sales, ...rest.sales].map(({ amount_cents }) => amount_cents)).toEqual([3_000, 2_000, 1_000])
  expect(rest.cursor).toBeNull()
  expect((await billing.call('seller-balance', ann)).body.since).toBe(rest.sales.at(-1).date)
  expect((await billing.call('seller-balance', billing.user())).body).toMatchObject({ since: null, balances: [] })
  expect((await billing.call('find-payment', ann, { query: '20.00' })).body.sales).toMatchObject([{ amount_cents: 2_000 }])
  expect((await billing.call('find-payment', bob, { query: '20.00' })).body.sales).toEqual([])
  const rows = (await billing.call('balance-rows', ann, { part: 'held' })).body.rows as { amount_cents: number }[]
  expect(rows.reduce((sum, { amount_cents }) => sum + amount_cents, 0)).toBe((await selling.balance(ann)).held_cents)
  const month = first.sales[0].date.slice(0, 7)
  const { csv } = (await billing.call('sales-statement', ann, { month })).body
  const [, opening, ...lines] = csv.trim().split('\r\n')
  expect(opening).toMatch(/,opening balance,,,0.00,usd$/)
  expect(lines.map((line: string) => line.split(',')[4])).toEqual(['8.00', '16.00', '24.00', '48.00'])
  // The month still runs.
  expect(lines.at(-1)).toMatch(new RegExp(`^${month}-.*,closing balance,`))
  const { pdf } = (await billing.call('sales-statement', ann, { month, format: 'pdf' })).body
  const printed = Buffer.from(pdf, 'base64').toString('latin1')
  expect(printed).toMatch(/^%PDF-1\.5[\s\S]*Lead qualification[\s\S]*%%EOF\n$/)
  for (const said of [`Seller: ${ann.email}`, 'Marketplace: Operon', `Balance on ${month}-01: 0.00 USD`]) expect(printed).toContain(said)
})

test('a payment that names no checkout of ours is no sale, whatever it names', async () => {
  const charge = { amountCents: 10_000, currency: 'usd', tax: null, succeeded: true } as ProviderCharge
  for (const saleCheckout of [null, 'somebody-elses', newId()])
    expect(await inTransaction(billing.db, (trx) => settle(trx, { ...charge, saleCheckout }))).toBe(false)
})

test('a search finds a payment of any age by a part of its words, its amount or its id, and says how far back one of two letters looked', {
  timeout: 60_000,
}, async () => {
  const [ann, bob] = [billing.user(), billing.user()]
  const find = async (user: typeof ann, query: string) => (await billing.call('find-payment', user, { query })).body
  await sql`
    with made as (
      insert into sale_checkouts (id, kind, reference, seller_id, currency, amount_cents, lines, request, state)
      select gen_random_uuid(), 'product', gen_random_uuid(), ${ann.id}::uuid, 'usd', 4900, '[]', '{}', 'settled' from generate_series(1, 20002)
      returning id, kind, reference, seller_id, currency, amount_cents),
    numbered as (select *, row_number() over () as n from made)
    insert into sales (id, kind, reference, seller_id, title, charge, method, currency, gross_cents, tax_cents, share_cents, status, paid_at)
    select id, kind, reference, seller_id, case when n > 20000 then 'Old course' else 'Lead qualification' end, 'ch_old_' || n, 'card',
      currency, case when n > 20000 then 12345 else amount_cents end, 0, 3920, 'completed', now() - n * interval '1 minute' from numbered`.execute(
    billing.db,
  )
  const [edge, oldest] = await billing.db
    .selectFrom('sales')
    .selectAll()
    .where('seller_id', '=', ann.id)
    .where('title', '=', 'Old course')
    .orderBy('paid_at', 'desc')
    .execute()
  const both = [edge, oldest].map((sale) => expect.objectContaining({ id: sale!.id }))
  for (const query of ['COURSE', '123.45', '$123,45'])
    expect([query, await find(ann, query)]).toEqual([query, { sales: both, more: false }])
  for (const query of ['c_urse', '123.46', '99999999999999999999']) expect(await find(ann, query)).toEqual({ sales: [], more: false })
  const newest = billing.db.selectFrom('sales').select('paid_at').where('seller_id', '=', ann.id).orderBy('paid_at', 'desc')
  const beyond = await newest.offset(2_000).limit(1).executeTakeFirstOrThrow()
  expect(await find(ann, 'rs')).toEqual({ sales: [], more: false, searched_back_to: beyond.paid_at.toISOString() })
  const many = await find(ann, 'lead')
  expect([many.sales.length, many.more, many.searched_back_to]).toEqual([20, true, undefined])
  for (const id of [oldest!.id, oldest!.reference.toUpperCase()])
    expect(await find(ann, id)).toEqual({ sales: [expect.objectContaining({ id: oldest!.id })], more: false })
  for (const query of ['course', oldest!.id]) expect(await find(bob, query)).toEqual({ sales: [], more: false })
})
