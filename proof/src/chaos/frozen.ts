import { setTimeout as delay } from 'node:timers/promises'
import { connectRedis } from '@operon/kit/cache/redis'
import { createLogger } from '@operon/kit/telemetry'
import { doubled, readersOf, settle } from './flow.ts'
import { missing, startLoad, succeeded } from './load.ts'
import { disagreements } from './money.ts'
import { newAddress, somebody } from './people.ts'
import { type Fault, until, type World } from './world.ts'

const LETTERS = 4

/**
 * R12: one of every pair is stopped (SIGSTOP) longer than its locks and leases last, identity in the middle of letters that its mail server
 * never takes. The other does their work; when they go on where they were, nothing of it happens a second time.
 */
export const frozen: Fault = async (world) => {
  const readers = await readersOf(world)
  const [victim = '', other = ''] = world.instances('identity')
  const others = ['billing', 'ai-gateway', 'analytics', 'marketplace'].map((name) => world.instances(name as 'billing')[0]!)
  const before = world.truth('mail').length
  const people = await Promise.all(Array.from({ length: LETTERS }, () => somebody(world, newAddress(world, 'frozen'))))

  // Alone for a moment, so that it is this one that takes the letters.
  await world.call('POST', '/sandbox/api/faults', { body: { provider: 'smtp', match: 'frozen-', kind: 'hung', times: 0 } })
  const queue = await connectRedis(world.fleet.env.QUEUE_URL!, createLogger('silent'), 'queue')
  signal(world, other, 'SIGSTOP')
  await Promise.all(people.map(({ email }) => asked(world, email)))
  const held = await until(async () => (await inHand(queue)).length >= LETTERS, 10_000 * world.patience)
  signal(world, victim, 'SIGSTOP')
  const letters = await inHand(queue)
  signal(world, other, 'SIGCONT')
  await world.call('DELETE', '/sandbox/api/faults?provider=smtp')
  for (const name of others) signal(world, name, 'SIGSTOP')

  const load = startLoad(world, { workers: 3 })
  const frozenAt = Date.now()
  const taken = await until(() => letters.every((id) => times(world, id) > 0), 45_000 * world.patience)
  await delay(Math.max(0, (world.short ? 11_000 : 40_000) - (Date.now() - frozenAt)))
  for (const name of [victim, ...others]) signal(world, name, 'SIGCONT')
  const frozenMs = Date.now() - frozenAt
  await load.stop()
  queue.disconnect()

  const { ms, left } = await settle(world, readers)
  const unsent = letters.filter((id) => times(world, id) === 0)
  const again = letters.filter((id) => times(world, id) > 1)
  const [gone, twice, money] = [await missing(world, load), await doubled(world), await disagreements(world)]
  return {
    injected: `${others.length + 1} processes stopped (SIGSTOP) for ${(frozenMs / 1000).toFixed(0)} s, one with ${letters.length} letters in hand`,
    work: `${succeeded(load).length} calls, ${world.truth('mail').length - before} letters`,
    lost: left.length + gone.length + unsent.length,
    twice: twice.length + again.length,
    recoveredMs: ms,
    broken: [
      ...(held === null ? ['the worker never held the letters, so too little was shown'] : []),
      ...(taken === null ? ['the letters of the stopped worker were not sent by the other'] : []),
      ...again.map((id) => `letter ${id} was sent ${times(world, id)} times`),
      ...left,
      ...gone,
      ...twice,
      ...money,
    ],
  }
}

function signal(world: World, name: string, what: 'SIGSTOP' | 'SIGCONT') {
  const pid = world.fleet.processes.get(name)?.pid()
  if (pid) process.kill(pid, what)
}

/** Only one of the two answers: a request that the other got is asked again. */
async function asked(world: World, email: string) {
  const ask = async () => (await world.call('POST', '/auth/v1/otp', { body: { email }, deadlineMs: 1_000 })).status === 200
  await until(ask, 10_000 * world.patience)
}

type Redis = Awaited<ReturnType<typeof connectRedis>>
const inHand = (queue: Redis): Promise<string[]> => queue.lrange('operon:identity.send_mail:active', 0, -1)
const times = (world: World, id: string) => world.truth('mail').filter(({ message_id }) => String(message_id).startsWith(`<${id}@`)).length
