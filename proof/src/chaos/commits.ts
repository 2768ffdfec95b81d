import pg from 'pg'
import { agree } from './money.ts'
import { productOf, readySeller } from './orders.ts'
import { isLater, newAddress, openCheckout, PASSWORD, type Person, payCheckout, somebody, useUpTrial } from './people.ts'
import { provider } from './provider.ts'
import { type Answer, type Fault, until, type World } from './world.ts'

type Ask = {
  what: string
  /** The request to the provider at which the fault strikes. */
  match: string
  ask: () => Promise<Answer>
  /** How often it has happened at the provider. */
  happened: () => Promise<number> | number
  /** By a service that is not killed and may ask billing again by itself. */
  isThroughAnother?: boolean
}

/**
 * R3, aimed, for plans and sales: every call that has an effect at the provider is stopped by a kill -9 of billing, once while the answer is on its way and
 * once when it has come and waits to be committed. The caller asks again. Each effect is there once.
 */
export const stopped: Fault = async (world) => {
  const staff = await staffToken(world)
  const broken: string[] = []
  let asked = 0
  let twice = 0
  let recoveredMs = 0
  for (const moment of ['answer on its way', 'answer waiting for its commit'] as const) {
    const asks = await prepare(world, staff, moment === 'answer on its way')
    asked += asks.length
    for (const { match } of asks) await order(world, match, moment === 'answer on its way' ? 20_000 : 2_000)
    const lock = moment === 'answer on its way' ? null : await lockCommits(world)
    const asking = asks.map(({ ask }) => ask())
    try {
      if ((await until(async () => (await pending(world)) === 0, 10_000 * world.patience, 20)) === null)
        broken.push(`${moment}: the provider was not asked for everything`)
      if (lock && !(await lock.waited(asks.length, 5_000 * world.patience))) broken.push(`${moment}: not every answer came to its commit`)
      for (const name of world.instances('billing')) world.kill(name)
    } finally {
      await lock?.drop()
    }
    await world.call('DELETE', '/sandbox/faults?provider=stripe')
    const lost = await Promise.all(asking)
    if (lost.some(({ status }, at) => status === 200 && !asks[at]!.isThroughAnother))
      broken.push(`${moment}: an answer came although billing had been killed`)

    const killedAt = performance.now()
    for (const { what, ask, happened } of asks) {
      const again = await insist(world, ask)
      if (again.status !== 200) broken.push(`${moment}: ${what} was not finished: ${again.status} ${JSON.stringify(again.body)}`)
      const times = await happened()
      if (times !== 1) broken.push(`${moment}: ${what} happened ${times} times`)
      twice += Math.max(0, times - 1)
    }
    recoveredMs = Math.max(recoveredMs, performance.now() - killedAt)
  }
  const books = await agree(world, 30_000 * world.patience)
  return {
    injected: 'billing killed (-9) between the answer of the provider and its commit',
    work: `${asked} calls stopped there and asked again`,
    lost: books.left.length,
    twice,
    recoveredMs,
    broken: [...broken, ...books.left],
  }
}

/** People for whom just one thing is to be done at the provider. */
async function prepare(world: World, staff: string, isFirst: boolean): Promise<Ask[]> {
  const fresh = await somebody(world)
  const [known, friend] = [await somebody(world), await somebody(world)]
  const [payer, switcher, trying] = [await somebody(world), await somebody(world), await somebody(world)]
  for (const person of [payer, switcher]) await useUpTrial(world, person)
  for (const person of [known, friend, payer, switcher, trying]) {
    const { session, answer } = await openCheckout(world, person, 'basic')
    if (!session) throw new Error(`no checkout: ${answer.status} ${JSON.stringify(answer.body)}`)
    // The first two have a customer and no open page.
    if (person === known || person === friend) await provider(world, 'POST', `/v1/checkout/sessions/${session}/expire`)
    else await payCheckout(world, session)
  }
  const { body: referrer } = await world.call('POST', '/functions/v1/referral-summary', { token: payer.token })
  const customers = await customersOf(world, [known, friend, payer, switcher])
  const chargesOf = (person: Person) => world.truth('charge').filter(({ customer }) => customer === customers.get(person.id))
  const sessionsOf = async (person: Person): Promise<{ status: string; discounts: unknown[] }[]> =>
    (await provider(world, 'GET', '/v1/checkout/sessions', { customer: customers.get(person.id)!, limit: '100' })).data
  const { charge } = chargesOf(payer)[0]!
  await until(() => isBooked(world, charge), 20_000 * world.patience)
  const [switching, trial] = [await subscriptionOf(world, switcher), await subscriptionOf(world, trying)]
  const trialEnd = async (): Promise<number> => (await provider(world, 'GET', `/v1/subscriptions/${trial}`)).trial_end
  const endsAt = await trialEnd()

  const open = (person: Person, body: object) => () => world.call('POST', '/functions/v1/create-checkout', { token: person.token, body })
  const staffCall = (name: string, body: object) => () =>
    world.call('POST', `/functions/v1/${name}`, { token: staff, body: { ...body, reason: 'chaos' } })
  const asks: Ask[] = [
    {
      what: 'a customer',
      match: 'POST /v1/customers',
      ask: open(fresh, { plan: 'basic' }),
      happened: () => world.truth('customer').filter(({ metadata }) => metadata?.user_id === fresh.id).length,
    },
    {
      what: 'a checkout',
      match: 'POST /v1/checkout/sessions',
      ask: open(known, { plan: 'basic' }),
      happened: async () => (await sessionsOf(known)).filter(({ status }) => status === 'open').length,
    },
    {
      what: 'a refund',
      match: 'POST /v1/refunds',
      ask: staffCall('staff-refund', { payment: charge, amount_cents: 700 }),
      happened: () => world.truth('refund').filter((each) => each.charge === charge).length,
    },
    {
      what: 'an upgrade',
      match: `POST /v1/subscriptions/${switching}`,
      ask: () => world.call('POST', '/functions/v1/switch-plan', { token: switcher.token, body: { plan: 'pro' } }),
      happened: () => chargesOf(switcher).length - 1,
    },
    {
      what: 'a longer trial',
      match: `POST /v1/subscriptions/${trial}`,
      ask: staffCall('staff-extend-trial', { user_id: trying.id, days: 5 }),
      happened: async () => ((await trialEnd()) - endsAt) / (5 * 86_400),
    },
  ]
  asks.push(...(await asksAboutSales(world)))
  const coupon: Ask = {
    what: 'the coupon of a referral',
    match: 'POST /v1/coupons',
    ask: open(friend, { plan: 'basic', referral_code: referrer.code }),
    happened: async () => (await sessionsOf(friend)).filter(({ discounts }) => discounts.length > 0).length,
  }
  // There is one coupon for all referrals, so it is made once.
  return isFirst ? [...asks, coupon] : asks
}

/** A guest's order, and money that a seller gives back. */
async function asksAboutSales(world: World): Promise<Ask[]> {
  const seller = await readySeller(world)
  const item = await productOf(world, seller, 3)
  const start = (email: string) => () =>
    world.call('POST', '/functions/v1/start-checkout', { body: { item_id: item, email }, headers: { 'idempotency-key': email } })
  const [guest, buyer] = [newAddress(world, 'guest'), newAddress(world, 'buyer')]
  const opened = await insist(world, start(buyer))
  await payCheckout(world, new URL(opened.body.url).pathname.split('/').at(-1)!)
  let sale: { id: string; charge: string } | undefined
  await until(async () => {
    const rows = await world.query('billing', 'select id, charge from sales where reference = $1', [opened.body.order_id])
    sale = rows[0]
    return sale !== undefined
  }, 20_000 * world.patience)
  if (!sale) throw new Error('a paid order became no sale')
  const { id, charge } = sale
  let page: Answer | undefined
  const body = { sale_id: id, amount_cents: 300, reason: 'Given back in the run' }
  return [
    {
      what: 'a guest’s order',
      isThroughAnother: true,
      match: 'POST /v1/checkout/sessions',
      ask: async () => {
        page = await start(guest)()
        return page
      },
      // A page whose address was lost is nobody's. The one that the guest got is paid, and sold once.
      happened: async () => {
        const charges = world.truth('charge').length
        await payCheckout(world, new URL(page!.body.url).pathname.split('/').at(-1)!)
        const sold = () => world.query('billing', 'select from sales where reference = $1', [page!.body.order_id])
        await until(async () => (await sold()).length > 0, 20_000 * world.patience)
        return Math.max((await sold()).length, world.truth('charge').length - charges)
      },
    },
    {
      what: 'a refund by a seller',
      match: 'POST /v1/refunds',
      ask: () =>
        world.call('POST', '/functions/v1/refund-order', { token: seller.token, body, headers: { 'idempotency-key': `refund-${id}` } }),
      happened: () => world.truth('refund').filter((each) => each.charge === charge).length,
    },
  ]
}

async function customersOf(world: World, people: Person[]): Promise<Map<string, string>> {
  const ids = people.map(({ id }) => id)
  const rows = await world.query('billing', 'select user_id, stripe_customer_id as id from accounts where user_id = any($1::uuid[])', [ids])
  return new Map(rows.map(({ user_id, id }) => [user_id, id]))
}

/** Once the news of it has come. */
async function subscriptionOf(world: World, { id }: Person): Promise<string> {
  let known: string | null = null
  await until(async () => {
    const [row] = await world.query('billing', 'select stripe_subscription_id as id from subscriptions where user_id = $1', [id])
    known = row?.id ?? null
    return known !== null
  }, 20_000 * world.patience)
  if (!known) throw new Error('a paid checkout made no subscription')
  return known
}

const isBooked = async (world: World, charge: string) =>
  (await world.query('billing', 'select from ledger_entries where reference = $1', [`charge:${charge}`])).length > 0

const order = (world: World, match: string, ms: number) =>
  world.call('POST', '/sandbox/faults', { body: { provider: 'stripe', kind: 'slow_body', match, ms } })
const pending = async (world: World) => (await world.call('GET', '/sandbox/faults')).body.faults.length as number

/** Answers can be read and nothing of them kept, until it is dropped together with what waits for it. */
async function lockCommits(world: World) {
  const url = new URL(world.fleet.env.DATABASE_URL!)
  url.pathname = '/billing'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  // The keys are stored before the calls: the lock comes after them.
  const waiting = `select pid from pg_stat_activity where datname = 'billing' and wait_event_type = 'Lock'`
  return {
    async waited(count: number, withinMs: number) {
      if ((await until(() => isLocked(client), withinMs, 5)) === null) throw new Error('the tables of billing were never free at once')
      return (await until(async () => (await client.query(waiting)).rows.length >= count, withinMs, 20)) !== null
    },
    async drop() {
      // The server would finish a statement whose client has died.
      await client.query(`select pg_terminate_backend(pid) from (${waiting}) w`)
      await client.query('rollback')
      await client.end()
    },
  }
}

/** Never waits for one table while it holds the other: whoever of the service holds that one would wait for this one. */
async function isLocked(client: pg.Client): Promise<boolean> {
  await client.query('begin')
  try {
    await client.query('lock table provider_calls, accounts, sale_checkouts in exclusive mode nowait')
    return true
  } catch (error) {
    await client.query('rollback')
    if ((error as pg.DatabaseError).code === '55P03') return false
    throw error
  }
}

async function insist(world: World, ask: () => Promise<Answer>): Promise<Answer> {
  let answer: Answer = { status: 0, body: null }
  await until(
    async () => {
      answer = await ask()
      return !isLater(answer)
    },
    30_000 * world.patience,
    150,
  )
  return answer
}

async function staffToken(world: World): Promise<string> {
  const email = 'staff@example.com'
  const { id } = await somebody(world, email)
  await world.call('PUT', `/auth/v1/admin/users/${id}`, { token: world.serviceKey, body: { email_confirm: true } })
  const { body } = await world.call('POST', '/auth/v1/token?grant_type=password', { body: { email, password: PASSWORD } })
  return body.access_token
}
