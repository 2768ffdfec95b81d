import { randomUUID } from 'node:crypto'
import { agree, disagreements } from './money.ts'
import { buy, productOf, readySeller } from './orders.ts'
import { crowd, openCheckout, type Person, payCheckout, useUpTrial } from './people.ts'
import { notSubscribedRight, provider } from './provider.ts'
import { type Fault, until, type World } from './world.ts'

const CONVERGED_MS = 60_000
const deliver = (world: World, options: object) => world.call('POST', '/sandbox/api/stripe/webhooks', { body: options })

/** R5: the news of a refund comes before the news of the payment. The books end the same, and nothing is invented in between. */
export const reversed: Fault = async (world) => {
  const people = await crowd(world, world.short ? 6 : 60)
  await Promise.all(people.map((person) => useUpTrial(world, person)))
  const shop = await openShop(world)
  await deliver(world, { delay_ms: 3_000 })
  const charges = [...(await pay(world, people)), ...(await sell(world, shop, 1_000_000))]
  await deliver(world, { delay_ms: 0, duplicate: 4 })
  for (const [n, charge] of charges.entries())
    if (n % 3 === 2) await world.call('POST', '/sandbox/api/stripe/disputes', { body: { charge } })
    else await provider(world, 'POST', '/v1/refunds', n % 3 === 0 ? { charge } : { charge, amount: '1900' })
  const ms = await until(() => returnsAreBooked(world, charges), 2_500)
  const books = await agree(world, 30_000 * world.patience)
  await deliver(world, { duplicate: 0 })
  await world.call('POST', '/sandbox/api/stripe/webhooks/drain')
  const [afterAll, wrong] = [await disagreements(world), await notSubscribedRight(world, people)]
  return {
    injected: `refunds and disputes told ${ms === null ? 'beside' : 'before'} their payments, each 5 times`,
    work: `${charges.length} payments given back, half of them for sales`,
    lost: books.left.length,
    twice: 0,
    recoveredMs: books.ms ?? 0,
    broken: [...books.left, ...afterAll, ...wrong],
  }
}

/** R6: no webhook arrives. The sweep alone brings the books to the provider's, and what arrives late changes nothing. */
export const unheard: Fault = async (world) => {
  const people = await crowd(world, world.short ? 6 : 60)
  await Promise.all(people.map((person) => useUpTrial(world, person)))
  const shop = await openShop(world)
  await deliver(world, { pause: true })
  const charges = [...(await pay(world, people)), ...(await sell(world, shop, 2_000_000))]
  await provider(world, 'POST', '/v1/refunds', { charge: charges[0]! })
  const missed = (await disagreements(world)).length
  // The sweep's turn is brought forward; by itself it comes every half minute here.
  await world.query('billing', `insert into outbox (id, kind, name, payload) values ($1, 'job', 'billing.reconcile', '{}')`, [randomUUID()])
  const swept = await agree(world, CONVERGED_MS * world.patience)
  await deliver(world, { pause: false })
  await world.call('POST', '/sandbox/api/stripe/webhooks/drain')
  const [late, wrong] = [await disagreements(world), await notSubscribedRight(world, people)]
  return {
    injected: 'no webhook delivered, then all of them late',
    work: `${charges.length} payments, half of them for sales, ${missed} differences healed by the sweep`,
    lost: swept.left.length,
    twice: late.length,
    recoveredMs: swept.ms ?? 0,
    broken: [...(missed === 0 ? ['nothing was missed, so nothing was shown'] : []), ...swept.left, ...late, ...wrong],
  }
}

/** The charges, in the order of the people. */
async function pay(world: World, people: Person[]): Promise<string[]> {
  const charges: string[] = []
  for (const person of people) {
    const { session, answer } = await openCheckout(world, person, 'basic')
    if (!session) throw new Error(`no checkout: ${answer.status} ${JSON.stringify(answer.body)}`)
    const known = world.truth('charge').length
    await payCheckout(world, session)
    charges.push(world.truth('charge')[known]!.charge)
  }
  return charges
}

/** A product on sale. */
const openShop = async (world: World) => productOf(world, await readySeller(world), 4)

/** The charges of guests who bought it; they are told apart by their numbers, from one on that no other fault uses. */
async function sell(world: World, item: string, from: number): Promise<string[]> {
  const charges: string[] = []
  for (let n = 0; n < (world.short ? 6 : 60); n++) {
    const known = world.truth('charge').length
    // Every fifth of a load run leaves without paying: none here.
    const { paid, why } = await buy(world, from + n * 5, [item])
    if (!paid) throw new Error(`nothing was bought: ${why}`)
    charges.push(world.truth('charge')[known]!.charge)
  }
  return charges
}

async function returnsAreBooked(world: World, charges: string[]): Promise<boolean> {
  const references = [
    ...world
      .truth('refund')
      .filter(({ charge }) => charges.includes(charge))
      .map(({ refund }) => `refund:${refund}`),
    ...world
      .truth('dispute')
      .filter(({ charge }) => charges.includes(charge))
      .map(({ dispute }) => `dispute:${dispute}`),
  ]
  const [row] = await world.query('billing', 'select count(*)::int as n from ledger_entries where reference = any($1::text[])', [
    references,
  ])
  return row.n === references.length
}
