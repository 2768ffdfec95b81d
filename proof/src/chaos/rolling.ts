import { serviceNames } from '@operon/contracts/services'
import type { Env } from '@operon/kit/config'
import { doubled, readersOf, settle } from './flow.ts'
import { failed, missing, startLoad, succeeded } from './load.ts'
import { type Fault, until, type World } from './world.ts'

/** R18: a new version comes in. Of each pair one drains and starts again while the other serves, then the other: nobody outside notices. */
export const restarted: Fault = async (world) => {
  const readers = await readersOf(world)
  const load = startLoad(world)
  const pairs = serviceNames.map((service) => world.instances(service)).filter((names) => names.length > 1)
  const began = performance.now()
  const late: string[] = []
  for (const pair of world.short ? inTurns(pairs) : pairs.flatMap((names) => names.map((name) => [name]))) {
    const ready = await Promise.all(pair.map((name) => renewed(world, name)))
    late.push(...pair.filter((_, i) => !ready[i]))
  }
  const took = performance.now() - began
  await load.stop()

  const { left } = await settle(world, readers)
  const [gone, twice, unanswered] = [await missing(world, load), await doubled(world), failed(load)]
  return {
    injected: `${pairs.flat().length} processes of ${pairs.length} services restarted (SIGTERM) in turn, ${(took / 1000).toFixed(0)} s`,
    work: `${succeeded(load).length} calls, ${unanswered.length} failed`,
    lost: left.length + gone.length,
    twice: twice.length,
    broken: [
      ...late.map((name) => `${name} was not ready again in time`),
      ...unanswered.map(({ what, status, ms, said }) => `a ${what} answered ${status} after ${ms} ms: ${said}`),
      ...left,
      ...gone,
      ...twice,
    ],
  }
}

/** The first of every pair together, then the second: half the time, and harder. */
const inTurns = (pairs: string[][]) => [pairs.map(([first]) => first!), pairs.map(([, second]) => second!)]

/** Starts it again from this tree, with more environment where that is given. */
export async function renewed(world: World, name: string, env: Env = {}): Promise<boolean> {
  const process = world.fleet.processes.get(name)!
  const before = process.pid()
  await world.fleet.restart(name, { env })
  return (await until(async () => process.pid() !== before && (await world.fleet.ready(name)), 60_000 * world.patience)) !== null
}
