import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ProcessName, type ServiceName, serviceNames } from '@operon/contracts/services'
import { type Env, SetupError } from '@operon/kit/config'
import { Vault } from '@operon/kit/vault'
import { startNats, startRedis } from './brokers.ts'
import { takeDataDir } from './data-dir.ts'
import { type KeptPostgres, keepPostgres } from './database.ts'
import { demandPort, exitWith, launcherEnv, stopOnSignals } from './launcher.ts'
import { readable, say } from './log.ts'
import { aliveProcess, freePort } from './machine.ts'
import { abandonPostgres } from './postgres.ts'
import { checkEnv, chosenServices, loadDefinitions } from './services.ts'
import { killSupervised, type Supervised, supervise } from './supervised.ts'
import { buildWebIfChanged, webDist } from './web.ts'

export type Counts = Partial<Record<ProcessName, number>>
export type Fleet = {
  url: string
  /** The environment that every process got: addresses of PostgreSQL, NATS and Redis among it. */
  env: Env
  /** By name: `billing-1`, `gateway-1`, `nats`, `redis`. */
  processes: Map<string, Supervised>
  /** Absent when DATABASE_URL named a server. */
  postgres: KeptPostgres | null
  /** The health page of one process. */
  ready(name: string): Promise<boolean>
  /** Drains one process and starts it again: from another tree, or with more environment, until the next restart. */
  restart(name: string, as?: { root?: string; env?: Env }): Promise<void>
  stop(): Promise<void>
}
export type FleetOptions = {
  env: Env
  /** How many of each; one when absent. `gateway: 0` is none. */
  counts?: Counts
  /** Which services; those of `SERVICES`, or all of them, when absent. */
  services?: readonly ServiceName[]
  web?: boolean
  /** The tree that services and gateway are run from, when not this one: an older version of it. */
  root?: string
  log?: (line: string) => void
}

const ownRoot = resolve(import.meta.dirname, '../..')
const nameOf = (service: ServiceName) => `UPSTREAM_${service.toUpperCase().replaceAll('-', '_')}`

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
    const building = web && !env.WEB_DIST ? buildWebIfChanged(log) : Promise.resolve()
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

    const addresses = new Map<string, string>()
    const scripts = new Map<string, string>()
    const argsOf = (tree: string, script: string) => ['--import', join(ownRoot, 'deploy/src/child.ts'), join(tree, script)]
    const launch = (name: string, script: string, extra: Env) => {
      scripts.set(name, script)
      const args = argsOf(root, script)
      const onLine = (line: string) => log(readable(line, name))
      processes.set(
        name,
        supervise({ name, command: process.execPath, args, env: { ...env, ...extra }, node: true, onLine, log, onChange: note.write }),
      )
    }
    for (const service of services) {
      const names = Array.from({ length: counts[service] ?? 1 }, (_, i) => `${service}-${i + 1}`)
      env[nameOf(service)] = names.map((name) => `unix:${socketOf(run, name)}`).join(',')
      for (const name of names) {
        addresses.set(name, socketOf(run, name))
        launch(name, `services/${service}/src/main.ts`, { LISTEN: `unix:${socketOf(run, name)}` })
      }
    }
    const serviceProcesses = [...addresses.keys()].map((name) => processes.get(name)!)
    undo.push(() => Promise.all(serviceProcesses.map((process) => process.stop())))
    const ready = (name: string) => answersReady(addresses.get(name) ?? '')
    await until(
      async () => (await Promise.all([...addresses.keys()].map(ready))).every(Boolean),
      () => givingUp([...addresses.keys()], processes),
    )

    await building
    gateways.forEach((gatewayPort, i) => {
      addresses.set(`gateway-${i + 1}`, `${asked.HOST}:${gatewayPort}`)
      launch(`gateway-${i + 1}`, 'gateway/src/main.ts', { PORT: String(gatewayPort), WEB_DIST: env.WEB_DIST ?? webDist })
    })
    const gatewayNames = gateways.map((_, i) => `gateway-${i + 1}`)
    undo.push(() => Promise.all(gatewayNames.map((name) => processes.get(name)!.stop())))
    await until(
      async () => (await Promise.all(gatewayNames.map(ready))).every(Boolean),
      () => givingUp(gatewayNames, processes),
    )
    note.write()
    const restart: Fleet['restart'] = (name, { root: tree = ownRoot, env: more = {} } = {}) =>
      processes.get(name)!.restart({ args: argsOf(tree, scripts.get(name)!), env: more })
    return { url: env.PUBLIC_URL!, env, processes, postgres, ready, restart, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Sockets have short names: a path of more than about 100 characters cannot be bound. */
function runFolder(dataDir: string): string {
  const wanted = join(dataDir, 'run')
  const run = wanted.length < 75 ? wanted : join(tmpdir(), `operon-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`)
  mkdirSync(run, { recursive: true, mode: 0o700 })
  return run
}
const socketOf = (run: string, name: string) => join(run, `${name}.sock`)

const pids = (processes: Map<string, Supervised>) => Object.fromEntries([...processes].map(([name, process]) => [name, process.pid()]))

/** `fleet.json`: the pid of each process as it is now, for those who look or kill. */
function noteKeeper(run: string, content: () => Record<string, unknown>) {
  const file = join(run, 'fleet.json')
  return {
    write: () => writeFileSync(file, JSON.stringify(content(), null, 2), { mode: 0o600 }),
    remove: () => rmSync(file, { force: true }),
  }
}

/** What a killed launcher left: services drain by themselves, brokers are ended here so that their stores have one owner. */
async function endLeftovers(run: string): Promise<void> {
  const file = join(run, 'fleet.json')
  if (!existsSync(file)) return
  const left = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)
    .filter(([name, pid]) => name !== 'postgres' && typeof pid === 'number' && isOurs(pid))
    .map(([, pid]) => pid as number)
  for (const pid of left) process.kill(pid, 'SIGTERM')
  for (const end = Date.now() + 15_000; left.some(aliveProcess) && Date.now() < end; ) await delay(50)
  for (const pid of left) if (aliveProcess(pid)) process.kill(pid, 'SIGKILL')
}

function isOurs(pid: number): boolean {
  if (!aliveProcess(pid)) return false
  try {
    return /nats-server|redis-server|src\/main\.ts/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return false
  }
}

function answersReady(address: string): Promise<boolean> {
  const [host, port] = address.split(':')
  const where = address.startsWith('/') ? { socketPath: address } : { host: host === '0.0.0.0' ? '127.0.0.1' : host, port }
  return new Promise((resolve) => {
    const asking = request({ ...where, path: '/readyz', timeout: 3000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    asking.on('error', () => resolve(false)).on('timeout', () => asking.destroy())
    asking.end()
  })
}

async function until(fact: () => Promise<boolean>, giveUp: () => void): Promise<void> {
  while (!(await fact())) {
    giveUp()
    await delay(100)
  }
}

/** A process that dies again and again has said why in the log. */
function givingUp(names: string[], processes: Map<string, Supervised>) {
  const broken = names.find((name) => (processes.get(name)?.restarts() ?? 0) >= 3)
  if (broken) throw new SetupError(`${broken} does not start (the reason is above)`)
}

/** `ai-gateway=2 gateway=2` from the command line. */
export function readCounts(args: string[]): Counts {
  const names: readonly string[] = [...serviceNames, 'gateway']
  return Object.fromEntries(
    args.map((arg) => {
      const [name = '', count] = arg.split('=')
      if (!names.includes(name) || !/^[1-9]\d?$/.test(count ?? ''))
        throw new SetupError(`"${arg}" is not understood: say <service>=<count>, with a service of ${names.join(', ')}`)
      return [name, Number(count)]
    }),
  )
}

async function main() {
  const started = Date.now()
  const env = launcherEnv()
  const starting = (async () => startFleet({ env, counts: readCounts(process.argv.slice(2)), log: say }))()
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
  say('  Stop with Ctrl-C\n')
}

if (import.meta.main) await main()
