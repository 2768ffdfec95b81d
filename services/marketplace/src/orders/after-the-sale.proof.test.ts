import { createHmac } from 'node:crypto'
import { saleRefunded, saleSettled } from '@operon/contracts/billing/selling-events'
import { userUpdated } from '@operon/contracts/identity/events'
import { searchLetter } from '@operon/contracts/marketplace/buyers'
import { orderEvidence } from '@operon/contracts/marketplace/evidence'
import { newId } from '@operon/kit/ids'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test, vi } from 'vitest'
import { marketplaceService } from '../service.ts'
import { tokenOf } from './links.ts'

const platform = await startTestPlatform([marketplaceService, sandboxService])
const rt: any = platform.services.marketplace!.rt
const db: any = rt.db
afterAll(() => platform.close())

const within = { timeout: 15_000, interval: 50 }
const { call } = platform

const upload = (user: TestUser, name: string, content: string) => platform.upload(user, content, { filename: name, filetype: 'text/plain' })

/** A product with files, on sale, and its next version. */
async function product(seller: TestUser, title = 'Lead qualification', files: Record<string, string> = { 'guide.txt': 'one two three' }) {
  const item_id = newId()
  await db
    .insertInto('profiles')
    .values({ user_id: seller.id, display_name: 'Ann', marketplace_slug: `ann-${seller.id.slice(-8)}`, version: 1 })
    .onConflict((conflict: any) => conflict.doNothing())
    .execute()
  await db
    .insertInto('items')
    .values({ id: item_id, user_id: seller.id, title, category: 'Sales', price_cents: 4900, item_type: 'pdf', is_active: false })
    .execute()
  const version_id = await version(seller, item_id, 1, files)
  return { item_id, version_id }
}
async function version(seller: TestUser, item_id: string, number: number, files: Record<string, string>, notes = '') {
  const id = newId()
  await db
    .insertInto('item_versions')
    .values({ id, item_id, number, price_cents: 4900, currency: 'usd', licence_terms: 'One business.', notes })
    .execute()
  let position = 0
  for (const [name, content] of Object.entries(files))
    await db
      .insertInto('version_files')
      .values({
        version_id: id,
        file_id: await upload(seller, name, content),
        name,
        bytes: content.length,
        sha256: content,
        type: 'text/plain',
        position: position++,
      })
      .execute()
  await db.updateTable('item_versions').set({ published_at: new Date() }).where('id', '=', id).execute()
  await db
    .updateTable('items')
    .set({ status: 'active', current_version_id: id, published_at: new Date() })
    .where('id', '=', item_id)
    .execute()
  return id
}

type Bought = { item_id: string; version_id: string }
async function order(
  seller: TestUser,
  items: Bought[],
  { email = null, buyer = null }: { email?: string | null; buyer?: TestUser | null } = {},
) {
  const id = newId()
  const [first] = items
  await db
    .insertInto('orders')
    .values({
      ...{
        id,
        item_id: first!.item_id,
        version_id: first!.version_id,
        seller_id: seller.id,
        buyer_id: buyer?.id ?? null,
        email,
        title: 'Lead qualification',
      },
      ...{ amount_cents: 4900 * items.length, currency: 'usd', token_hash: Buffer.from(id), delivered_at: null },
    })
    .execute()
  for (const [position, { item_id, version_id }] of items.entries())
    await db
      .insertInto('order_lines')
      .values({
        order_id: id,
        item_id,
        position,
        version_id,
        kept_version_id: version_id,
        title: 'Lead qualification',
        list_cents: 4900,
        amount_cents: 4900,
      })
      .onConflict((conflict: any) => conflict.doNothing())
      .execute()
  return { order_id: id, token: tokenOf(rt.vault, id) }
}
const saleOf = (seller: TestUser, reference: string, more: object = {}) => ({
  ...{
    version: 1,
    sale_id: newId(),
    kind: 'product' as const,
    reference,
    seller_id: seller.id,
    buyer_id: null,
    title: 'Lead qualification',
  },
  ...{ amount_cents: 4900, currency: 'usd', refunded_cents: 0, ...more },
})
async function pay(seller: TestUser, order_id: string, email: string | null = null) {
  const sale = saleOf(seller, order_id)
  await platform.emit(saleSettled, seller.id, { ...sale, email, tax_cents: 0, share_cents: 3920, lines: [] })
  await stateIs(order_id, 'delivered')
  return sale
}
const stateIs = (id: string, state: string) =>
  vi.waitFor(
    async () => expect(await db.selectFrom('orders').select('state').where('id', '=', id).executeTakeFirst()).toEqual({ state }),
    within,
  )
const mails = async (to: string) =>
  ((await (await fetch(`${platform.url('sandbox')}/sandbox/api/inbox?to=${encodeURIComponent(to)}`)).json()) as any).messages as any[]
const mailTo = (to: string, subject: RegExp) =>
  vi.waitFor(async () => {
    const found = (await mails(to)).find((mail) => subject.test(mail.subject))
    expect(found).toBeTruthy()
    return found
  }, within)
const emailOf = async (user: TestUser) =>
  (await db.selectFrom('profiles').select('email').where('user_id', '=', user.id).executeTakeFirst())?.email
const verified = (user: TestUser, email: string) =>
  platform.emit(userUpdated, user.id, { email, email_verified: true, name: 'Mara', referral_code: null, role: 'buyer', version: 2 })

test('a guest opens the order by its link, downloads in pieces, and a full refund ends the link that is open [spec-104] [spec-105]', {
  timeout: 60_000,
}, async () => {
  const [ann, stranger] = [platform.user(), platform.user()]
  await verified(stranger, `stranger-${stranger.id}@example.com`)
  await vi.waitFor(async () => expect(await emailOf(stranger)).toBeTruthy(), within)
  const { item_id, version_id } = await product(ann)
  const { order_id, token } = await order(ann, [{ item_id, version_id }])
  const guest = `guest-${order_id}@example.com`
  const sale = await pay(ann, order_id, guest)
  const letter = await mailTo(guest, /Your order: Lead qualification/)
  expect(letter.links.some((link: string) => link.endsWith(`/orders/${token}`))).toBe(true)
  const shown = await call('show-order', null, { token })
  expect(shown.body).toMatchObject({
    state: 'delivered',
    email: guest,
    mine: false,
    claimed: false,
    lines: [{ version: 1, licence_terms: 'One business.' }],
  })
  const [{ file_id }] = shown.body.lines[0].files
  // Of another account with the id alone there is nothing; with the link there is what the link gives.
  expect((await call('show-order', stranger, { order_id })).status).toBe(404)
  expect((await call('order-download', stranger, { order_id, file_id })).status).toBe(404)
  expect((await call('show-order', stranger, { token: `${token.slice(0, -3)}abc` })).status).toBe(404)
  expect((await call('show-order', stranger, { token })).body).toMatchObject({ mine: false })
  const { url } = (await call('order-download', null, { token, file_id })).body
  const open = (headers = {}) => fetch(platform.url() + new URL(url).pathname, { headers })
  const whole = await open()
  expect([whole.status, whole.headers.get('content-disposition'), await whole.text()]).toEqual([
    200,
    expect.stringContaining('attachment; filename="guide.txt"'),
    'one two three',
  ])
  const rest = await open({ range: 'bytes=4-', 'if-range': whole.headers.get('etag')! })
  expect([rest.status, await rest.text()]).toEqual([206, 'two three'])
  expect(
    (await fetch(`${platform.url()}/files/v1/marketplace/~orders/${new URL(url).pathname.split('/').at(-1)!.slice(0, -4)}aaaa`)).status,
  ).toBe(403)
  // A part that went back changes nothing; all of it does.
  await platform.emit(saleRefunded, ann.id, { ...sale, version: 2, refunded_cents: 4_899, returned_cents: 4_899 })
  await vi.waitFor(async () => expect((await call('show-order', null, { token })).body.refunded_cents).toBe(4_899), within)
  expect((await open()).status).toBe(200)
  await platform.emit(saleRefunded, ann.id, { ...sale, version: 3, refunded_cents: 4_900, returned_cents: 1 })
  await stateIs(order_id, 'refunded')
  expect((await open()).status).toBe(404)
  expect((await call('order-download', null, { token, file_id })).status).toBe(404)
  expect((await call('show-order', null, { token })).body.lines[0].files).toEqual([])
})

test('all that is on record of an order is told to billing for a dispute: downloads, messages, the request for a refund', {
  timeout: 60_000,
}, async () => {
  const ann = platform.user()
  const bought = await product(ann)
  const { order_id, token } = await order(ann, [bought], { email: 'guest@example.com' })
  await pay(ann, order_id, 'guest@example.com')
  const evidence = async () => (await rt.ask(orderEvidence, { reference: order_id })).order
  expect(await evidence()).toMatchObject({ has_account: false, messages: [], refund: null, lines: [{ first_download_at: null, files: 1 }] })
  const [{ file_id }] = (await call('show-order', null, { token })).body.lines[0].files
  await call('order-download', null, { token, file_id })
  await call('message-seller', null, { token, text: 'It opens and works.' })
  await call('request-refund', null, { token, reason: 'not_working', text: 'It does not.' })
  expect(await evidence()).toMatchObject({
    lines: [{ title: 'Lead qualification', version: 1, first_download_at: expect.any(String) }],
    messages: [{ from: 'buyer', text: 'It opens and works.' }],
    refund: { reason: 'not_working', state: 'open' },
  })
  expect((await rt.ask(orderEvidence, { reference: newId() })).order).toBeNull()
})

test('orders of a guest go to the account that proves the address, and to no other [spec-105]', { timeout: 60_000 }, async () => {
  const [ann, mara, typed] = [platform.user(), platform.user(), platform.user()]
  const bought = await product(ann)
  const address = `mara-${mara.id}@example.com`
  const before = await order(ann, [bought])
  await pay(ann, before.order_id, address.toUpperCase())
  // A stranger who types the address gets nothing.
  await platform.emit(userUpdated, typed.id, {
    email: address,
    email_verified: false,
    name: 'Mallory',
    referral_code: null,
    role: null,
    version: 2,
  })
  await vi.waitFor(
    async () =>
      expect(await db.selectFrom('profiles').select('email').where('user_id', '=', typed.id).executeTakeFirst()).toEqual({ email: null }),
    within,
  )
  expect((await call('my-orders', typed)).body.orders).toEqual([])
  await verified(mara, address)
  await vi.waitFor(
    async () => expect((await call('my-orders', mara)).body.orders).toMatchObject([{ id: before.order_id, seller: 'Ann' }]),
    within,
  )
  expect((await call('show-order', mara, { order_id: before.order_id })).body).toMatchObject({ mine: true, claimed: true })
  // From then on by itself.
  const after = await order(ann, [bought])
  await pay(ann, after.order_id, address)
  await vi.waitFor(async () => expect((await call('my-orders', mara)).body.orders).toHaveLength(2), within)
  expect((await call('show-order', typed, { order_id: after.order_id })).status).toBe(404)
  expect((await call('show-order', null, { token: after.token })).body).toMatchObject({ mine: false, claimed: true })
})

test('a new version is told to the buyers of the old one, with what changed, and taken when they want it', {
  timeout: 60_000,
}, async () => {
  const ann = platform.user()
  const bought = await product(ann, 'Guide', { 'guide.txt': 'old', 'list.txt': 'same' })
  const { order_id, token } = await order(ann, [bought], { email: `${newId()}@example.com` })
  await pay(ann, order_id)
  expect((await call('show-order', null, { token })).body.lines[0].update).toBeNull()
  const next = await version(ann, bought.item_id, 2, { 'guide.txt': 'new', 'list.txt': 'same', 'more.txt': 'more' }, 'Answers in German.')
  await rt.db.transaction().execute(async (trx: any) => {
    const { enqueue } = await import('@operon/kit/tx')
    const { tellOfVersion } = await import('@operon/contracts/marketplace/orders')
    await enqueue(trx, tellOfVersion, { version_id: next, after: null })
  })
  const { email } = (await call('show-order', null, { token })).body
  expect((await mailTo(email, /Version 2 of Guide is out/)).text).toContain('Answers in German.')
  const update = { version: 2, notes: 'Answers in German.', added: ['more.txt'], changed: ['guide.txt'], removed: [], other_terms: false }
  expect((await call('show-order', null, { token })).body.lines[0]).toMatchObject({ version: 1, update })
  expect((await call('take-update', null, { token, item_id: bought.item_id })).body).toEqual({ version: 2 })
  const taken = (await call('show-order', null, { token })).body.lines[0]
  expect([taken.version, taken.update, taken.files.length, taken.amount_cents]).toEqual([2, null, 3, 4900])
  // The file of the version that was bought is still theirs.
  const old = await db
    .selectFrom('version_files')
    .select('file_id')
    .where('version_id', '=', bought.version_id)
    .where('name', '=', 'guide.txt')
    .executeTakeFirst()
  expect((await call('order-download', null, { token, file_id: old.file_id })).status).toBe(200)
})

test('the seller has three days for a refund request, then the rule decides; a no counts once something was downloaded', {
  timeout: 60_000,
}, async () => {
  const [ann, other] = [platform.user(), platform.user()]
  const bought = await product(ann)
  const make = async () => {
    const made = await order(ann, [bought], { email: `${newId()}@example.com` })
    await pay(ann, made.order_id)
    return made
  }
  const [silent, downloaded, untouched] = [await make(), await make(), await make()]
  const ask = (token: string) => call('request-refund', null, { token, reason: 'not_working', text: 'It stops.' })
  const asked = await Promise.all([ask(silent.token), ask(silent.token)])
  expect(asked.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect((await ask(silent.token)).body.code).toBe('refund_asked_before')
  const due = Date.parse(asked.find(({ status }) => status === 200)!.body.request.due_at) - Date.now()
  expect(Math.round(due / 3_600_000)).toBe(72)
  const [{ file_id }] = (await call('show-order', null, { token: downloaded.token })).body.lines[0].files
  await call('order-download', null, { token: downloaded.token, file_id })
  const of = async (each: typeof silent) => (await ask(each.token)).body.request.id
  const [second, third] = [await of(downloaded), await of(untouched)]
  expect((await call('answer-refund-request', other, { request_id: second, accept: false })).status).toBe(404)
  expect(
    (await call('answer-refund-request', ann, { request_id: second, accept: false, text: 'It works here.' })).body.request,
  ).toMatchObject({ state: 'declined', decided_by: 'seller' })
  expect((await call('answer-refund-request', ann, { request_id: second, accept: true })).body.code).toBe('refund_decided')
  expect((await call('answer-refund-request', ann, { request_id: third, accept: false })).body.request).toMatchObject({
    state: 'accepted',
    decided_by: 'rule',
  })
  const list = (await call('list-refund-requests', ann, {})).body
  expect([list.requests.length, list.reasons]).toEqual([3, [{ reason: 'not_working', count: 3 }]])
  expect((await call('list-refund-requests', other, {})).body.requests).toEqual([])
  const { sweepRefunds } = await import('../refunds/requests.ts')
  await sweepRefunds(rt.ctx())
  expect((await call('show-order', null, { token: silent.token })).body.refund.state).toBe('open')
  await db
    .updateTable('refund_requests')
    .set({ due_at: new Date(Date.now() - 1000) })
    .where('order_id', '=', silent.order_id)
    .execute()
  await sweepRefunds(rt.ctx())
  expect((await call('show-order', null, { token: silent.token })).body.refund).toMatchObject({ state: 'accepted', decided_by: 'rule' })
  const late = await make()
  await db
    .updateTable('orders')
    .set({ delivered_at: new Date(Date.now() - 31 * 86_400_000) })
    .where('id', '=', late.order_id)
    .execute()
  expect((await ask(late.token)).body.code).toBe('refund_window_over')
})

test('a review needs a purchase by somebody else, is one for each product of an order, and stays after a refund [S21] [spec-103]', {
  timeout: 60_000,
}, async () => {
  const [ann, mara, stranger] = [platform.user(), platform.user(), platform.user()]
  const [bought, unbought] = [await product(ann), await product(ann, 'Other')]
  const made = await order(ann, [bought], { buyer: mara })
  const review = (user: TestUser | null, more: object) =>
    call('write-review', user, { item_id: bought.item_id, rating: 5, text: 'Ten minutes.', name: 'Mara', ...more })
  expect((await review(mara, { order_id: made.order_id })).body.code).toBe('review_needs_purchase')
  const sale = await pay(ann, made.order_id)
  expect((await review(stranger, { order_id: made.order_id })).status).toBe(404)
  expect((await review(mara, { order_id: made.order_id, item_id: unbought.item_id })).body.code).toBe('review_needs_purchase')
  // The seller's own purchase, with the link of it, signed in or not.
  const own = await order(ann, [bought], { buyer: ann })
  await pay(ann, own.order_id)
  for (const user of [ann, null]) expect((await review(user, { token: own.token })).body.code).toBe('review_needs_purchase')
  await Promise.all([1, 2, 3].map(() => review(mara, { order_id: made.order_id })))
  const answer = await review(mara, { order_id: made.order_id, rating: 2, text: 'It broke.' })
  expect(answer.body.review).toMatchObject({ rating: 2, name: 'Mara', refunded: false })
  const rating = () => db.selectFrom('items').select(['rating_sum', 'rating_count']).where('id', '=', bought.item_id).executeTakeFirst()
  expect(await rating()).toEqual({ rating_sum: 2, rating_count: 1 })
  const told = await db
    .selectFrom('outbox')
    .select('id')
    .where('name', '=', 'marketplace.item_reviewed')
    .where('user_id', '=', ann.id)
    .execute()
  expect(told).toHaveLength(1)
  const { id: review_id } = answer.body.review
  expect((await call('answer-review', stranger, { review_id, text: 'Hm' })).status).toBe(404)
  expect((await call('answer-review', ann, { review_id, text: 'Mended in version 2.' })).status).toBe(200)
  await platform.emit(saleRefunded, ann.id, { ...sale, version: 2, refunded_cents: 4_900, returned_cents: 4_900 })
  await stateIs(made.order_id, 'refunded')
  const shown = (await call('item-reviews', null, { item_id: bought.item_id })).body
  expect(shown).toMatchObject({
    rating: { mean: 2, count: 1, stars: [0, 1, 0, 0, 0] },
    reviews: [{ refunded: true, answer: 'Mended in version 2.' }],
  })
  expect((await review(mara, { order_id: made.order_id })).body.code).toBe('review_needs_purchase')
  expect((await call('delete-review', stranger, { review_id })).status).toBe(404)
  expect((await call('delete-review', mara, { review_id })).body).toEqual({ deleted: true })
  expect(await rating()).toEqual({ rating_sum: 0, rating_count: 0 })
})

test('buyer and seller write to each other in the app and by email, and an answer counts once and only by its signed address [spec-100] [S14]', {
  timeout: 60_000,
}, async () => {
  const [ann, mara, stranger] = [platform.user(), platform.user(), platform.user()]
  await verified(ann, `ann-${ann.id}@example.com`)
  await vi.waitFor(
    async () => expect(await db.selectFrom('profiles').select('email').where('user_id', '=', ann.id).executeTakeFirst()).toBeTruthy(),
    within,
  )
  const bought = await product(ann)
  const guest = `guest-${newId()}@example.com`
  const { order_id, token } = await order(ann, [bought], { email: guest })
  expect((await call('message-seller', null, { token, text: 'Hello?' })).status).toBe(404)
  await pay(ann, order_id)
  const file_id = await upload(mara, 'shot.txt', 'pixels')
  expect((await call('message-seller', null, { token, text: 'With a file', file_ids: [file_id] })).body.code).toBe('attachment_unknown')
  expect((await call('message-seller', stranger, { token, text: 'With a file', file_ids: [file_id] })).body.code).toBe('attachment_unknown')
  expect((await call('message-seller', null, { token, text: 'Does it work with HubSpot?' })).status).toBe(200)
  const [thread] = (await call('list-threads', ann, {})).body.threads
  expect(thread).toMatchObject({
    from: guest,
    subject: 'Lead qualification',
    preview: 'Does it work with HubSpot?',
    unread: 1,
    order_id,
    product_id: bought.item_id,
  })
  expect((await call('show-thread', stranger, { thread_id: thread.id })).status).toBe(404)
  expect((await call('answer-message', stranger, { thread_id: thread.id, text: 'Hi' })).status).toBe(404)
  const letter = await mailTo(`ann-${ann.id}@example.com`, /wrote about Lead qualification/)
  expect(letter.text).toContain('Does it work with HubSpot?')
  const address = /reply\+[a-z2-7]+@reply\.operon\.example/.exec(JSON.stringify(letter.headers))![0]
  const key = rt.vault.derive('inbound mail').toString('hex')
  const mail = (fields: Record<string, string>, sign = key) => {
    const [timestamp, nonce] = [String(Math.floor(Date.now() / 1000)), newId()]
    const signature = createHmac('sha256', sign)
      .update(timestamp + nonce)
      .digest('hex')
    const body = new URLSearchParams({
      timestamp,
      token: nonce,
      signature,
      recipient: address,
      'stripped-text': 'Yes, by its API key.',
      ...fields,
    })
    return fetch(`${platform.url()}/webhooks/mail/mailgun`, { method: 'POST', body })
  }
  expect((await mail({}, 'another key')).status).toBe(400)
  expect((await mail({ timestamp: '1' })).status).toBe(400)
  expect(
    await (await mail({ recipient: address.replace(/\+(.)/, (_, first) => (first === 'x' ? '+y' : '+x')), 'Message-Id': '<0>' })).json(),
  ).toEqual({ taken: false })
  const twice = await Promise.all([mail({ 'Message-Id': '<1@x>' }), mail({ 'Message-Id': '<1@x>' })])
  expect(twice.map(({ status }) => status)).toEqual([200, 200])
  expect(await (await mail({ 'Message-Id': '<2@x>', 'message-headers': '[["Auto-Submitted", "auto-replied"]]' })).json()).toEqual({
    taken: false,
  })
  const { messages } = (await call('order-messages', null, { token })).body
  expect(messages.map(({ from, text, via }: any) => [from, text, via])).toEqual([
    ['buyer', 'Does it work with HubSpot?', 'app'],
    ['seller', 'Yes, by its API key.', 'mail'],
  ])
  expect((await mailTo(guest, /Mara wrote about/)).text).toContain('Yes, by its API key.')
  expect((await call('list-threads', ann, {})).body).toMatchObject({ response_minutes: 0 })
  await call('show-thread', ann, { thread_id: thread.id })
  expect((await call('list-threads', ann, { unread: true })).body).toMatchObject({ threads: [], unread: 0 })
  for (let n = 0; n < 29; n++) await call('message-seller', null, { token, text: `Again ${n}` })
  expect((await call('message-seller', null, { token, text: 'Once too often' })).body.code).toBe('too_many_messages')
})

test('saved products and searches are the buyer’s own, and a search tells of what is new once a day until it is stopped [spec-106]', {
  timeout: 60_000,
}, async () => {
  const [ann, mara, stranger] = [platform.user(), platform.user(), platform.user()]
  const address = `mara-${mara.id}@example.com`
  await verified(mara, address)
  const word = `zebra${newId().slice(-6)}`
  const { search_id } = (await call('save-search', mara, { q: word })).body
  expect((await call('save-search', mara, { q: word })).body).toEqual({ search_id })
  expect((await call('change-search', stranger, { search_id, deleted: true })).status).toBe(404)
  const bought = await product(ann, `Stripes of a ${word}`)
  expect((await call('save-item', mara, { item_id: bought.item_id })).body).toEqual({ saved: true })
  await call('save-item', mara, { item_id: bought.item_id })
  expect((await call('my-wishlist', mara)).body.wishes).toMatchObject([{ item_id: bought.item_id, offer: { price_cents: 4900 } }])
  expect((await call('my-wishlist', stranger)).body.wishes).toEqual([])
  expect((await call('buyer-overview', mara)).body).toEqual({
    orders: 0,
    wishlist: 1,
    reviews: 0,
    searches: 1,
    unread_messages: 0,
    updates: 0,
    address_confirmed: true,
  })
  expect((await call('my-searches', mara)).body.searches).toMatchObject([{ q: word, fresh: 1, mails: true }])
  const { sweepSearches } = await import('../buyers/searches.ts')
  const longAgo = () =>
    db
      .updateTable('saved_searches')
      .set({ looked_at: new Date(Date.now() - 2 * 86_400_000) })
      .where('id', '=', search_id)
      .execute()
  await sweepSearches(rt.ctx())
  await longAgo()
  await sweepSearches(rt.ctx())
  await product(ann, `More of a ${word}`)
  await sweepSearches(rt.ctx())
  const told = db.selectFrom('outbox').select('id').where('name', '=', searchLetter.name).where('user_id', '=', mara.id)
  expect(await told.execute()).toHaveLength(1)
  const letter = await mailTo(address, /A new product for zebra/)
  expect(letter.text).toContain(`Stripes of a ${word} by Ann`)
  expect((await mails(address)).length).toBe(1)
  const stop = new URL(letter.links.find((link: string) => link.includes('search-unsubscribe')))
  expect((await fetch(`${platform.url()}${stop.pathname}${stop.search}`)).status).toBe(200)
  expect((await call('my-searches', mara)).body.searches).toMatchObject([{ mails: true }])
  expect((await fetch(`${platform.url()}${stop.pathname}${stop.search}x`, { method: 'POST' })).status).toBe(404)
  expect(
    await (
      await fetch(`${platform.url()}${stop.pathname}${stop.search}`, {
        method: 'POST',
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      })
    ).json(),
  ).toMatchObject({ ok: true })
  expect((await call('my-searches', mara)).body.searches).toMatchObject([{ mails: false }])
})
