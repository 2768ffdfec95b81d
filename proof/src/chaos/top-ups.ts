import { setTimeout as delay } from 'node:timers/promises'
import { inLanes, insist, killInTurn } from './checkout.ts'
import { doubled, readersOf, settle } from './flow.ts'
import { agree } from './money.ts'
import { crowd, type Person, payCheckout } from './people.ts'
import { type Fault, until, type World } from './world.ts'

const VICTIMS = ['billing', 'ai-gateway', 'crm'] as const

/**
 * R2 of top-ups: people buy prompts beside their plan, and every third asks for the money back, while services are killed one after another
 * and every webhook comes up to three times in any order. Each is charged once, has the units once where they are counted, is refunded once,
 * and the books are the provider's to the cent.
 */
export const bought: Fault = async (world) => {
  const readers = await readersOf(world)
  const people = await crowd(world, Math.ceil(world.orders / 2))
  await world.call('POST', '/sandbox/api/stripe/webhooks', { body: { duplicate: 2, shuffle: true } })

  const killing = new AbortController()
  const kills = killInTurn(world, killing.signal, { most: world.short ? 8 : 200, mainly: 'billing', among: VICTIMS })
  const ended = await inLanes(people, 6, (person) => buyPrompts(world, person))
  const refunds = people.filter((_, at) => at % 3 === 0 && ended[at]!.why === null)
  const returned = await inLanes(refunds, 6, (person) => giveBack(world, person, ended[people.indexOf(person)]!.topUp!))
  killing.abort()
  const killed = await kills
  const quietFrom = performance.now()
  const { left } = await settle(world, readers)
  const paid = people.filter((_, at) => ended[at]!.why === null)
  let wrong: string[] = []
  await until(async () => {
    wrong = await notOnce(world, paid, refunds)
    return wrong.length === 0
  }, 90_000 * world.patience)
  const books = await agree(world, 30_000 * world.patience)
  const recoveredMs = performance.now() - quietFrom
  await world.call('POST', '/sandbox/api/stripe/webhooks', { body: { duplicate: 0, shuffle: false } })
  const twice = await doubled(world)
  return {
    injected: `${killed} services killed (-9) while top-ups were bought and refunded, webhooks up to 3 times and shuffled`,
    work: `${paid.length} of ${people.length} bought prompts, ${refunds.length} asked for their money back`,
    lost: left.length + wrong.length,
    twice: twice.length,
    recoveredMs,
    broken: [...ended.flatMap(({ why }) => why ?? []), ...returned.flatMap((why) => why ?? []), ...wrong, ...books.left, ...left, ...twice],
  }
}

type Bought = { topUp: string | null; why: string | null }
async function buyPrompts(world: World, { id, token }: Person): Promise<Bought> {
  // A few dozen would all be over before anybody is killed.
  if (world.short) await delay(world.random() * 3_000)
  const headers = { 'idempotency-key': `top-up-${id}` }
  const opened = await insist(world, () => world.call('POST', '/functions/v1/buy-top-up', { token, body: { unit: 'prompts' }, headers }))
  if (opened.status !== 200) return { topUp: null, why: `no page: ${opened.status} ${JSON.stringify(opened.body)}` }
  const session = new URL(opened.body.url).pathname.split('/').at(-1)!
  const paid = await insist(world, () => payCheckout(world, session))
  // Paid is paid, even when the answer was lost on its way.
  const isPaid = paid.status === 200 || /already complete/.test(JSON.stringify(paid.body))
  return { topUp: opened.body.top_up_id, why: isPaid ? null : `not paid: ${paid.status} ${JSON.stringify(paid.body)}` }
}

/** As soon as it is booked, and under one key however often it is asked. */
async function giveBack(world: World, { token }: Person, topUp: string): Promise<string | null> {
  const body = { top_up_id: topUp }
  const headers = { 'idempotency-key': `back-${topUp}` }
  const asking = () => world.call('POST', '/functions/v1/refund-top-up', { token, body, headers })
  const answer = await insist(world, asking, ({ status }) => status === 404)
  // The answer may have been lost, and the refund made.
  return answer.status === 200 || answer.body?.code === 'top_up_closed'
    ? null
    : `not refunded: ${answer.status} ${JSON.stringify(answer.body)}`
}

async function notOnce(world: World, paid: Person[], refunded: Person[]): Promise<string[]> {
  const ids = paid.map(({ id }) => id)
  const isBack = new Set(refunded.map(({ id }) => id))
  const rows = await world.query(
    'billing',
    'select user_id, id, state, charge, gross_cents, returned_cents from top_ups where user_id = any($1)',
    [ids],
  )
  const metered = await world.query('ai-gateway', 'select id, state, units, drawn from usage_top_ups where user_id = any($1)', [ids])
  const units = new Map(metered.map((row) => [row.id as string, row]))
  const refunds = Map.groupBy(world.truth('refund'), ({ charge }) => charge as string)
  const charges = Map.groupBy(world.truth('charge'), ({ customer }) => customer as string)
  const customers = await world.query('billing', 'select user_id, stripe_customer_id from accounts where user_id = any($1)', [ids])
  return [
    ...ids.filter((id) => !rows.some(({ user_id }) => user_id === id)).map((id) => `${id} paid and has no top-up`),
    ...customers.flatMap(({ user_id, stripe_customer_id: customer }) =>
      charges.get(customer)?.length === 1 ? [] : [`${user_id} was charged ${charges.get(customer)?.length ?? 0} times for one top-up`],
    ),
    ...rows.flatMap(({ user_id, id, state, charge, gross_cents, returned_cents }) => {
      const [back, meter] = [isBack.has(user_id), units.get(id)]
      const times = refunds.get(charge)?.length ?? 0
      return [
        ...(state === (back ? 'closed' : 'paid') ? [] : [`top-up ${id} is ${state}`]),
        ...(meter?.state === (back ? 'closed' : 'open') ? [] : [`top-up ${id} is ${meter?.state ?? 'unknown'} where it is counted`]),
        ...(times === (back ? 1 : 0) ? [] : [`top-up ${id} was refunded ${times} times`]),
        ...(Number(returned_cents) === (back ? Number(gross_cents) : 0) ? [] : [`of top-up ${id} ${returned_cents} cents went back`]),
      ]
    }),
  ]
}
