import { readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connectRedis } from '@operon/kit/cache/redis'
import { createLogger } from '@operon/kit/telemetry'
import { doubled, readersOf, settle, waiting } from './flow.ts'
import { missing, startLoad, succeeded } from './load.ts'
import { disagreements } from './money.ts'
import { type Fault, until, type World } from './world.ts'

/** One look at a queue that may have forgotten takes a second; the work itself is a few jobs. */
const REBUILT_MS = 10_000

/** R9: Redis dies and loses its last second, then all it has. Every job has a row, so each is done, once; money never was in it. */
export const forgetful: Fault = async (world) => {
  const readers = await readersOf(world)
  const before = await jobsAsked(world)
  const load = startLoad(world)
  await delay(1_000)
  const sizeThen = logSize(world)
  await delay(1_000)

  const redis = world.fleet.processes.get('redis')!
  redis.hold()
  world.kill('redis')
  await until(() => redis.pid() === null, 5_000)
  const cut = logSize(world) - sizeThen
  truncateSync(logFile(world), sizeThen)
  await delay(world.short ? 1_000 : 5_000)
  redis.release()
  await delay(world.short ? 2_000 : 10_000)
  await empty(world)
  await delay(500)
  await load.stop()

  const limit = REBUILT_MS * world.patience
  const recoveredMs = await until(async () => (await waiting(world)).length === 0, 4 * limit, 100)
  const { left } = await settle(world, readers)
  const [gone, twice, money] = [await missing(world, load), await doubled(world), await disagreements(world)]
  const slow =
    recoveredMs !== null && recoveredMs > limit
      ? [`jobs were done only ${(recoveredMs / 1000).toFixed(1)} s after Redis had been emptied`]
      : []
  return {
    injected: `Redis killed (-9), ${cut} bytes of its log cut, then emptied`,
    work: `${succeeded(load).length} calls, ${(await jobsAsked(world)) - before} jobs`,
    lost: left.length + gone.length,
    twice: twice.length,
    ...(recoveredMs !== null && { recoveredMs }),
    broken: [...slow, ...left, ...gone, ...twice, ...money, ...(await schedulesLost(world))],
  }
}

async function empty(world: World) {
  const redis = await connectRedis(world.fleet.env.QUEUE_URL!, createLogger('silent'), 'queue')
  await redis.flushall()
  redis.disconnect()
}

/** Work on a schedule has no row: each service makes its schedules again. */
async function schedulesLost(world: World): Promise<string[]> {
  const redis = await connectRedis(world.fleet.env.QUEUE_URL!, createLogger('silent'), 'queue')
  const wanted = ['billing.reconcile', 'ai-gateway.sweep', 'identity.sweep']
  const known = async (name: string) => {
    const keys = await redis.keys('operon:*:repeat')
    return (await Promise.all(keys.map((key) => redis.zscore(key, name)))).some((score) => score !== null)
  }
  const missing: string[] = []
  for (const name of wanted) if ((await until(() => known(name), 5_000)) === null) missing.push(`the schedule of ${name} is gone`)
  redis.disconnect()
  return missing
}

const folder = (world: World) => join(world.fleet.env.DATA_DIR!, 'redis', 'appendonlydir')
const logFile = (world: World) =>
  join(
    folder(world),
    readdirSync(folder(world))
      .filter((name) => name.endsWith('.incr.aof'))
      .sort()
      .at(-1)!,
  )
const logSize = (world: World) => statSync(logFile(world)).size

async function jobsAsked(world: World): Promise<number> {
  const counts = await Promise.all(
    (['identity', 'billing', 'ai-gateway', 'crm'] as const).map((service) =>
      world.query(service, `select count(*)::int as n from outbox where kind = 'job'`),
    ),
  )
  return counts.reduce((sum, [row]) => sum + row.n, 0)
}
