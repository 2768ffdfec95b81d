import { join, resolve } from 'node:path'
import type { ServiceName } from '@operon/contracts/services'
import type { Env } from '@operon/kit/config'
import { freePort } from '@operon/kit/ports'
import { Vault } from '@operon/kit/vault'
import { startNats, startRedis } from './brokers.ts'
import { takeDataDir } from './data-dir.ts'
import { type KeptPostgres, keepPostgres } from './database.ts'
import { type Counts, commands, listenForCommands, readCounts, tellFleet } from './fleet-control.ts'
import { FIRST_PORT, type Members, openMembers, ownRoot } from './fleet-members.ts'
import { endLeftovers, noteKeeper, runFolder } from './fleet-run.ts'
import { demandPort, exitWith, launcherEnv, stopOnSignals } from './launcher.ts'
import { say } from './log.ts'
import { abandonPostgres } from './postgres.ts'
import { checkEnv, chosenServices, loadDefinitions } from './services.ts'
import { killSupervised, type Supervised } from './supervised.ts'
import { buildWebIfChanged, webDist } from './web.ts'

export type Fleet = {
  url: string
  /** The environment that every process got: addresses of PostgreSQL, NATS and Redis among it. */
  env: Env
  /** By name: `billing-1`, `gateway-1`, `nats`, `redis`. */
  processes: Map<string, Supervised>
  /** Absent when DATABASE_URL named a server. */
  postgres: KeptPostgres | null
  stop(): Promise<void>
} & Members
type FleetOptions = {
  env: Env
  /** How many of each; one when absent. `gateway: 0` is none. */
  counts?: Counts
  /** The services to start; those of `SERVICES`, or all of them, when absent. */
  services?: readonly ServiceName[]
  web?: boolean
  /** The tree that services and gateway are run from, when not this one: an older version of it. */
  root?: string
  log?: (line: string) => void
}

/** Every service a process of its own, on real PostgreSQL, NATS and Redis: given by address, or started here. */
export async function startFleet({
  env: given,
  counts = {},
  services = chosenServices(given),
  web = true,
  root = ownRoot,
  log = () => {},
}: FleetOptions): Promise<Fleet> {
  const asked = checkEnv(given, await loadDefinitions(services))
  const port = asked.PORT || (await freePort())
  const dataDir = resolve(asked.DATA_DIR)
  const gateways = Array.from({ length: counts.gateway ?? 1 }, (_, i) => port + i)
  for (const gatewayPort of gateways) await demandPort(gatewayPort, asked.HOST)
  const env: Env = { ...given, PORT: String(port), DATA_DIR: dataDir, PUBLIC_URL: given.PUBLIC_URL ?? `http://localhost:${port}` }

  const processes = new Map<string, Supervised>()
  let postgres: KeptPostgres | null = null
  const undo: (() => unknown)[] = [takeDataDir(dataDir)]
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const run = runFolder(dataDir)
    await endLeftovers(run)
    const note = noteKeeper(run, () => ({ url: env.PUBLIC_URL, postgres: postgres?.pid() ?? null, ...pids(processes) }))
    undo.push(note.remove)
    const buildWeb = async () => void (web && !given.WEB_DIST && (await buildWebIfChanged(log)))
    const building = buildWeb()
    building.catch(() => {})
    // The first process to need the key would make it; they all start at once.
    await Vault.open(asked)

    const broker = { dataDir, log, onChange: note.write }
    await Promise.all([
      (async () => {
        if (given.DATABASE_URL) return
        const kept = await keepPostgres({ dataDir, log })
        postgres = kept
        undo.push(kept.stop)
        env.DATABASE_URL = kept.url
      })(),
      (async () => {
        if (given.BUS_URL) return
        const { url, process, stop } = await startNats(broker)
        processes.set('nats', process)
        undo.push(stop)
        env.BUS_URL = url
      })(),
      (async () => {
        if (given.QUEUE_URL && given.CACHE_URL) return
        const { url, process, stop } = await startRedis(broker)
        processes.set('redis', process)
        undo.push(stop)
        env.QUEUE_URL ??= `${url}/0`
        env.CACHE_URL ??= `${url}/1`
      })(),
    ])

    const own = given.FLEET_ADDRESS
    const firstPort = Number(given.FLEET_PORT) || FIRST_PORT
    const members = openMembers({ env, dataDir, run, root, host: asked.HOST, port, own, firstPort, processes, log, onChange: note.write })
    // Undone last in, first out: gateways, then services.
    undo.push(() => members.stopAll('services'))
    undo.push(() => members.stopAll('gateways'))
    for (const service of services) await members.begin(service, counts[service] ?? 1)
    await members.allReady()
    await building
    env.WEB_DIST ??= webDist
    await members.begin('gateway', counts.gateway ?? 1)
    await members.allReady()
    note.write()
    undo.push(await listenForCommands(run, { env, members, buildWeb, log }))
    return { url: env.PUBLIC_URL!, env, processes, postgres, stop, ...members }
  } catch (error) {
    await stop()
    throw error
  }
}

const pids = (processes: Map<string, Supervised>) => Object.fromEntries([...processes].map(([name, process]) => [name, process.pid()]))

async function main() {
  const started = Date.now()
  const env = launcherEnv()
  const args = process.argv.slice(2)
  if ((commands as readonly string[]).includes(args[0] ?? ''))
    return process.exit(await tellFleet(runFolder(resolve(checkEnv(env, []).DATA_DIR)), args, say).catch(exitWith))
  const starting = (async () => startFleet({ env, counts: readCounts(args), log: say }))()
  const force = () => {
    killSupervised()
    abandonPostgres()
  }
  stopOnSignals(() => starting.then((fleet) => fleet.stop()), force)
  const fleet = await starting.catch(exitWith)
  say(`\n  The fleet is ready at ${fleet.url}  (${((Date.now() - started) / 1000).toFixed(1)} s)`)
  for (const [name, process] of fleet.processes) say(`  ${name.padEnd(16)} pid ${process.pid()}`)
  if (fleet.postgres) say(`  ${'postgres'.padEnd(16)} pid ${fleet.postgres.pid()}`)
  say(`  Pids are kept current in ${join(runFolder(fleet.env.DATA_DIR!), 'fleet.json')}`)
  say('  npm run fleet -- status | scale <service>=<count> | restart [service] | set <NAME>=<value>')
  say('  Stop with Ctrl-C\n')
}

if (import.meta.main) await main()
