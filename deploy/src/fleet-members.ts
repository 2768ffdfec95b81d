import { join as path, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ProcessName, type ServiceName, serviceNames } from '@operon/contracts/services'
import { type Env, SetupError } from '@operon/kit/config'
import { askReady, writeTargets, writeUpstreams } from './fleet-run.ts'
import { demandPort } from './launcher.ts'
import { readable } from './log.ts'
import { type Supervised, supervise } from './supervised.ts'

export const ownRoot = resolve(import.meta.dirname, '../..')

export type Members = {
  /** Whether nothing of one process fails, by its own word. */
  ready(name: string): Promise<boolean>
  versions(): Promise<[name: string, said: string][]>
  /** Drains one process and starts it again: from another tree, or with more environment, until the next restart. */
  restart(name: string, as?: { root?: string; env?: Env }): Promise<void>
  /** So many of it from now on. The new ones are ready when this returns; those that go finish what they have. */
  scale(service: ProcessName, count: number): Promise<void>
  /** A service that this fleet does not have yet, from this tree or another; ready when this returns. */
  join(service: ProcessName, count?: number, tree?: string): Promise<void>
  /** Each of these drains and starts again while another serves. A service that runs once gets a second one for that time. */
  roll(services: ProcessName[]): Promise<void>
  /** Instances on other machines, by commas, that the gateways of this one use as well from now on. */
  beside(service: ServiceName, addresses: string): void
}

type Options = {
  env: Env
  dataDir: string
  run: string
  root: string
  host: string
  port: number
  /** Where other machines reach the services of this one; sockets otherwise. */
  own: string | undefined
  firstPort: number
  processes: Map<string, Supervised>
  log: (line: string) => void
  onChange: () => void
}

/** Ports of a machine's services, ten each: 9100 is identity-1, 9110 billing-1. Other machines may rely on them. */
export const FIRST_PORT = 9_100
const AT_MOST = 10
const TELL_MS = 15_000

/** The services and gateways of one launcher: how many, where they listen, and how they come and go. */
export function openMembers({ env, dataDir, run, root, host, port, own, firstPort, processes, log, onChange }: Options) {
  const addresses = new Map<string, string>()
  const scripts = new Map<string, string>()
  const argsOf = (tree: string, script: string) => ['--import', path(ownRoot, 'deploy/src/child.ts'), path(tree, script)]
  const namesOf = (service: ProcessName) =>
    [...addresses.keys()].filter((name) => name.replace(/-\d+$/, '') === service).sort((a, b) => numberOf(a) - numberOf(b))

  function launch(service: ProcessName, number: number, tree = root) {
    const name = `${service}-${number}`
    const script = service === 'gateway' ? 'gateway/src/main.ts' : `services/${service}/src/main.ts`
    const address = addressOf(service, number)
    const mine: Env =
      service === 'gateway' ? { PORT: String(port + number - 1) } : { LISTEN: address.startsWith('/') ? `unix:${address}` : address }
    const metricsPort = metricsPortOf(service, number)
    if (metricsPort) mine.METRICS_PORT = String(metricsPort)
    addresses.set(name, address)
    scripts.set(name, script)
    tellPrometheus()
    const onLine = (line: string) => log(readable(line, name))
    const args = argsOf(tree, script)
    processes.set(
      name,
      supervise({ name, command: process.execPath, args, env: () => ({ ...env, ...mine }), node: true, onLine, log, onChange }),
    )
  }

  const servicePort = (service: ServiceName, number: number) => firstPort + placeOf(service) * AT_MOST + number - 1
  /** A process of somebody else at an address of ours would be asked whether it is ready, and answer for the one that could not listen. */
  async function demandPorts(service: ProcessName, numbers: number[]) {
    for (const number of numbers) {
      if (service === 'gateway') await demandPort(port + number - 1, host)
      else if (own) await demandPort(servicePort(service, number), own, { variable: 'FLEET_PORT', command: 'npm run fleet' })
    }
  }

  function addressOf(service: ProcessName, number: number): string {
    if (service === 'gateway') return `${host}:${port + number - 1}`
    if (own) return `${own}:${servicePort(service, number)}`
    return path(run, `${service}-${number}.sock`)
  }

  /** In a fleet METRICS_PORT is the first of its processes': ten for each service, the gateways last. */
  const metricsPortOf = (service: ProcessName, number: number): number | null =>
    env.METRICS_PORT ? Number(env.METRICS_PORT) + placeOf(service) * AT_MOST + number - 1 : null

  function tellPrometheus() {
    if (!env.METRICS_PORT) return
    const processOf = (name: string) => name.replace(/-\d+$/, '') as ProcessName
    const reached = host === '0.0.0.0' ? (own ?? '127.0.0.1') : host
    writeTargets(
      dataDir,
      [...addresses.keys()].map((name) => ({ name, target: `${reached}:${metricsPortOf(processOf(name), numberOf(name))}` })),
    )
  }

  const others = new Map<ServiceName, string>()
  /** Gateways read it again every second. */
  function tell(service: ServiceName) {
    const variable = upstreamOf(service)
    if (!others.has(service)) others.set(service, env[variable] ?? '')
    const mine = namesOf(service).map((name) => addresses.get(name)!)
    const places = mine.map((address) => (address.startsWith('/') ? `unix:${address}` : `http://${address}`))
    const elsewhere = others
      .get(service)!
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean)
    // An older gateway knows no such file.
    env[variable] = root === ownRoot ? writeUpstreams(run, service, [...places, ...elsewhere]) : [...places, ...elsewhere].join(',')
  }

  async function allReady(names = [...addresses.keys()]) {
    const before = new Map(names.map((name) => [name, processes.get(name)!.restarts()]))
    let told = Date.now()
    while (!(await Promise.all(names.map(ready))).every(Boolean)) {
      if (Date.now() - told > TELL_MS) {
        told = Date.now()
        log(`still waiting for ${(await Promise.all(names.map(lacking))).filter(Boolean).join(', ')}`)
      }
      // A process that dies again and again has said why in the log.
      const broken = names.find((name) => processes.get(name)!.restarts() - before.get(name)! >= 3)
      if (broken) throw new SetupError(`${broken} does not start (the reason is above)`)
      await delay(100)
    }
  }

  /** Null once it is ready. A start goes on for as long as a store has the wrong address, and says so. */
  async function lacking(name: string): Promise<string | null> {
    const said = await askReady(addresses.get(name) ?? '')
    if (said?.ok && !said.failing.length) return null
    return `${name} (${said?.failing.join(', ') || 'no answer yet'})`
  }

  const ready = async (name: string): Promise<boolean> => (await lacking(name)) === null

  async function begin(service: ProcessName, count: number) {
    const running = namesOf(service).length
    await demandPorts(
      service,
      Array.from({ length: count - running }, (_, i) => running + 1 + i),
    )
    for (let number = running + 1; number <= count; number++) launch(service, number)
    if (service !== 'gateway') tell(service)
  }

  async function scale(service: ProcessName, count: number) {
    const names = namesOf(service)
    if (count < 1 || count > AT_MOST) throw new SetupError(`${service} may run 1 to ${AT_MOST} times on one machine`)
    if (service === 'sandbox' && count > 1) throw new SetupError('sandbox keeps its state in its own memory: there can be only one')
    if (!names.length) throw new SetupError(`${service} does not run in this fleet`)
    if (count > names.length) {
      return join(service, count)
    }
    const leaving = names.slice(count)
    const stopped = remove(leaving)
    if (service !== 'gateway') tell(service)
    await stopped
  }

  /** Up to so many of it, and the gateways are told once the new ones are ready. */
  async function join(service: ProcessName, count = 1, tree = root) {
    const running = namesOf(service).length
    const numbers = Array.from({ length: count - running }, (_, i) => running + 1 + i)
    await demandPorts(service, numbers)
    const added = numbers.map((number) => `${service}-${number}`)
    for (const number of numbers) launch(service, number, tree)
    try {
      await allReady(added)
    } catch (error) {
      await remove(added)
      throw error
    }
    if (service !== 'gateway') tell(service)
  }

  async function remove(names: string[]) {
    const leaving = names.map((name) => processes.get(name)!)
    for (const name of names) {
      addresses.delete(name)
      scripts.delete(name)
    }
    tellPrometheus()
    await Promise.all(leaving.map((process) => process.stop()))
    for (const name of names) processes.delete(name)
    onChange()
  }

  async function roll(services: ProcessName[]) {
    for (const service of services) {
      const names = namesOf(service)
      const alone = names.length === 1 && service !== 'sandbox' && service !== 'gateway'
      if (alone) await scale(service, 2)
      for (const name of names) {
        await restart(name)
        await allReady([name])
        log(`${name} runs again`)
      }
      if (alone) await scale(service, 1)
    }
  }

  const restart: Members['restart'] = (name, { root: tree = ownRoot, env: more = {} } = {}) =>
    processes.get(name)!.restart({ args: argsOf(tree, scripts.get(name)!), env: more })

  return {
    begin,
    allReady: () => allReady(),
    ready,
    restart,
    scale,
    join,
    roll,
    beside(service: ServiceName, given: string) {
      others.set(service, given)
      tell(service)
    },
    running: (): ProcessName[] => [...serviceNames, 'gateway' as const].filter((service) => namesOf(service).length > 0),
    async versions(): Promise<[string, string][]> {
      return Promise.all(
        [...addresses].map(async ([name, address]): Promise<[string, string]> => {
          const said = await askReady(address)
          return [name, said ? [`version ${said.version ?? 'unknown'}`, ...said.failing].join(', ') : 'does not answer']
        }),
      )
    },
    async stopAll(which: 'gateways' | 'services') {
      const names = [...addresses.keys()].filter((name) => name.startsWith('gateway-') === (which === 'gateways'))
      await Promise.all(names.map((name) => processes.get(name)!.stop()))
    },
  }
}

/** Of the ports that each process has ten of. One that a later release brought comes after all that this launcher knows. */
const places: readonly string[] = [...serviceNames, 'gateway']
const placeOf = (service: ProcessName) => (places.includes(service) ? places.indexOf(service) : places.length)
export const upstreamOf = (service: ServiceName) => `UPSTREAM_${service.toUpperCase().replaceAll('-', '_')}`
const numberOf = (name: string) => Number(name.slice(name.lastIndexOf('-') + 1))
