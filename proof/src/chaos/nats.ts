import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { committedEvents, doubled, type Reader, readersOf, settle, unheard } from './flow.ts'
import { type Load, missing, startLoad, succeeded } from './load.ts'
import { type Fault, type Outcome, until, type World } from './world.ts'

const CAUGHT_UP_MS = 5_000

/** R7: the broker dies under load. Events committed while it was away arrive after its return, once. */
export const killed: Fault = async (world) => {
  const readers = await readersOf(world)
  const nats = world.fleet.processes.get('nats')!
  const load = startLoad(world)
  await delay(world.short ? 1_500 : 5_000)
  nats.hold()
  world.kill('nats')
  await delay(world.short ? 2_000 : 10_000)
  nats.release()
  const { recoveredMs, broken } = await caughtUp(world, readers)
  await delay(500)
  return { injected: 'NATS killed (-9) under load', recoveredMs, ...(await verdict(world, readers, load, broken)) }
}

/**
 * R8: the broker comes back with an older store, and every service with it: events that it had acknowledged and nobody had heard yet are
 * gone, and no process is left that remembers having sent them.
 */
export const rolledBack: Fault = async (world) => {
  const readers = await readersOf(world)
  const nats = world.fleet.processes.get('nats')!
  const store = join(world.fleet.env.DATA_DIR!, 'nats', 'jetstream')
  const load = startLoad(world, { workers: 6, pauseMs: 30 })
  await until(() => succeeded(load).length > 10, 10_000 * world.patience)
  nats.hold()
  world.kill('nats')
  await until(() => nats.pid() === null, 5_000)
  cpSync(store, `${store}.older`, { recursive: true })
  nats.release()
  await delay(world.short ? 2_000 : 20_000)
  const processes = [...world.fleet.processes.values()].filter(
    ({ name }) => !/nats|redis|gateway-1$|sandbox/.test(name) || name.startsWith('ai-gateway'),
  )
  const deaf = processes.filter(({ name }) => /analytics|marketplace|crm/.test(name))
  for (const each of deaf) each.hold()
  for (const { name } of deaf) world.kill(name)
  await delay(2_000)
  nats.hold()
  for (const { name } of processes) world.kill(name)
  world.kill('nats')
  await until(() => nats.pid() === null, 5_000)
  rmSync(store, { recursive: true })
  cpSync(`${store}.older`, store, { recursive: true })
  rmSync(`${store}.older`, { recursive: true })
  nats.release()
  for (const each of deaf) each.release()
  const { recoveredMs } = await caughtUp(world, readers)
  return {
    injected: 'NATS back with an older store, all services killed (-9) with it',
    recoveredMs,
    ...(await verdict(world, readers, load, [])),
  }
}

/** From the moment it accepts again, until all that was committed by then is in every inbox. */
async function caughtUp(world: World, readers: Reader[]): Promise<{ recoveredMs?: number; broken: string[] }> {
  const back = await until(() => world.fleet.processes.get('nats')!.pid() !== null, 20_000)
  if (back === null) return { broken: ['NATS was not started again'] }
  const events = await committedEvents(world)
  const limit = CAUGHT_UP_MS * world.patience
  const recoveredMs = await until(async () => (await unheard(world, readers, events)).length === 0, 4 * limit)
  if (recoveredMs === null) return { broken: [`not caught up within ${(4 * limit) / 1000} s of its return`] }
  return { recoveredMs, broken: recoveredMs > limit ? [`caught up only after ${(recoveredMs / 1000).toFixed(1)} s`] : [] }
}

async function verdict(world: World, readers: Reader[], load: Load, broken: string[]): Promise<Omit<Outcome, 'injected'>> {
  await load.stop()
  const { left } = await settle(world, readers)
  const [gone, twice, events] = await Promise.all([missing(world, load), doubled(world), committedEvents(world)])
  return {
    work: `${succeeded(load).length} calls, ${events.length} events so far to ${readers.length} consumers`,
    lost: left.length + gone.length,
    twice: twice.length,
    broken: [...broken, ...left, ...gone, ...twice],
  }
}
