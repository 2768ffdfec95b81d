import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceName, serviceNames } from '@operon/contracts/services'
import { type Fleet, startFleet } from '@operon/deploy/fleet'
import { upstreamOf } from '@operon/deploy/fleet-members'
import { freePort } from '@operon/kit/ports'
import { doubled, readersOf, settle } from './flow.ts'
import { failed, type Load, missing, startLoad, succeeded } from './load.ts'
import { disagreements } from './money.ts'
import { type Fault, type Outcome, until, type World } from './world.ts'

const ADDRESS = '127.0.0.3'
const FIRST_PORT = 9_100

/** R26: see below; the replaced instance is of this version as well. */
export const joined: Fault = (world) => twoHosts(world, ['billing-2'])

/** R27: the same with instances of the version before this one on the first host, which are upgraded meanwhile. */
export const upgradedMeanwhile: Fault = async (world) => {
  const { older } = world
  if ('why' in older) return { skipped: older.why, injected: '', work: '', lost: 0, twice: 0, broken: [] }
  const upgraded = ['billing-2', 'marketplace-2', 'analytics-2']
  for (const name of upgraded) await world.fleet.restart(name, { root: older.root })
  const ready = await until(
    async () => (await Promise.all(upgraded.map((name) => world.fleet.ready(name)))).every(Boolean),
    60_000 * world.patience,
  )
  if (ready === null) throw new Error(`the version before (${older.commit.slice(0, 7)}) does not run beside this one`)
  return twoHosts(world, upgraded, `upgraded from ${older.commit.slice(0, 7)}`)
}

/**
 * A second host joins with instances at an address of its own and a gateway, over the same PostgreSQL, NATS and Redis. Under load through
 * both gateways one of its instances stands still, one of the first host's is killed, and others are replaced. Calls that the killed one had begun may
 * fail; nothing else does.
 */
async function twoHosts(world: World, replaced: string[], how = 'replaced'): Promise<Outcome> {
  const readers = await readersOf(world)
  const services = serviceNames.filter((name) => name !== 'sandbox')
  const second = await secondHost(world, services)
  try {
    // Each host's gateway uses what runs on both.
    for (const service of services) world.fleet.beside(service, `http://${ADDRESS}:${portOf(service)}`)
    const both = await until(async () => (await whole(world.url)) && (await whole(second.url)), 60_000 * world.patience)
    const loads = [startLoad(world, { workers: 3 }), startLoad({ ...world, call: world.callAt(second.url) }, { workers: 3 })]
    await until(() => loads.every((load) => succeeded(load).length > 10), 30_000 * world.patience)

    const [frozen, killed] = ['ai-gateway-1', 'identity-2']
    signal(second, frozen, 'SIGSTOP')
    const frozenAt = Date.now()
    world.kill(killed)
    const killedAt = Date.now()
    const replacing = (async () => {
      for (const name of replaced) await world.fleet.restart(name)
    })()
    replacing.catch(() => {})
    // Shorter than a gateway waits for what a silent instance had begun.
    await delay(world.short ? 8_000 : 10_000)
    signal(second, frozen, 'SIGCONT')
    const stoppedMs = Date.now() - frozenAt
    await replacing
    const back = await until(async () => (await whole(world.url)) && (await whole(second.url)), 60_000 * world.patience)
    for (const load of loads) await load.stop()

    const { ms, left } = await settle(world, readers)
    const refused = loads.flatMap(failed)
    const inHand = refused.filter((call) => call.status === 502 && call.at <= killedAt && call.at + call.ms >= killedAt)
    const unexplained = refused.filter((call) => !inHand.includes(call))
    const [gone, twice, money] = [
      (await Promise.all(loads.map((load) => missing(world, load)))).flat(),
      await doubled(world),
      await disagreements(world),
    ]
    return {
      injected: `a second host at ${ADDRESS} joined; ${frozen} of it stopped for ${seconds(stoppedMs)}, ${killed} killed, ${replaced.join(', ')} ${how}`,
      work: `${count(loads, succeeded)} calls over two gateways, ${inHand.length} failed that the killed process had in hand, ${unexplained.length} others`,
      lost: left.length + gone.length,
      twice: twice.length,
      recoveredMs: ms,
      broken: [
        ...(both === null ? ['the gateways never saw both hosts whole'] : []),
        ...(back === null ? ['the hosts were not whole again'] : []),
        ...unexplained.map(
          ({ what, status, at, ms, said }) => `a ${what} of ${at - frozenAt} ms after the stop answered ${status} after ${ms} ms: ${said}`,
        ),
        ...left,
        ...gone,
        ...twice,
        ...money,
      ],
    }
  } finally {
    for (const service of services) world.fleet.beside(service, '')
    await second.stop()
  }
}

async function secondHost(world: World, services: ServiceName[]): Promise<Fleet> {
  const { env } = world.fleet
  const dataDir = join(env.DATA_DIR!, 'second')
  mkdirSync(dataDir, { recursive: true, mode: 0o755 })
  const upstreams = Object.fromEntries(serviceNames.map((service) => [upstreamOf(service), env[upstreamOf(service)]]))
  return startFleet({
    env: {
      ...env,
      ...upstreams,
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      FLEET_ADDRESS: ADDRESS,
      MASTER_KEY: env.MASTER_KEY ?? readFileSync(join(env.DATA_DIR!, 'keys/master.key'), 'utf8').trim(),
      STORAGE_URL: `file:${join(env.DATA_DIR!, 'storage')}`,
    },
    services,
    web: false,
  })
}

/** As the launcher numbers them: the first instance of each service. */
const portOf = (service: ServiceName) => FIRST_PORT + serviceNames.indexOf(service) * 10

async function whole(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/statusz`).catch(() => null)
  return answer?.status === 200
}

function signal(fleet: Fleet, name: string, what: 'SIGSTOP' | 'SIGCONT') {
  const pid = fleet.processes.get(name)?.pid()
  if (pid) process.kill(pid, what)
}

const count = (loads: Load[], which: (load: Load) => unknown[]) => loads.reduce((sum, load) => sum + which(load).length, 0)
const seconds = (ms: number) => `${(ms / 1000).toFixed(0)} s`
