import { setTimeout as delay } from 'node:timers/promises'
import { inLanes, killInTurn } from './checkout.ts'
import { doubled, readersOf, settle } from './flow.ts'
import { agree } from './money.ts'
import { isLater, type Person, payCheckout, somebody } from './people.ts'
import { provider } from './provider.ts'
import { type Answer, type Fault, until, type World } from './world.ts'

const VICTIMS = ['billing', 'marketplace', 'analytics', 'crm'] as const
/** The sales of one seller are booked one after another, as their balance is one row. */
const SELLERS = 6
const MOST_ON_THEIR_WAY = 1_000
/** The events about a sale that billing acts on. */
const HEARD = ['checkout.session.completed', 'checkout.session.expired', 'account.updated', 'test_helpers.test_clock.ready']
const CHARGES = ['succeeded', 'failed', 'refunded', 'refund.updated', 'dispute.created', 'dispute.closed', 'updated'].map(
  (of) => `charge.${of}`,
)

/**
 * R2 of the marketplace: guests buy from sellers while services are killed one after another and every webhook comes up to three times in any
 * order; every fifth leaves without paying, and the sellers give every seventh their money back. What was paid is delivered once, what was
 * not paid is not delivered, a refund happens once, and the books are the provider's to the cent.
 */
export const delivered: Fault = async (world) => {
  if (world.short) return sold(world)
  await hearOnly(world, [...HEARD, ...CHARGES, 'refund.created', 'refund.failed'])
  return sold(world).finally(() => hearOnly(world, ['*']))
}

async function sold(world: World) {
  const readers = await readersOf(world)
  const shops: Shop[] = []
  while (shops.length < (world.short ? 1 : SELLERS)) shops.push(await openShop(world))
  await world.call('POST', '/sandbox/api/stripe/webhooks', { body: { duplicate: 2, shuffle: true } })

  const killing = new AbortController()
  const guests = Array.from({ length: world.orders }, (_, at) => at)
  const most = world.short ? 10 : Math.max(20, Math.ceil(world.orders / 100))
  let done = 0
  const share = () => (world.short ? 1 : done / guests.length)
  const kills = killInTurn(world, killing.signal, { most, mainly: 'marketplace', among: VICTIMS, done: share })
  const began = performance.now()
  const givingBack = openLanes(6)
  const room = roomIn(world)
  const buying = await inLanes(guests, 12, async (at) => {
    await room()
    const { seller, items } = shops[at % shops.length]!
    const one = await buy(world, at, items)
    done++
    // Others buy while a seller waits for the sale that they give back.
    if (!(at % 7 === 3 && one.order && one.paid)) return { ended: one }
    return { ended: givingBack(() => giveBack(world, seller, one).catch((error) => ({ ...one, why: error.stack }))) }
  })
  const bought = await Promise.all(buying.map(({ ended }) => ended))
  killing.abort()
  const killed = await kills
  const aMinute = (guests.length / (performance.now() - began)) * 60_000
  const quietFrom = performance.now()
  await workOff(world)
  const { left } = await settle(world, readers)
  const paid = bought.flatMap(({ order, paid, refunded }) => (order && paid && !refunded ? [order] : []))
  const refunded = bought.flatMap(({ order, refunded }) => (order && refunded ? [order] : []))
  const unpaid = bought.flatMap(({ order, paid }) => (order && !paid ? [order] : []))
  let wrong: string[] = []
  await until(async () => {
    wrong = [...(await wrongGrants(world, paid, unpaid)), ...(await wrongRefunds(world, refunded))]
    return wrong.length === 0
  }, 30_000 * world.patience)
  const books = await agree(world, 30_000 * world.patience)
  const recoveredMs = performance.now() - quietFrom
  await world.call('POST', '/sandbox/api/stripe/webhooks', { body: { duplicate: 0, shuffle: false } })
  const twice = await doubled(world)
  return {
    injected: `${killed} services killed (-9) while guests bought, webhooks up to 3 times and shuffled`,
    work: `${paid.length} orders paid and kept, ${refunded.length} refunded, ${unpaid.length} left unpaid, ${Math.round(aMinute)} a minute`,
    lost: left.length + wrong.length,
    twice: twice.length,
    recoveredMs,
    broken: [...bought.flatMap(({ why }) => (why ? [why] : [])), ...wrong, ...books.left, ...left, ...twice],
  }
}

type Shop = { seller: Person; items: string[] }
async function openShop(world: World): Promise<Shop> {
  const seller = await readySeller(world)
  return { seller, items: await Promise.all([1, 2, 3].map((n) => productOf(world, seller, n))) }
}

/** Seven of ten events about a sale are of no use to billing: three copies of each would be most of a long run's work. */
async function hearOnly(world: World, types: string[]): Promise<void> {
  const { data } = await provider(world, 'GET', '/v1/webhook_endpoints')
  const enabled = Object.fromEntries(types.map((type, at) => [`enabled_events[${at}]`, type]))
  for (const { id } of data) await provider(world, 'POST', `/v1/webhook_endpoints/${id}`, enabled)
}

function openLanes(width: number) {
  const free = Array.from({ length: width }, () => Promise.resolve<unknown>(null))
  let next = 0
  return <T>(work: () => Promise<T>): Promise<T> => {
    const lane = next++ % width
    const ended = free[lane]!.then(work)
    free[lane] = ended.catch(() => {})
    return ended
  }
}

/** Guests who buy faster than this machine delivers would measure it: in a long run they wait while so many events are on their way. */
function roomIn(world: World): () => Promise<void> {
  let looked = 0
  let looking = Promise.resolve(0)
  return async () => {
    if (world.short) return
    for (;;) {
      if (Date.now() - looked > 1_000) {
        looked = Date.now()
        looking = onTheirWay(world).catch(() => MOST_ON_THEIR_WAY)
      }
      if ((await looking) < MOST_ON_THEIR_WAY) return
      await delay(500)
    }
  }
}

/** Events at the provider and in billing. */
async function onTheirWay(world: World): Promise<number> {
  const { body } = await world.call('GET', '/sandbox/api/stripe/webhooks')
  const [{ n }] = await world.query('billing', `select count(*)::int as n from provider_events where status <> 'done'`)
  return Number(body?.pending ?? 0) + n
}

/** A long run leaves work behind, which is waited for as long as it gets less. */
async function workOff(world: World): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  for (let since = Date.now(); Date.now() - since < 30_000 * world.patience; await delay(500)) {
    const left = await onTheirWay(world)
    if (left === 0) return
    if (left < least) [least, since] = [left, Date.now()]
  }
}

/** Paid orders are delivered, told of once and held once in billing; the others are not delivered. */
async function wrongGrants(world: World, paid: string[], unpaid: string[]): Promise<string[]> {
  const states = new Map((await world.query('marketplace', 'select id, state from orders')).map(({ id, state }) => [id, state]))
  const told = await world.query(
    'marketplace',
    `select payload->>'reference' as id, count(*)::int as n from outbox where name = 'marketplace.order_delivered' group by 1`,
  )
  const grants = new Map(told.map(({ id, n }) => [id, n]))
  const sales = await world.query('billing', 'select reference, delivered_at is not null as held from sales')
  const held = new Map(sales.map(({ reference, held }) => [reference, held]))
  return [
    ...paid.filter((id) => states.get(id) !== 'delivered').map((id) => `order ${id} was paid and is ${states.get(id) ?? 'gone'}`),
    ...paid.filter((id) => grants.get(id) !== 1).map((id) => `order ${id} was granted ${grants.get(id) ?? 0} times`),
    ...paid.filter((id) => held.get(id) !== true).map((id) => `the delivery of order ${id} did not reach its sale`),
    ...unpaid.filter((id) => states.get(id) === 'delivered' || grants.has(id)).map((id) => `order ${id} was delivered without a payment`),
  ]
}

type Bought = { order: string | null; paid: boolean; refunded?: boolean; why: string | null }
export async function buy(world: World, at: number, items: string[]): Promise<Bought> {
  // A few dozen orders would all be over before anybody is killed.
  if (world.short) await delay(world.random() * 3_000)
  const headers = { 'idempotency-key': `guest-${world.seed}-${at}` }
  const body = { item_ids: items.slice(0, 1 + (at % 3)), email: `guest-${world.seed}-${at}@example.com` }
  const opened = await insist(world, () => world.call('POST', '/functions/v1/start-checkout', { body, headers }))
  if (opened.status !== 200) return { order: null, paid: false, why: `no checkout: ${opened.status} ${JSON.stringify(opened.body)}` }
  const order: string = opened.body.order_id
  if (at % 5 === 4) return { order, paid: false, why: null }
  const session = new URL(opened.body.url).pathname.split('/').at(-1)!
  const paid = await insist(world, () => payCheckout(world, session))
  // Paid is paid, even when the answer was lost on its way.
  const isPaid = paid.status === 200 || /already complete/.test(JSON.stringify(paid.body))
  return { order, paid: isPaid, why: isPaid ? null : `not paid: ${paid.status} ${JSON.stringify(paid.body)}` }
}

/** As soon as it is settled, and under one key however often it is asked. */
async function giveBack(world: World, seller: Person, bought: Bought): Promise<Bought> {
  const sale = async () => (await world.query('billing', `select id from sales where reference = $1`, [bought.order]))[0]?.id
  if ((await until(async () => Boolean(await sale()), 60_000 * world.patience, 200)) === null)
    return { ...bought, why: `order ${bought.order} was paid and is no sale` }
  const body = { sale_id: await sale(), reason: 'Given back in the run' }
  const headers = { 'idempotency-key': `refund-${bought.order}` }
  const answer = await insist(world, () => world.call('POST', '/functions/v1/refund-order', { token: seller.token, body, headers }))
  // The answer may have been lost, and the refund made: nothing is left to give back then.
  const isBack = answer.status === 200 || answer.body?.code === 'refund_too_large'
  return { ...bought, refunded: isBack, why: isBack ? null : `not refunded: ${answer.status} ${JSON.stringify(answer.body)}` }
}

/** Given back once and whole, and delivered no more. */
async function wrongRefunds(world: World, orders: string[]): Promise<string[]> {
  const sales = await world.query(
    'billing',
    'select reference, charge, gross_cents, refunded_cents from sales where reference = any($1::uuid[])',
    [orders],
  )
  const states = new Map((await world.query('marketplace', 'select id, state from orders')).map(({ id, state }) => [id, state]))
  const refunds = Map.groupBy(world.truth('refund'), ({ charge }) => charge as string)
  return sales.flatMap(({ reference, charge, gross_cents, refunded_cents }) => [
    ...(refunds.get(charge)?.length === 1 ? [] : [`order ${reference} was refunded ${refunds.get(charge)?.length ?? 0} times`]),
    ...(Number(gross_cents) === Number(refunded_cents) ? [] : [`order ${reference} was given back ${refunded_cents} of ${gross_cents}`]),
    ...(states.get(reference) === 'refunded' ? [] : [`order ${reference} was refunded and is ${states.get(reference) ?? 'gone'}`]),
  ])
}

export async function readySeller(world: World): Promise<Person> {
  const seller = await somebody(world)
  const { body } = await world.call('POST', '/functions/v1/start-payouts', { token: seller.token, body: {} })
  const form = new URLSearchParams({ number: '000123456789', outcome: 'complete' })
  const answered = await fetch(world.url + new URL(body.url).pathname, { method: 'POST', body: form, redirect: 'manual' })
  if (answered.status >= 400) throw new Error(`no payout account: ${answered.status} ${await answered.text()}`)
  await world.call('POST', '/sandbox/api/stripe/clock/advance', { body: { seconds: 61 } })
  const look = () => world.call('POST', '/functions/v1/payout-account', { token: seller.token, body: { refresh: true } })
  const ms = await until(async () => (await look()).body?.state === 'ready', 30_000 * world.patience)
  if (ms === null) throw new Error('the seller’s payout account did not become ready')
  return seller
}

export async function productOf(world: World, { token }: Person, n: number): Promise<string> {
  const made = { title: `Product ${n}`, description: 'For the run.', price_cents: 1_000 * n, category: 'Marketing', item_type: 'workflow' }
  const { body } = await insist(world, () => world.call('POST', '/functions/v1/create-product', { token, body: made }))
  await insist(world, () => world.call('POST', '/functions/v1/publish-product', { token, body: { item_id: body.item_id } }))
  return body.item_id
}

async function insist(world: World, ask: () => Promise<Answer>): Promise<Answer> {
  for (const until = Date.now() + 60_000 * world.patience; ; await delay(150)) {
    const answer = await ask()
    if (Date.now() > until || !(isLater(answer) || answer.body?.code === 'idempotency_running')) return answer
  }
}
