import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceName } from '@operon/contracts/services'
import { doubled, readersOf, settle } from './flow.ts'
import { agree } from './money.ts'
import { crowd, isLater, openCheckout, type Person, payCheckout, useUpTrial } from './people.ts'
import { notSubscribedRight } from './provider.ts'
import type { Answer, Fault, World } from './world.ts'

const VICTIMS = ['billing', 'identity', 'analytics', 'marketplace', 'ai-gateway'] as const

/**
 * R1, R2, R3 and R4: people buy and switch while services are killed one after another and every webhook comes up to three times in any
 * order. A person who gets no answer asks again, as a browser does. One charge an order, one subscription a person, and the books
 * are the provider's to the cent.
 */
export const killed: Fault = async (world) => {
  const readers = await readersOf(world)
  const people = await crowd(world, Math.ceil(world.orders / 2))
  await Promise.all(people.map((person) => useUpTrial(world, person)))
  const before = world.truth('charge').length
  await world.call('POST', '/sandbox/api/stripe/webhooks', { body: { duplicate: 2, shuffle: true } })

  const killing = new AbortController()
  const kills = killInTurn(world, killing.signal, { most: world.short ? 8 : 200, mainly: 'billing', among: VICTIMS })
  const ended = await inLanes(people, 6, (person) => buyAndSwitch(world, person))
  killing.abort()
  const killed = await kills
  const quietFrom = performance.now()
  const { left } = await settle(world, readers)
  const books = await agree(world, 30_000 * world.patience)
  const recoveredMs = performance.now() - quietFrom
  await world.call('POST', '/sandbox/api/stripe/webhooks', { body: { duplicate: 0, shuffle: false } })

  const bought = people.filter((_, i) => ended[i] === null)
  const fresh = world.truth('charge').slice(before)
  const charges = fresh.length
  const expected = 2 * bought.length
  const twice = [...(await doubled(world)), ...chargedAgain(fresh.map(({ customer }) => customer))]
  const wrong = await notSubscribedRight(world, people)
  return {
    injected: `${killed} services killed (-9) under checkout, webhooks up to 3 times and shuffled`,
    work: `${bought.length} of ${people.length} bought and switched, ${charges} charges`,
    lost: left.length + wrong.length,
    twice: twice.length,
    recoveredMs,
    broken: [
      ...ended.filter((why) => why !== null),
      ...(charges < expected ? [`${charges} charges for ${expected} orders`] : []),
      ...books.left,
      ...wrong,
      ...left,
      ...twice,
    ],
  }
}

/** A person orders twice here, whether or not the answer reached them. */
const chargedAgain = (customers: string[]) =>
  [...Map.groupBy(customers, (customer) => customer)]
    .filter(([, all]) => all.length > 2)
    .map(([customer, all]) => `${customer} was charged ${all.length} times for 2 orders`)

/** Null when both went through. */
async function buyAndSwitch(world: World, person: Person): Promise<string | null> {
  let session: string | null = null
  const opened = await insist(world, async () => {
    const opening = await openCheckout(world, person, 'basic')
    session = opening.session
    return opening.answer
  })
  if (!session) return `no checkout: ${opened.status} ${JSON.stringify(opened.body)}`
  // Paid is paid, even when the answer was lost on its way.
  const paid = await insist(world, () => payCheckout(world, session!))
  if (paid.status !== 200 && !/already complete/.test(JSON.stringify(paid.body)))
    return `not paid: ${paid.status} ${JSON.stringify(paid.body)}`
  const headers = { 'idempotency-key': `switch-${person.id}` }
  const switching = () => world.call('POST', '/functions/v1/switch-plan', { token: person.token, body: { plan: 'pro' }, headers })
  // Until its webhook has come there is nothing to switch.
  const switched = await insist(world, switching, ({ status }) => status === 404 || status === 409)
  return switched.status === 200 ? null : `not switched: ${switched.status} ${JSON.stringify(switched.body)}`
}

export async function insist(world: World, ask: () => Promise<Answer>, notYet: (answer: Answer) => boolean = () => false): Promise<Answer> {
  for (const until = Date.now() + 30_000 * world.patience; ; await delay(150)) {
    const answer = await ask()
    if (Date.now() > until || !(isLater(answer) || notYet(answer))) return answer
  }
}

type Victims = { most: number; mainly: ServiceName; among: readonly ServiceName[]; done?: () => number }
/** Always somebody, and every other time the one that it is mainly about; both of a pair at once now and then. Spread over the run where it says which share of it is done. */
export async function killInTurn(world: World, signal: AbortSignal, { most, mainly, among, done = () => 1 }: Victims): Promise<number> {
  let killed = 0
  while (killed < most) {
    await delay(700 + world.random() * 1_000)
    if (signal.aborted) break
    if (killed > done() * most) continue
    const service = killed % 2 ? among[Math.floor(world.random() * among.length)]! : mainly
    const names = world.instances(service).toSorted(() => world.random() - 0.5)
    for (const name of names.slice(0, world.random() < 0.3 ? 2 : 1)) {
      world.kill(name)
      killed += 1
    }
  }
  return killed
}

export async function inLanes<T, R>(items: T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const lane = async () => {
    while (next < items.length) {
      const at = next++
      results[at] = await work(items[at]!)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}
