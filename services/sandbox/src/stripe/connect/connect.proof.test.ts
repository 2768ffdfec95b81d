import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { readBody } from '../../core/wire.ts'
import { type Sandbox, startSandbox } from '../../sandbox.ts'
import { openConformance } from '../sdk/conforms.ts'

const DAY = 86_400
const conformance = openConformance()
const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-connect-'))
let heard: { path: string; event: Stripe.Event }[] = []

const post = (path: string, body: object) =>
  fetch(sandbox.addresses.stripe + path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
const advance = (seconds: number, account?: string) => post('/sandbox/api/stripe/clock/advance', { seconds, account })
const submit = (url: string, fields: Record<string, string>) =>
  fetch(sandbox.addresses.stripe + new URL(url).pathname, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) })

const sandbox: Sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9203', seed: 'connect', heard: conformance.heard })
const { hostname, port } = new URL(sandbox.addresses.stripe)
const stripe: Stripe = new Stripe('sk_test_sandbox', { host: hostname, port: Number(port), protocol: 'http', maxNetworkRetries: 0 })
const hook: Server = createServer(async (request, response) => {
  heard.push({ path: request.url!, event: JSON.parse((await readBody(request)).toString()) })
  response.writeHead(200).end()
}).listen(0, '127.0.0.1')
await once(hook, 'listening')
const own = `http://127.0.0.1:${(hook.address() as { port: number }).port}`
await stripe.webhookEndpoints.create({ url: `${own}/platform`, enabled_events: ['*'] })
await stripe.webhookEndpoints.create({ url: `${own}/connect`, enabled_events: ['*'], connect: true })
beforeEach(() => {
  heard = []
})
afterAll(async () => {
  await sandbox.close()
  hook.close()
  rmSync(dataDir, { recursive: true })
})

const links = { refresh_url: 'http://localhost:9203/again', return_url: 'http://localhost:9203/done', type: 'account_onboarding' as const }

const manual = { payouts: { schedule: { interval: 'manual' as const } } }
async function seller(
  fields: Record<string, string> = {},
  { verified = true, settings = manual as Stripe.AccountCreateParams.Settings, user = randomUUID() } = {},
) {
  const account = await stripe.accounts.create({
    type: 'express',
    email: 'ann@example.com',
    metadata: { user_id: user },
    capabilities: { transfers: { requested: true } },
    settings,
  })
  const link = await stripe.accountLinks.create({ account: account.id, ...links })
  const answer = await submit(link.url, { number: '000123456789', outcome: 'complete', ...fields })
  if (verified) await advance(61)
  return { id: account.id, user, link, answer, now: () => stripe.accounts.retrieve(account.id) }
}
/** A buyer's payment to the platform, whose money is available two days later. */
const paid = (amount: number, currency = 'usd') =>
  stripe.paymentIntents.create({ amount, currency, payment_method: 'pm_card_visa', confirm: true, metadata: { order: randomUUID() } })
async function platformHas(amount: number) {
  await paid(amount)
  await advance(2 * DAY + 60)
}
const balanceOf = async (account?: string) => {
  const { available, pending } = account ? await stripe.balance.retrieve({}, { stripeAccount: account }) : await stripe.balance.retrieve()
  const usd = (list: { currency: string; amount: number }[]) => list.find(({ currency }) => currency === 'usd')?.amount ?? 0
  return { available: usd(available), pending: usd(pending) }
}
const transferTo = (destination: string, amount: number, more: object = {}) =>
  stripe.transfers.create({ amount, currency: 'usd', destination, ...more })

test('a seller who goes through the onboarding can be paid once it is verified', async () => {
  const ann = await seller({}, { verified: false })
  expect(ann.answer.headers.get('location')).toBe(links.return_url)
  expect(await ann.now()).toMatchObject({
    details_submitted: true,
    payouts_enabled: false,
    capabilities: { transfers: 'pending' },
    requirements: { disabled_reason: 'requirements.pending_verification' },
  })
  await advance(61)
  expect(await ann.now()).toMatchObject({
    payouts_enabled: true,
    capabilities: { transfers: 'active' },
    requirements: { disabled_reason: null },
  })
  // A link opens once.
  expect((await submit(ann.link.url, { number: '000123456789' })).headers.get('location')).toBe(links.refresh_url)
})

test('what is asked for later stops the account when its time is over; one that is refused never starts', async () => {
  const more = await seller({ outcome: 'more' })
  expect(await more.now()).toMatchObject({ payouts_enabled: true, requirements: { currently_due: ['individual.verification.document'] } })
  await advance(15 * DAY)
  expect(await more.now()).toMatchObject({ payouts_enabled: false, requirements: { disabled_reason: 'requirements.past_due' } })
  const refused = await seller({ outcome: 'refused' })
  expect(await refused.now()).toMatchObject({ payouts_enabled: false, requirements: { disabled_reason: 'rejected.other' } })
  await expect(transferTo(refused.id, 100)).rejects.toMatchObject({ code: 'insufficient_capabilities_for_transfer' })
})

test('a transfer takes available money alone, or that of one charge and no more than it; each balance has its own', async () => {
  const ann = await seller()
  const before = await balanceOf()
  const payment = await paid(10_000)
  expect((await balanceOf()).pending).toBe(before.pending + 10_000 - 320)
  await expect(transferTo(ann.id, before.available + 1)).rejects.toMatchObject({ code: 'balance_insufficient' })
  // The same no under the same key, also once the money is there: whoever asks again takes a new key.
  const asked = { amount: before.available + 1, currency: 'usd', destination: ann.id }
  const key = { idempotencyKey: randomUUID() }
  await expect(stripe.transfers.create(asked, key)).rejects.toMatchObject({ code: 'balance_insufficient' })
  const charge = payment.latest_charge as string
  await transferTo(ann.id, 6000, { source_transaction: charge })
  await expect(transferTo(ann.id, 4001, { source_transaction: charge })).rejects.toMatchObject({ statusCode: 400, param: 'amount' })
  expect(await balanceOf(ann.id)).toEqual({ available: 0, pending: 6000 })
  await advance(2 * DAY + 60)
  expect((await balanceOf()).available).toBeGreaterThan(asked.amount)
  await expect(stripe.transfers.create(asked, key)).rejects.toMatchObject({ code: 'balance_insufficient' })
  expect(await balanceOf(ann.id)).toEqual({ available: 6000, pending: 0 })
  expect(sandbox.truth.read({ kind: 'transfer' }).at(-1)).toMatchObject({ destination: ann.id, amount: 6000 })
})

test('a transfer under one key is one, and is reversed out of the seller’s balance, never below nothing', async () => {
  await platformHas(20_000)
  const ann = await seller()
  const request = { amount: 5000, currency: 'usd', destination: ann.id }
  const key = { idempotencyKey: randomUUID() }
  const [first, again] = [await stripe.transfers.create(request, key), await stripe.transfers.create(request, key)]
  expect(again.id).toBe(first.id)
  expect((await stripe.transfers.list({ destination: ann.id })).data).toHaveLength(1)
  const platform = await balanceOf()
  await stripe.transfers.createReversal(first.id, { amount: 2000 })
  expect(await stripe.transfers.retrieve(first.id)).toMatchObject({ amount_reversed: 2000, reversed: false })
  expect([(await balanceOf()).available, (await balanceOf(ann.id)).available]).toEqual([platform.available + 2000, 3000])
  await expect(stripe.transfers.createReversal(first.id, { amount: 3001 })).rejects.toMatchObject({ param: 'amount' })
  await stripe.payouts.create({ amount: 3000, currency: 'usd' }, { stripeAccount: ann.id })
  await expect(stripe.transfers.createReversal(first.id)).rejects.toMatchObject({ code: 'balance_insufficient' })
})

test.each([
  ['000123456789', ['payout.created', 'payout.paid'], 'paid', 0],
  ['000111111116', ['payout.created', 'payout.failed'], 'failed', 4000],
  ['000999999991', ['payout.created', 'payout.paid', 'payout.failed'], 'failed', 4000],
])('a payout to %s ends as its bank says: %j', async (number, events, status, left) => {
  await platformHas(10_000)
  const ann = await seller({ number })
  await transferTo(ann.id, 4000)
  await expect(stripe.payouts.create({ amount: 4001, currency: 'usd' }, { stripeAccount: ann.id })).rejects.toMatchObject({
    code: 'balance_insufficient',
  })
  const payout = await stripe.payouts.create({ amount: 4000, currency: 'usd' }, { stripeAccount: ann.id })
  expect(await balanceOf(ann.id)).toEqual({ available: 0, pending: 0 })
  await advance(6 * DAY)
  expect(await stripe.payouts.retrieve(payout.id, {}, { stripeAccount: ann.id })).toMatchObject({ status })
  expect((await balanceOf(ann.id)).available).toBe(left)
  expect((await ann.now()).payouts_enabled).toBe(status === 'paid')
  const told = heard.filter(({ event }) => (event.data.object as { id?: string }).id === payout.id)
  expect(told.map(({ event }) => event.type)).toEqual(events)
  // Only listeners for sellers hear of it, and the event names the account.
  expect(new Set(told.map(({ path, event }) => `${path} ${event.account}`))).toEqual(new Set([`/connect ${ann.id}`]))
})

test('nobody reads or spends another account’s balance, and what is not played for accounts is refused', async () => {
  await platformHas(10_000)
  const [ann, bob] = [await seller(), await seller()]
  await transferTo(ann.id, 3000)
  const payout = await stripe.payouts.create({ amount: 1000, currency: 'usd' }, { stripeAccount: ann.id })
  expect((await stripe.payouts.list({}, { stripeAccount: bob.id })).data).toEqual([])
  expect((await stripe.balanceTransactions.list({}, { stripeAccount: bob.id })).data).toEqual([])
  await expect(stripe.payouts.retrieve(payout.id, {}, { stripeAccount: bob.id })).rejects.toMatchObject({ statusCode: 404 })
  await expect(stripe.payouts.cancel(payout.id, {}, { stripeAccount: bob.id })).rejects.toMatchObject({ statusCode: 404 })
  await expect(stripe.payouts.create({ amount: 1, currency: 'usd' }, { stripeAccount: 'acct_nobody' })).rejects.toMatchObject({
    statusCode: 403,
    code: 'account_invalid',
  })
  await expect(stripe.customers.create({}, { stripeAccount: ann.id })).rejects.toMatchObject({ statusCode: 400 })
})

test('a seller whose bank sent a payout back names another in their own dashboard, and is paid', async () => {
  await platformHas(10_000)
  const ann = await seller({ number: '000111111113' })
  await transferTo(ann.id, 4000)
  const pay = () => stripe.payouts.create({ amount: 4000, currency: 'usd' }, { stripeAccount: ann.id })
  await pay()
  await advance(3 * DAY)
  await expect(pay()).rejects.toMatchObject({ code: 'payouts_not_allowed' })
  const { url } = await stripe.accounts.createLoginLink(ann.id)
  expect(await (await fetch(sandbox.addresses.stripe + new URL(url).pathname)).text()).toContain('40.00 USD available')
  expect((await submit(url, { number: '4000' })).status).toBe(402)
  expect((await submit(url, { number: '000123456789' })).status).toBe(303)
  expect(await ann.now()).toMatchObject({ payouts_enabled: true, requirements: { currently_due: [], disabled_reason: null } })
  const again = await pay()
  await advance(3 * DAY)
  expect(await stripe.payouts.retrieve(again.id, {}, { stripeAccount: ann.id })).toMatchObject({ status: 'paid' })
  const told = heard.filter(({ event }) => event.account === ann.id).map(({ event }) => event.type)
  expect(told).toEqual(expect.arrayContaining(['account.external_account.updated', 'account.external_account.created']))
  const kinds = sandbox.truth
    .read({})
    .filter((line) => line.account === ann.id)
    .map(({ kind }) => kind)
  expect(kinds).toEqual(['account', 'payout', 'payout_failed', 'payout', 'payout_paid'])
})

test('an account that nobody set to manual pays out by itself at midnight, and one that is, does not', async () => {
  await platformHas(20_000)
  const [ann, bob] = [await seller({}, { settings: {} }), await seller()]
  await transferTo(ann.id, 3000)
  await transferTo(bob.id, 3000)
  await advance(2 * DAY)
  const payouts = async (account: string) => (await stripe.payouts.list({}, { stripeAccount: account })).data
  expect(await payouts(ann.id)).toMatchObject([{ amount: 3000, automatic: true }])
  expect(await payouts(bob.id)).toEqual([])
  await stripe.accounts.update(ann.id, { settings: manual })
  await transferTo(ann.id, 2000)
  await advance(3 * DAY)
  expect(await payouts(ann.id)).toHaveLength(1)
})

test('a seller’s clock is their own, also where they buy, and the platform pays them as of it', async () => {
  const buyer = await stripe.customers.create({ email: 'eve@example.com', metadata: { user_id: randomUUID() } })
  const [ann, bob] = [await seller(), await seller()]
  const { available } = await balanceOf()
  await stripe.paymentIntents.create({ amount: 50_000, currency: 'usd', customer: buyer.id, payment_method: 'pm_card_visa', confirm: true })
  await expect(transferTo(ann.id, available + 40_000)).rejects.toMatchObject({ code: 'balance_insufficient' })
  await advance(7 * DAY, ann.user)
  const moved = heard.map(({ event }) => event).findLast(({ type }) => type === 'test_helpers.test_clock.ready')
  expect(moved!.data.object).toMatchObject({ name: ann.id })
  const before = await balanceOf()
  await transferTo(ann.id, available + 40_000)
  // The others, whose money is not there yet, still have what they had.
  expect((await balanceOf()).available).toBe(before.available)
  const payout = await stripe.payouts.create({ amount: 40_000, currency: 'usd' }, { stripeAccount: ann.id })
  await transferTo(bob.id, 100)
  const later = await stripe.payouts.create({ amount: 100, currency: 'usd' }, { stripeAccount: bob.id })
  await advance(3 * DAY, ann.user)
  const statusOf = async (id: string, account: string) => (await stripe.payouts.retrieve(id, {}, { stripeAccount: account })).status
  expect([await statusOf(payout.id, ann.id), await statusOf(later.id, bob.id)]).toEqual(['paid', 'pending'])
  // A person who sells first and buys later has one clock.
  const bought = await stripe.customers.create({ email: 'ann.buys@example.com', metadata: { user_id: ann.user } })
  expect(bought.created - buyer.created).toBeGreaterThanOrEqual(10 * DAY)
})

test('the platform turns a seller away, and nothing more is sent to them', async () => {
  const ann = await seller()
  expect(await stripe.accounts.reject(ann.id, { reason: 'terms_of_service' })).toMatchObject({
    payouts_enabled: false,
    requirements: { disabled_reason: 'rejected.platform_terms_of_service' },
  })
  await expect(transferTo(ann.id, 100)).rejects.toMatchObject({ code: 'insufficient_capabilities_for_transfer' })
})

test('an account shows where each cent of it came from, to itself alone', async () => {
  await platformHas(10_000)
  const [ann, bob] = [await seller(), await seller()]
  const { id } = await transferTo(ann.id, 3000, { transfer_group: 'order-1' })
  await stripe.transfers.createReversal(id, { amount: 500 })
  const own = { stripeAccount: ann.id }
  const { data } = await stripe.balanceTransactions.list({ expand: ['data.source'] }, own)
  expect(data.map(({ type, net, status, source }) => ({ type, net, status, source }))).toMatchObject([
    { type: 'payment_refund', net: -500, status: 'available', source: { object: 'refund', amount: 500 } },
    { type: 'payment', net: 3000, status: 'available', source: { object: 'charge', source_transfer: id, amount_refunded: 500 } },
  ])
  expect((await stripe.charges.list({}, own)).data).toHaveLength(1)
  await expect(stripe.balanceTransactions.retrieve(data[0]!.id, {}, { stripeAccount: bob.id })).rejects.toMatchObject({ statusCode: 404 })
  await expect(stripe.balanceTransactions.retrieve(data[0]!.id)).rejects.toMatchObject({ statusCode: 404 })
  const [transfer, reversal] = [sandbox.truth.read({ kind: 'transfer' }).at(-1), sandbox.truth.read({ kind: 'transfer_reversal' }).at(-1)]
  expect(transfer).toMatchObject({ destination: ann.id, amount: 3000, transfer_group: 'order-1' })
  expect(reversal).toMatchObject({ destination: ann.id, transfer: id, amount: 500 })
})

test.each([
  ['a share taken at the charge', () => ({ application_fee_amount: 100 })],
  ['a charge for somebody else', (account: string) => ({ transfer_data: { destination: account } })],
  ['a charge in somebody else’s name', (account: string) => ({ on_behalf_of: account })],
])('%s is refused by its name, not taken and forgotten', async (_what, more) => {
  const ann = await seller({}, { verified: false })
  const request = { amount: 5000, currency: 'usd', payment_method: 'pm_card_visa', confirm: true, ...more(ann.id) }
  await expect(stripe.paymentIntents.create(request)).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining('does not play'),
  })
})

test('every answer and every event of the tests above fits the types of the provider’s SDK', { timeout: 180_000 }, () => {
  expect(conformance.problems()).toEqual([])
  expect(conformance.seen()).toBeGreaterThan(100)
})
