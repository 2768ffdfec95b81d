import { setTimeout as delay } from 'node:timers/promises'
import { doubled, readersOf, settle } from './flow.ts'
import { chat, crowd, isLater, openCheckout, type Person } from './people.ts'
import { type Answer, type Fault, until, type World } from './world.ts'

const OPENS_WITHIN_MS = 5_000
const AT_ONCE_MS = 1_000
/** Below this nobody notices, and one collection of garbage makes the difference. */
const NOTICED_MS = 60
/** The worst few of a hundred calls are chance: a figure has at least so many calls beyond it. */
const BEYOND = 10
const CALLERS = 10

type Order = { provider: 'stripe' | 'openai'; kind: string; ms?: number; rate?: number; status?: number; match?: string }
/** Two at once: who waits for one provider must not hold up who waits for the other, nor anybody else. */
const hanging: Order[] = [
  { provider: 'stripe', kind: 'hung' },
  { provider: 'openai', kind: 'slow_headers', ms: 30_000, match: '/openai/v1' },
]
const slow: Order[] = [
  { provider: 'stripe', kind: 'slow_headers', ms: 30_000 },
  { provider: 'openai', kind: 'hung', match: '/openai/v1' },
]
const failing: Order[] = [
  { provider: 'stripe', kind: 'status', status: 500, rate: 0.5 },
  { provider: 'openai', kind: 'status', status: 503, rate: 0.5, match: '/openai/v1' },
]

/**
 * R13: providers hang, are slow, fail half the time. Calls that do not need them are as fast as before, in the very services that wait for them
 * too, so no pool has run dry; within seconds nobody waits for them any more; and afterwards all is as it was.
 */
export const unwell: Fault = async (world) => {
  const readers = await readersOf(world)
  const people = await crowd(world, 2 * CALLERS)
  const usualMs = world.short ? 2_500 : 20_000
  const before = slowest(await readsFor(world, people, usualMs))
  const broken: string[] = []
  const said: string[] = []
  const measured: [string, number][] = []
  for (const [name, orders, ms] of [
    ['hanging', hanging, world.short ? 6_500 : 40_000],
    ...(world.short ? [] : [['slow', slow, 40_000] as const]),
    ['failing half the time', failing, world.short ? 3_000 : 30_000],
  ] as const) {
    for (const order of orders) await world.call('POST', '/sandbox/api/faults', { body: { times: 0, ...order } })
    const callers = startCallers(world, people)
    const reads = await readsFor(world, people, ms)
    const calls = await callers.stop()
    await world.call('DELETE', '/sandbox/api/faults')
    const refused = reads.filter(({ status }) => status !== 200)
    const now = slowest(reads)
    const isFailing = name === 'failing half the time'
    const told = (['chat', 'checkout'] as const).map((what) => `a ${what} after ${seconds(toldAtOnce(what, calls)?.at)}`)
    said.push(`${name}: ${reads.length} other calls, slowest ${now.toFixed(0)} ms${isFailing ? '' : `, told at once: ${told.join(', ')}`}`)
    measured.push([name, now])
    for (const { path, status, said } of refused.slice(0, 3)) broken.push(`${name}: ${path} answered ${status} ${said}`)
    if (!isFailing) broken.push(...waitedTooLong(world, name, calls))
    const wrong = calls.find(({ status }) => status === 500)
    if (wrong) broken.push(`${name}: a ${wrong.what} answered 500: ${wrong.said}`)
  }
  // Others: those before may have used up what a free plan gives.
  const [asker, buyer] = (await crowd(world, 2)) as [Person, Person]
  let last: Answer[] = []
  const back = await until(async () => {
    last = await Promise.all([chat(world, asker), openCheckout(world, buyer, 'basic').then(({ answer }) => answer)])
    return last.every(({ status }) => status === 200)
  }, 20_000 * world.patience)
  const { left } = await settle(world, readers)
  const twice = await doubled(world)
  // Before and after: a machine that others use is not as fast all the time.
  const usual = Math.max(before, slowest(await readsFor(world, people, usualMs)))
  for (const [name, now] of measured)
    if (now > Math.max(2 * usual, NOTICED_MS * world.patience))
      broken.push(`${name}: other routes went from ${usual.toFixed(0)} to ${now.toFixed(0)} ms`)
  return {
    injected: 'Stripe hung and OpenAI 30 s slow, then half of their answers 5xx',
    work: `other routes at the slowest ${usual.toFixed(0)} ms; ${said.join('; ')}`,
    lost: left.length,
    twice: twice.length,
    ...(back !== null && { recoveredMs: back }),
    broken: [
      ...broken,
      ...(back === null ? [`chats and checkouts do not come back: ${JSON.stringify(last).slice(0, 300)}`] : []),
      ...left,
      ...twice,
    ],
  }
}

type Made = { what: 'chat' | 'checkout'; at: number; ms: number; status: number; said: string }

/** Callers that need the providers: each asks again as soon as it is told, and new ones arrive all the time. */
function startCallers(world: World, people: Person[]) {
  const began = Date.now()
  const made: Made[] = []
  let stopped = false
  async function ask(person: Person, what: Made['what']) {
    const at = Date.now() - began
    const answer = what === 'chat' ? await chat(world, person) : (await openCheckout(world, person, 'pro')).answer
    made.push({ what, at, ms: Date.now() - began - at, status: answer.status, said: JSON.stringify(answer.body).slice(0, 120) })
  }
  const asking = (async () => {
    for (let n = 0; !stopped; n++) {
      const calls = n === 0 ? people : [people[n % CALLERS]!, people[CALLERS + (n % CALLERS)]!]
      for (const person of calls) void ask(person, people.indexOf(person) < CALLERS ? 'chat' : 'checkout')
      await delay(250)
    }
  })()
  return {
    async stop(): Promise<Made[]> {
      stopped = true
      await asking
      return [...made]
    },
  }
}

/** Once the circuit is open a caller is told at once, or answered by somebody else. */
function waitedTooLong(world: World, when: string, calls: Made[]): string[] {
  const limit = OPENS_WITHIN_MS * world.patience
  return (['chat', 'checkout'] as const).flatMap((what) =>
    (toldAtOnce(what, calls)?.at ?? Number.POSITIVE_INFINITY) <= limit
      ? []
      : [`${when}: ${seconds(limit)} on, a ${what} still waits for the provider`],
  )
}

const toldAtOnce = (what: Made['what'], calls: Made[]) =>
  calls
    .filter((call) => call.what === what && call.ms < AT_ONCE_MS && (call.status === 200 || isLater({ status: call.status, body: null })))
    .toSorted((a, b) => a.at - b.at)[0]
const seconds = (ms: number | undefined) => (ms === undefined ? 'never' : `${(ms / 1000).toFixed(1)} s`)

const paths = [
  '/rest/v1/activity_logs?select=id,command&limit=5',
  '/rest/v1/subscribers?select=*',
  '/rest/v1/ai_conversations?select=id&limit=5',
  '/auth/v1/user',
]
type Read = { path: string; status: number; ms: number; said: string }

async function readsFor(world: World, people: Person[], ms: number): Promise<Read[]> {
  const reads: Read[] = []
  const end = Date.now() + ms
  const reader = async (n: number) => {
    for (let i = n; Date.now() < end; i++) {
      const path = paths[i % paths.length]!
      const began = performance.now()
      const { status, body } = await world.call('GET', path, { token: people[i % people.length]!.token })
      reads.push({ path, status, ms: performance.now() - began, said: status === 200 ? '' : JSON.stringify(body).slice(0, 120) })
      await delay(10)
    }
  }
  await Promise.all([0, 1, 2, 3].map(reader))
  return reads
}

/** Of fewer than a thousand calls a lower one than the 99th percentile, which would be the slowest but one or two. */
function slowest(reads: Read[]): number {
  const sorted = reads.map(({ ms }) => ms).sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * 0.99), Math.max(Math.floor(sorted.length / 2), sorted.length - 1 - BEYOND))] ?? 0
}
