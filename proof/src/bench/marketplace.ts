import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type AllInOne, startAllInOne } from '@operon/deploy/all-in-one'
import { freePort } from '@operon/kit/ports'
import { sql } from 'kysely'
import { median } from './measure.ts'

const goals = { paidToDownloadMs: 2_000, checkoutsPerSecond: 50, searchMs: 100 }
const PRODUCTS = 10_000
const CARD = { number: '4242424242424242', expiry: '12/34', cvc: '123', name: 'A', country: 'DE', postal_code: '10115' }

/**
 * Buying, over HTTP through the gateway, with the payment provider's stand-in, the buyers and the platform all in this one process: how long from
 * the answer of the payment page until the first bytes of the file are here, how many payment pages open in a second, and how long a search of a
 * directory of 10,000 products takes, as the app asks and as a page.
 */
export async function bench({ short }: { short: boolean }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-marketplace-'))
  chmodSync(dataDir, 0o755)
  // Known before the start: the payment provider is told where buyers come back to.
  const port = String(await freePort())
  const env = {
    PORT: port,
    PUBLIC_URL: `http://localhost:${port}`,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    TRUSTED_PROXIES: 'loopback',
    AUTH_AUTOCONFIRM: 'true',
  }
  const platform = await startAllInOne({ env: { ...process.env, ...env }, log: () => {} })
  try {
    const item_id = await readyProduct(platform)
    const waits: number[] = []
    for (let at = 0; at < (short ? 20 : 100); at++) waits.push(await paidToDownload(platform, item_id))
    const p95 = percentile(waits, 95)
    const told = `median ${Math.round(median(waits))} ms, p95 ${Math.round(p95)} ms of ${waits.length} orders (goal ${goals.paidToDownloadMs})`
    console.log(`paid to download: ${told}${p95 > goals.paidToDownloadMs ? '  MISSED' : ''}`)
    for (const lanes of [8, 32]) {
      const { perSecond, failed, p95Ms } = await checkouts(platform, item_id, lanes, short ? 4_000 : 15_000)
      const missed = perSecond < goals.checkoutsPerSecond || failed > 0
      console.log(
        `checkouts opened, ${lanes} buyers at once: ${perSecond.toFixed(1)} a second (goal ${goals.checkoutsPerSecond}), p95 ${Math.round(p95Ms)} ms, ${failed} failed${missed ? '  MISSED' : ''}`,
      )
    }
    await fillDirectory(platform)
    for (const [what, took] of Object.entries(await searches(platform, short ? 200 : 1_000))) {
      const p95 = percentile(took, 95)
      const told = `median ${median(took).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms of ${took.length} (goal ${goals.searchMs})`
      console.log(`${PRODUCTS.toLocaleString('en-US')} products searched, ${what}: ${told}${p95 > goals.searchMs ? '  MISSED' : ''}`)
    }
  } finally {
    await platform.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

let visitors = 0
/** Each buyer has an address of their own, as limits count by it. */
function call({ address }: AllInOne, path: string, body: unknown, token?: string) {
  visitors++
  const from = `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`
  return fetch(address + path, {
    method: 'POST',
    headers: {
      apikey: 'anon',
      'content-type': 'application/json',
      'x-forwarded-for': from,
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
}
async function fn<T = any>(platform: AllInOne, name: string, body: unknown, token?: string): Promise<T> {
  const answer = await call(platform, `/functions/v1/${name}`, body, token)
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
  return answer.json() as Promise<T>
}

async function paidToDownload(platform: AllInOne, item_id: string): Promise<number> {
  const { url } = await fn(platform, 'start-checkout', { item_id, email: `buyer-${visitors}@example.com` })
  const form = new URLSearchParams({ ...CARD, email: `buyer-${visitors}@example.com` })
  const paid = await fetch(platform.address + new URL(url).pathname, { method: 'POST', redirect: 'manual', body: form })
  const back = paid.headers.get('location') ?? ''
  if (!back.includes('/orders/')) throw new Error(`not paid: ${paid.status} ${back} ${(await paid.text()).slice(0, 300)}`)
  const began = performance.now()
  const token = new URL(back, platform.address).pathname.split('/').at(-1)!
  // As the page that the buyer comes back to: it looks at once, and again while it waits.
  for (;;) {
    const order = await fn(platform, 'show-order', { token })
    if (order.state === 'delivered') {
      const { url: file } = await fn(platform, 'order-download', { token, file_id: order.lines[0].files[0].file_id })
      const answer = await fetch(platform.address + new URL(file).pathname)
      if (answer.status !== 200) throw new Error(`no file: ${answer.status}`)
      await answer.arrayBuffer()
      return performance.now() - began
    }
    await delay(100)
  }
}

async function checkouts(platform: AllInOne, item_id: string, lanes: number, forMs: number) {
  const took: number[] = []
  let failed = 0
  const began = performance.now()
  const lane = async () => {
    while (performance.now() - began < forMs) {
      const from = performance.now()
      const answer = await call(platform, '/functions/v1/start-checkout', { item_id, email: `many-${visitors}@example.com` })
      await answer.arrayBuffer()
      if (answer.ok) took.push(performance.now() - from)
      else failed++
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { perSecond: (took.length * 1000) / (performance.now() - began), failed, p95Ms: percentile(took, 95) }
}

const WORDS = ['lead', 'invoice', 'support', 'calendar', 'meeting', 'report', 'campaign', 'contract', 'survey', 'payroll']
async function fillDirectory({ services }: AllInOne) {
  const { db } = services.marketplace!.rt
  await sql`
    with sellers as (
      insert into profiles (user_id, display_name, marketplace_slug, version)
      select gen_random_uuid(), 'Seller ' || n, 'seller-' || n, 1 from generate_series(1, 200) n returning user_id
    ), numbered as (select user_id, row_number() over () - 1 as place from sellers)
    insert into items (id, user_id, title, description, category, price_cents, item_type, is_active, published_at)
    select gen_random_uuid(), s.user_id, (${WORDS}::text[])[1 + n % 10] || ' ' || (${WORDS}::text[])[1 + n / 10 % 10] || ' no' || n,
      repeat('Asks the five questions, scores the answers and offers a meeting. ', 1 + n % 20), 'Category ' || n % 12, 1900, 'workflow', true,
      now() - n * interval '1 minute'
    from generate_series(1, ${PRODUCTS}::int) n join numbered s on s.place = n % 200`.execute(db)
  await sql`analyze`.execute(db)
}

/** Words of four kinds, two thirds in one category. A page counts the first time alone: from then on the gateway has kept it. */
async function searches(platform: AllInOne, count: number): Promise<Record<string, number[]>> {
  const took: Record<string, number[]> = { 'by the app': [], 'as a page': [] }
  const seen = new Set<string>()
  for (let at = 0; at < count; at++) {
    const q = [WORDS[at % 10]!, `${WORDS[at % 10]} ${WORDS[(at * 7) % 10]}`, `no${at * 10}`, `nothing${at}`][at % 4]!
    const asked = { q, category: at % 3 ? '' : `Category ${at % 12}` }
    const began = performance.now()
    const answer = await fn(platform, 'storefront-page', asked)
    took['by the app']!.push(performance.now() - began)
    if (answer.next) {
      const from = performance.now()
      await fn(platform, 'storefront-page', { ...asked, after: answer.next })
      took['by the app']!.push(performance.now() - from)
    }
    const address = `/marketplace?${new URLSearchParams(asked)}`
    if (seen.has(address)) continue
    seen.add(address)
    visitors++
    const from = performance.now()
    const headers = { 'x-forwarded-for': `10.200.${(visitors >> 8) & 255}.${visitors & 255}` }
    const page = await fetch(platform.address + address, { headers })
    if (!page.ok) throw new Error(`no page: ${page.status}`)
    await page.arrayBuffer()
    took['as a page']!.push(performance.now() - from)
  }
  return took
}

const percentile = (values: number[], of: number) => values.toSorted((a, b) => a - b)[Math.ceil((values.length * of) / 100) - 1] ?? 0

/** A seller whose payouts are set up, with a product of one file on sale. */
async function readyProduct(platform: AllInOne): Promise<string> {
  const account = { email: 'seller@example.com', password: 'Correct-Horse-9-Battery', data: { name: 'Ann', accept_terms: true } }
  const answer = await call(platform, '/auth/v1/signup', account)
  if (!answer.ok) throw new Error(`no seller: ${answer.status} ${await answer.text()}`)
  const session = (await answer.json()) as { access_token: string; user: { id: string } }
  const token = session.access_token
  await call(platform, '/rest/v1/user_roles', { user_id: session.user.id, role: 'seller' }, token)
  const page = await until(async () => new URL((await fn(platform, 'start-payouts', {}, token)).url).pathname)
  const bank = new URLSearchParams({ number: '000123456789', outcome: 'complete' })
  await fetch(platform.address + page, { method: 'POST', redirect: 'manual', body: bank })
  await call(platform, '/sandbox/api/stripe/clock/advance', { account: session.user.id, seconds: 61 })
  await until(async () => (await fn(platform, 'payout-account', { refresh: true }, token)).state === 'ready')
  const made = { title: 'Guide', description: 'One two three.', category: 'Marketing', item_type: 'guide', price_cents: 4900, kind: 'file' }
  const { item_id } = await fn(platform, 'create-product', made, token)
  await fn(platform, 'attach-product-file', { item_id, file_id: await upload(platform, token) }, token)
  await until(async () => (await fn(platform, 'publish-product', { item_id }, token)).url)
  return item_id
}

async function upload({ address }: AllInOne, token: string): Promise<string> {
  const headers = { apikey: 'anon', authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' }
  const content = Buffer.alloc(100_000, 'one two three ')
  const metadata = `filename ${Buffer.from('guide.txt').toString('base64')},filetype ${Buffer.from('text/plain').toString('base64')}`
  const announced = { ...headers, 'upload-length': String(content.length), 'upload-metadata': metadata }
  const begun = await fetch(`${address}/files/v1/marketplace/~uploads`, { method: 'POST', headers: announced })
  const at = begun.headers.get('location')!
  const piece = { ...headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  await fetch(address + at, { method: 'PATCH', headers: piece, body: content })
  return at.split('/').at(-1)!
}

async function until<T>(look: () => Promise<T>): Promise<T> {
  let last: unknown
  for (const end = Date.now() + 30_000; Date.now() < end; await delay(100)) {
    const found = await look().catch((error: unknown) => {
      last = error
      return undefined
    })
    if (found) return found
  }
  throw new Error('the seller or the product did not become ready', { cause: last })
}
