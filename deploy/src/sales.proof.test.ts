import { newEmail, PASSWORD, unpaced } from '@operon/identity/testing/platform'
import { newId } from '@operon/kit/ids'
import { freePort } from '@operon/kit/ports'
import { startTestPlatform } from '@operon/kit/testing/service'
import { afterAll, expect, test, vi } from 'vitest'
import { openGateway } from './all-in-one.ts'
import { loadDefinitions } from './services.ts'

// The life of a seller's money over the whole platform, through the public door.

const STAFF = newEmail()
const RETURNED_DAYS_LATER = '000999999991'
const GETS_DISPUTED = '4000000000000259'
const within = { timeout: 30_000, interval: 250 }

const site = await start()
afterAll(() => site.close())

async function start() {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const env = { PORT: String(port), WEB_DIST: '/none', PUBLIC_URL: url, AUTH_AUTOCONFIRM: 'true', AUTH_STAFF_EMAILS: STAFF, ...unpaced }
  const platform = await startTestPlatform(await loadDefinitions(), env)
  const gateway = await openGateway(platform.infra, Object.values(platform.services))
  return {
    url,
    /** Does what is due at once, instead of within half a minute. */
    sweep: (name: string) => platform.services.billing!.rt.jobs.add([{ id: newId(), name, user_id: null, payload: {}, trace: null }]),
    async close() {
      await gateway.drain()
      await gateway.close()
      await platform.close()
    },
  }
}

type Person = { token: string }
async function post(path: string, person: Person | null, body: object = {}) {
  const headers = { 'content-type': 'application/json', ...(person && { authorization: `Bearer ${person.token}` }) }
  const response = await fetch(site.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as any }
}
const call = async (name: string, person: Person | null, body: object = {}) => (await post(`/functions/v1/${name}`, person, body)).body
const form = (url: string, fields: Record<string, string>) =>
  fetch(site.url + new URL(url).pathname, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) })
async function signUp(): Promise<Person> {
  return { token: (await post('/auth/v1/signup', null, { email: newEmail(), password: PASSWORD })).body.access_token }
}
/** Staff is who the configuration names, once the address is proven. */
async function staffMember(): Promise<Person> {
  const known = { email: STAFF, password: PASSWORD }
  await post('/auth/v1/admin/users', { token: 'test-service-key-0123456789' }, { ...known, email_confirm: true })
  return { token: (await post('/auth/v1/token?grant_type=password', null, known)).body.access_token }
}
async function advance(days: number) {
  await post('/sandbox/api/stripe/clock/advance', null, { seconds: Math.round(days * 86_400) })
  await site.sweep('billing.move_sellers')
}
async function toFriday() {
  const { iso } = (await (await fetch(`${site.url}/sandbox/api/stripe/clock`)).json()) as { iso: string }
  const now = new Date(iso)
  const days = (5 - now.getUTCDay() + 7) % 7 || 7
  await advance((Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days, 0, 5) - now.getTime()) / 86_400_000)
}
/** Runs the sweep now. By itself it runs every half minute. */
const becomes = (check: () => Promise<void>) =>
  vi.waitFor(
    async () => {
      await site.sweep('billing.move_sellers')
      await check()
    },
    { timeout: 60_000, interval: 1_000 },
  )
const sum = (rows: { amount_cents: number }[]) => rows.reduce((all, { amount_cents }) => all + amount_cents, 0)

test('a seller is paid for what they sold, the bank sends it back, and every cent of it can be read [spec-136]', {
  timeout: 240_000,
}, async () => {
  const [ann, buyer, staff] = [await signUp(), await signUp(), await staffMember()]

  await form((await call('start-payouts', ann)).url, { number: RETURNED_DAYS_LATER, outcome: 'complete' })
  await advance(0.001)
  await vi.waitFor(async () => expect(await call('payout-account', ann, { refresh: true })).toMatchObject({ ready: true }), within)
  const product = { title: 'Lead qualification', description: 'Five questions.', price_cents: 10_000, category: 'Marketing' }
  const { item_id } = await call('create-product', ann, { ...product, item_type: 'workflow' })
  await call('publish-product', ann, { item_id })

  const card = { email: 'guest@example.com', name: 'Guest', number: '4242424242424242' }
  const buy = async (person: Person | null, fields: object = {}) => {
    const { url } = await vi.waitFor(async () => {
      const opened = await call('start-checkout', person, { item_id, ...(!person && { email: 'guest@example.com' }) })
      expect(opened).toHaveProperty('url')
      return opened
    }, within)
    expect((await form(url, { ...card, ...fields })).status).toBeLessThan(400)
  }
  await buy(null, { country: 'DE', postal_code: '10115' })
  await buy(buyer)
  await buy(null)
  await buy(null, { number: GETS_DISPUTED })
  const delivered = async () => (await call('list-sales', ann)).sales as any[]
  await vi.waitFor(async () => {
    const sales = await delivered()
    expect(sales.map(({ status, held_until }) => [status, held_until !== null])).toEqual(Array(4).fill(['completed', true]))
  }, within)
  const sold = (await delivered()).toReversed()
  expect(sold.map(({ amount_cents, tax_cents, share_cents }) => [amount_cents, tax_cents, share_cents])).toEqual([
    [11_900, 1_900, 8_000],
    ...Array(3).fill([10_000, 0, 8_000]),
  ])

  expect(await call('refund-order', ann, { sale_id: sold[2].id, reason: 'It was bought twice' })).toMatchObject({ amount_cents: 10_000 })
  await advance(0.01)
  await vi.waitFor(
    async () => expect((await call('show-sale', ann, { sale_id: sold[3].id })).sale).toMatchObject({ dispute: 'open' }),
    within,
  )
  await advance(7.1)
  await toFriday()
  const payouts = async () => (await call('list-payouts', ann)).payouts as any[]
  await becomes(async () =>
    expect(await payouts()).toMatchObject([{ status: 'pending', amount_cents: 16_000, arrives_at: expect.any(String) }]),
  )
  expect((await call('seller-balance', ann)).balances).toMatchObject([{ held_cents: 8_000, due_cents: 0, on_its_way_cents: 16_000 }])
  await advance(2.5)
  await becomes(async () => expect(await payouts()).toMatchObject([{ status: 'paid' }]))
  await call('submit-evidence', ann, { sale_id: sold[3].id, text: 'winning_evidence', send: true })
  await vi.waitFor(
    async () => expect((await call('show-sale', ann, { sale_id: sold[3].id })).sale).toMatchObject({ dispute: 'won' }),
    within,
  )
  await advance(3.5)
  await becomes(async () => {
    expect(await payouts()).toMatchObject([{ status: 'returned', returned_because: expect.stringMatching(/bank/i) }])
    // Shown as returned at once; the money is theirs again when the transfer has come back too.
    expect((await call('seller-balance', ann)).balances).toMatchObject([{ on_its_way_cents: 0 }])
  })

  const { balances, next } = await call('seller-balance', ann)
  expect(balances).toMatchObject([{ held_cents: 0, due_cents: 24_000, reserved_cents: 0, on_its_way_cents: 0, owed_cents: 0 }])
  expect(next[0].why.map(({ code }: { code: string }) => code)).toEqual(['account_incomplete', 'bank_returned'])
  for (const [part, field] of Object.entries({
    held: 'held_cents',
    due: 'due_cents',
    reserved: 'reserved_cents',
    on_its_way: 'on_its_way_cents',
  })) {
    const { rows } = await call('balance-rows', ann, { part })
    expect([part, sum(rows)]).toEqual([part, balances[0][field]])
  }
  const [{ id: payout_id }] = await payouts()
  const explained = await call('explain-payout', ann, { payout_id })
  expect([explained.amount_cents, sum(explained.lines), explained.why[0].code]).toEqual([16_000, 16_000, 'bank_returned'])
  const moved = await Promise.all(sold.map(async ({ id }) => sum((await call('show-sale', ann, { sale_id: id })).movements)))
  expect(moved).toEqual([8_000, 8_000, 0, 8_000])

  // The buyer has the invoice by their order, and the seller has each credit note by its sale.
  const [own] = (await call('my-orders', buyer)).orders
  const { documents } = await call('order-documents', buyer, { order_id: own.id })
  expect(documents).toMatchObject([{ kind: 'invoice', amount_cents: 10_000 }])
  expect(await call('order-document', buyer, { order_id: own.id, document_id: documents[0].id })).toMatchObject({
    filename: `${documents[0].number}.pdf`,
    pdf: expect.stringMatching(/^JVBERi0/),
  })
  const papers = (await call('show-sale', ann, { sale_id: sold[2].id })).documents
  expect(papers.map(({ kind }: { kind: string }) => kind)).toEqual(['invoice', 'credit_note'])

  const reason = 'The walk of a seller'
  const email = 'guest@example.com'
  expect((await call('find-payment', ann, { query: email })).sales.length).toBeGreaterThan(0)
  expect((await call('staff-payout-runs', staff, { reason })).runs).toMatchObject([{ payouts: 1, returned: 1, amount_cents: 16_000 }])
  const before = (await call('staff-books', staff, { reason })).compared_at
  expect(await call('staff-books', staff, { reason, compare_again: true })).toHaveProperty('differences')
  await vi.waitFor(async () => {
    const books = await call('staff-books', staff, { reason })
    expect(books.compared_at).not.toBe(before)
    expect(books.differences).toEqual([])
  }, within)
  // Staff heard of the dispute, and of nothing that was not theirs to settle.
  await vi.waitFor(async () => {
    const notices = await fetch(`${site.url}/rest/v1/notifications?select=title,kind&kind=eq.staff`, {
      headers: { authorization: `Bearer ${staff.token}` },
    })
    expect(((await notices.json()) as { title: string }[]).map(({ title }) => title)).toEqual(['A payment of $100.00 is disputed'])
  }, within)
})
