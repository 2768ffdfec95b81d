import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { inLanes } from './checkout.ts'
import { readersOf, settle } from './flow.ts'
import { agree } from './money.ts'
import { provider } from './provider.ts'
import { type Fault, until, type World } from './world.ts'

const KILLS = 5
const IN_HAND = 6
const MOST_MS = 600_000
const DAY = 86_400
/** As much as one charge may be. */
const LARGEST = 50_000_000

type Seller = { id: string; account: string; cents: number }

/**
 * Friday's run over many sellers. Billing is killed five times (twice in the short form) while transfers are under way that the provider has made and nobody has kept,
 * once in between two of them. Each seller gets one transfer and one payout of what was due, and the nightly comparison finds nothing.
 */
export const paidOut: Fault = async (world) => {
  const readers = await readersOf(world)
  const sellers = await sellersWithMoney(world, world.sellers)
  await world.call('POST', '/sandbox/api/stripe/clock/advance', { body: { seconds: 8 * DAY, wait: false } })
  if ((await until(async () => await fridayIsOver(world), 30_000 * world.patience)) === null)
    throw new Error('billing has not heard that the clock moved')

  const began = performance.now()
  await soon(world, 'billing.move_sellers')
  const kills = world.short ? 2 : KILLS
  let [killed, inHand] = [0, 0]
  for (; killed < kills; killed++) {
    const wanted = Math.floor((sellers.length * (killed + 1)) / (kills + 2))
    const left = MOST_MS * world.patience - (performance.now() - began)
    if ((await until(async () => (await sent(world, 'transfer')) >= wanted, left, 20)) === null) break
    inHand += await holdAnswers(world)
    for (const name of world.instances('billing')) world.kill(name)
    await world.call('DELETE', '/sandbox/faults?provider=stripe')
    await delay(1_000)
    await soon(world, 'billing.move_sellers')
  }
  const lastKill = performance.now()
  const done = async () => (await sent(world, 'payout')) === sellers.length
  const isDone = await until(done, Math.max(60_000, MOST_MS * world.patience - (lastKill - began)), 200)
  const tookMs = performance.now() - began
  const unsent = isDone === null ? await unsentRows(world) : []

  const { left } = await settle(world, readers, 60_000 + sellers.length * 20)
  const wrong = wrongSends(world, sellers)
  const books = await agree(world, 30_000 * world.patience)
  const differences = await comparedAnew(world, 60_000 + sellers.length * 60)
  return {
    injected: `billing killed (-9) ${killed} times in Friday's run, with ${inHand} transfers made and not kept`,
    work: `${sellers.length} sellers paid in ${(tookMs / 1000).toFixed(0)} s`,
    lost: unsent.length + wrong.missing.length,
    twice: wrong.twice.length,
    recoveredMs: tookMs - (lastKill - began),
    broken: [
      ...(killed < kills ? [`only ${killed} kills: the run came to rest before`] : []),
      ...(killed === kills && inHand === 0 ? ['no transfer was in hand at a kill, so nothing was shown'] : []),
      ...(tookMs > MOST_MS * world.patience ? [`the run took ${(tookMs / 60_000).toFixed(1)} minutes`] : []),
      ...[unsent, wrong.missing, wrong.twice, wrong.amounts, books.left, differences, left].flat(),
    ],
  }
}

const soon = (world: World, job: string) =>
  world.query('billing', `insert into outbox (id, kind, name, payload) values ($1, 'job', $2, '{}')`, [randomUUID(), job])

const sent = async (world: World, what: 'transfer' | 'payout'): Promise<number> =>
  (
    await world.query(
      'billing',
      `select count(*)::int as n from payouts where ${what} is not null and seller_id in (select seller_id from chaos_sellers)`,
    )
  )[0].n

const fridayIsOver = async (world: World) =>
  (
    await world.query(
      'billing',
      'select min(friday) < friday_of(provider_now()) as over from seller_balances join chaos_sellers using (seller_id)',
    )
  )[0].over as boolean

/** Waits until so many transfers are made whose answers have not come. How many they are. */
async function holdAnswers(world: World): Promise<number> {
  const before = world.truth('transfer').length
  const fault = { provider: 'stripe', kind: 'slow_body', match: 'POST /v1/transfers', ms: 20_000, times: IN_HAND }
  await world.call('POST', '/sandbox/faults', { body: fault })
  await until(async () => (await world.call('GET', '/sandbox/faults')).body?.faults?.length === 0, 5_000 * world.patience, 10)
  const rows = await world.query('billing', `select count(*)::int as n from payouts where transfer is not null`)
  return Math.max(0, world.truth('transfer').length - Math.max(before, rows[0].n))
}

async function unsentRows(world: World): Promise<string[]> {
  const rows = await world.query(
    'billing',
    `select state, waits_for, tries, count(*)::int as n from payouts where payout is null group by 1, 2, 3 order by 4 desc limit 20`,
  )
  return rows.map(
    ({ state, waits_for, tries, n }) => `${n} payouts are ${state} after ${tries} tries, waiting for ${waits_for ?? 'their turn'}`,
  )
}

/** By the provider's own log: one transfer and one payout each, of what was due. */
function wrongSends(world: World, sellers: Seller[]) {
  const transfers = Map.groupBy(world.truth('transfer'), ({ destination }) => destination as string)
  const payouts = Map.groupBy(world.truth('payout'), ({ account }) => account as string)
  const [missing, twice, amounts]: [string[], string[], string[]] = [[], [], []]
  for (const { account, cents } of sellers)
    for (const [what, made] of [
      ['transfer', transfers.get(account) ?? []],
      ['payout', payouts.get(account) ?? []],
    ] as const) {
      if (made.length === 0) missing.push(`${account} has no ${what}`)
      if (made.length > 1) twice.push(`${account} has ${made.length} ${what}s`)
      if (made.some(({ amount }) => amount !== cents)) amounts.push(`${account} has a ${what} of another amount than the ${cents} due`)
    }
  return { missing, twice, amounts }
}

/** The comparison that comes each night, brought forward. */
async function comparedAnew(world: World, withinMs: number): Promise<string[]> {
  const comparedAt = async () =>
    (await world.query('billing', `select value #>> '{}' as at from provider_settings where key = 'books:compared'`))[0]?.at as
      | string
      | undefined
  const before = await comparedAt()
  await soon(world, 'billing.compare_books')
  if ((await until(async () => (await comparedAt()) !== before, withinMs * world.patience, 200)) === null)
    return ['the books were not compared']
  const rows = await world.query('billing', 'select account, subject, currency, ours_cents, theirs_cents from book_differences limit 20')
  return rows.map(
    (row) => `${row.account} ${row.subject}: the books say ${row.ours_cents}, the provider ${row.theirs_cents} ${row.currency}`,
  )
}

/** Verified accounts at the provider, and in the books what their sales left them; the platform's balance there covers it. */
async function sellersWithMoney(world: World, count: number): Promise<Seller[]> {
  const { body } = await world.call('GET', '/sandbox/api/addresses')
  const sellers = await inLanes(
    Array.from({ length: count }, (_, at) => at),
    12,
    (at) => sellerAt(body.stripe, 5_000 + (at % 40) * 100),
  )
  // Verified after a minute.
  await world.call('POST', '/sandbox/api/stripe/clock/advance', { body: { seconds: 61, wait: false }, deadlineMs: 300_000 })
  await fund(
    world,
    sellers.reduce((sum, { cents }) => sum + cents, 0),
  )
  await owe(world, sellers)
  return sellers
}

async function sellerAt(stripe: string, cents: number): Promise<Seller> {
  const id = randomUUID()
  const ask = async (path: string, fields: Record<string, string>) => {
    const headers = { authorization: 'Bearer sk_test_chaos' }
    const response = await fetch(stripe + path, { method: 'POST', headers, body: new URLSearchParams(fields), redirect: 'manual' })
    if (response.status >= 400) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.status < 300 ? ((await response.json()) as any) : null
  }
  const account = await ask('/v1/accounts', {
    ...{ type: 'express', country: 'US', 'metadata[user_id]': id },
    ...{ 'capabilities[transfers][requested]': 'true', 'settings[payouts][schedule][interval]': 'manual' },
  })
  const back = 'http://localhost/back'
  const link = await ask('/v1/account_links', { account: account.id, type: 'account_onboarding', refresh_url: back, return_url: back })
  await ask(new URL(link.url).pathname, { number: '000123456789', outcome: 'complete' })
  return { id, account: account.id, cents }
}

/** Charges that nothing here asked for: the books hold them in suspense. */
async function fund(world: World, cents: number) {
  const method = await provider(world, 'POST', '/v1/payment_methods', { type: 'card', 'card[token]': 'tok_visa' })
  for (let left = Math.ceil(cents * 1.1) + 1_000; left > 0; left -= LARGEST)
    await provider(world, 'POST', '/v1/payment_intents', {
      ...{ amount: String(Math.max(1_000, Math.min(left, LARGEST))), currency: 'usd', confirm: 'true', payment_method: method.id },
    })
  const held = async () =>
    Number(
      (await world.query('billing', `select -sum(amount_cents) as cents from ledger_postings where account = 'suspense'`))[0].cents ?? 0,
    )
  if ((await until(async () => (await held()) >= cents, 60_000 * world.patience, 200)) === null)
    throw new Error('the charges that pay for it are not in the books')
}

/** Out of suspense, into what is due to each: an entry a seller, as a released hold leaves it. */
async function owe(world: World, sellers: Seller[]) {
  await world.query(
    'billing',
    'create table if not exists chaos_sellers (seller_id uuid primary key, account text, cents bigint, entry uuid default uuidv7())',
  )
  for (let at = 0; at < sellers.length; at += 500)
    await world.query(
      'billing',
      'insert into chaos_sellers (seller_id, account, cents) select id, account, cents from jsonb_to_recordset($1::jsonb) as r (id uuid, account text, cents bigint)',
      [JSON.stringify(sellers.slice(at, at + 500))],
    )
  // In one transaction: a posting comes with its entry.
  await world.query(
    'billing',
    `insert into seller_accounts (user_id, account, state, bank_last4, looked_at) select seller_id, account, 'ready', '6789', now() from chaos_sellers
       on conflict (user_id) do nothing;
     insert into ledger_accounts (code, kind, owner) select 'seller_due:' || seller_id, 'liability', seller_id from chaos_sellers on conflict do nothing;
     insert into ledger_entries (id, reference, kind, description, occurred_at)
       select entry, 'opening:' || seller_id, 'opening', 'What sales have left', now() from chaos_sellers on conflict (reference) do nothing;
     insert into ledger_postings (entry_id, line, account, currency, amount_cents)
       select entry, 0, 'suspense', 'usd', cents from chaos_sellers
       union all select entry, 1, 'seller_due:' || seller_id, 'usd', 0 - cents from chaos_sellers on conflict do nothing;
     insert into seller_balances (seller_id, currency, due_cents, friday) select seller_id, 'usd', cents, friday_of(provider_now()) from chaos_sellers
       on conflict do nothing`,
  )
}
