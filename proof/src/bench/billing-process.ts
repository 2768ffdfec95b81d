// Billing with the sandbox's Stripe in one process, as the all-in-one runs them; the bench asks it over HTTP and for the work below HTTP.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { billingService } from '@operon/billing/service'
import { subscriptionOf } from '@operon/billing/subscriptions/check'
import { openSaleCheckout, settleSale } from '@operon/contracts/billing/selling-events'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import type { ServiceDefinition } from '@operon/kit/service'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { startSandbox } from '@operon/sandbox/sandbox'
import pg from 'pg'
import { z } from 'zod'

const { postgres, connections, sales, dataDir } = JSON.parse(process.argv[2]!) as {
  postgres: string
  connections: number
  sales: number
  dataDir: string
}
process.env.OPERON_TEST_PG = postgres
const sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9599' })
const guide: ServiceDefinition = {
  name: 'sandbox',
  config: z.object({}),
  migrations: {},
  setup: (rt) => rt.answer(sandboxAddress, async () => ({ url: sandbox.addresses.stripe })),
}
// No webhook of the sandbox's own reaches us: the bench sends them.
const platform = await startTestPlatform([guide, billingService], {
  WEBHOOK_BASE_URL: 'http://127.0.0.1:9',
  LOG_LEVEL: 'fatal',
  DATABASE_POOL: String(connections + 4),
})
const { rt } = platform.services.billing!
const call = (user: TestUser, name: string, body?: unknown) =>
  fetch(`${platform.url('billing')}/functions/v1/${name}`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  }).then((answer) => answer.json() as Promise<any>)

/** Somebody on trial. */
async function subscriber() {
  const user = platform.user()
  const { url } = await call(user, 'create-checkout', { plan: 'pro' })
  await fetch(sandbox.addresses.stripe + new URL(url).pathname, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email: user.email, name: 'B', number: '4242424242424242' }),
  })
  await call(user, 'checkout-status', { session_id: url.split('/').at(-1) })
  return user
}
const users: TestUser[] = []
while (users.length < 40) users.push(await subscriber())
const user = users[0]!
let registered: { value: unknown } | undefined
while (!registered)
  registered = await rt.db.selectFrom('provider_settings').select('value').where('key', '=', 'webhook:sandbox').executeTakeFirst()
const customers = await rt.db.selectFrom('accounts').select('stripe_customer_id').where('stripe_customer_id', 'is not', null).execute()
const pool = new pg.Pool({ connectionString: platform.infra.env.DATABASE_URL_BILLING, max: connections })
await pool.query('create table bench_rows (id uuid primary key default uuidv7(), body text not null)')
const { rows } = await pool.query<{ id: string }>(
  "insert into bench_rows (body) select repeat('x', 200) from generate_series(1, 1000) returning id",
)

// Postgres through a pool of the same size, and one entitlement read without HTTP: asked for in between the bench's own load.
const baselines = {
  pkSelect: () => pool.query('select * from bench_rows where id = $1', [rows[Math.floor(Math.random() * 1000)]!.id]),
  durableInsert: () => pool.query("insert into bench_rows (body) values ('x')"),
  entitlementRead: () => subscriptionOf(rt.db as never, user.id),
}
export type Asked = 'settle' | 'drain' | { baseline: keyof typeof baselines; forMs: number }
process.on('message', async (asked: Asked) => {
  // Last: what the sandbox tells of sales is on its way for a while afterwards.
  if (asked === 'settle') return process.send!(await settling(sales))
  if (asked !== 'drain') return process.send!({ done: await doneIn(asked.forMs, baselines[asked.baseline]) })
  // Once the last event is handled: how many looks at the provider it took in all.
  const count = async (what: string) => Number((await pool.query(`select ${what}`)).rows[0].n)
  while (await count("count(*) as n from provider_events where status = 'waiting'")) await delay(10)
  const looks = await count('sum(looks) as n from subscriptions')
  process.send!({ looks, failed: await count("count(*) as n from provider_events where status = 'failed'") })
})
process.send!({
  port: Number(new URL(platform.url('billing')).port),
  token: user.token,
  customers: customers.map(({ stripe_customer_id }) => stripe_customer_id),
  secret: rt.vault.open((registered.value as { secret: string }).secret, 'webhook:sandbox'),
})

/** Sales of ten sellers that are paid and not settled yet, settled as the page asks for it that a buyer comes back to. */
async function settling(count: number): Promise<{ perSecond: number; p50Ms: number; p99Ms: number; sales: number }> {
  const sellers = await Promise.all(Array.from({ length: 10 }, async () => sellerReady(platform.user())))
  await fetch(`${sandbox.addresses.stripe}/sandbox/api/stripe/clock/advance`, { method: 'POST', body: '{"seconds":61,"wait":false}' })
  for (const seller of sellers) await call(seller, 'payout-account', { refresh: true })
  const sold = Array.from({ length: count }, (_, at) => ({ reference: randomUUID(), seller: sellers[at % sellers.length]! }))
  for (const { reference, seller } of sold) {
    const opened = await rt.ask(openSaleCheckout, {
      ...{ kind: 'product', reference, seller_id: seller.id, buyer_id: null, email: null, currency: 'usd' },
      lines: [{ item_id: null, title: 'Lead qualification', amount_cents: 4_900 }],
      ...{ success_path: '/thank-you', cancel_path: '/marketplace' },
    })
    if (opened.state !== 'open') throw new Error(`no payment page: ${opened.state}`)
    await page(opened.url, { email: 'guest@example.com', name: 'B', number: '4242424242424242' })
  }
  const waiting = [...sold]
  const times: number[] = []
  const began = performance.now()
  const work = async () => {
    for (let sale = waiting.pop(); sale; sale = waiting.pop()) {
      const at = performance.now()
      const { state } = await rt.ask(settleSale, { kind: 'product', reference: sale.reference })
      if (state !== 'settled') throw new Error(`a paid sale is ${state}`)
      times.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: connections * 2 }, work))
  const perSecond = (count / (performance.now() - began)) * 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!
  return { perSecond, p50Ms: at(0.5), p99Ms: at(0.99), sales: count }
}

async function sellerReady(user: TestUser): Promise<TestUser> {
  const { url } = await call(user, 'start-payouts', {})
  await page(url, { number: '000123456789', outcome: 'complete' })
  return user
}
/** A person's step on a page of the sandbox. */
function page(url: string, fields: Record<string, string>) {
  const at = sandbox.addresses.stripe + new URL(url).pathname
  return fetch(at, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) })
}

/** How often it was done. */
async function doneIn(forMs: number, work: () => Promise<unknown>): Promise<number> {
  const until = performance.now() + forMs
  let done = 0
  await Promise.all(
    Array.from({ length: connections * 2 }, async () => {
      while (performance.now() < until) {
        await work()
        done++
      }
    }),
  )
  return done
}
