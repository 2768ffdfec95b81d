import { resolve } from 'node:path'
import type { ServiceName } from '@operon/contracts/services'
import { type ThirdParty, thirdParties } from '@operon/contracts/third-parties'
import { countersOf } from '@operon/gateway/figures'
import { marketplacePages } from '@operon/gateway/frames'
import { startGateway } from '@operon/gateway/gateway'
import { sharedByMedia } from '@operon/gateway/shared'
import type { Env } from '@operon/kit/config'
import { openBus, openCache, openVerifier } from '@operon/kit/open'
import { freePort } from '@operon/kit/ports'
import { serveMetrics } from '@operon/kit/scrape'
import { createInfra, type Infra, prepareService, type RunningService } from '@operon/kit/service'
import { createLogger } from '@operon/kit/telemetry'
import { takeDataDir } from './data-dir.ts'
import { keepPostgres } from './database.ts'
import { demandPort, exitWith, launcherEnv, stopOnSignals } from './launcher.ts'
import { readable, say } from './log.ts'
import { checkEnv, chosenServices, loadDefinitions } from './services.ts'
import { buildWebIfChanged, webDist } from './web.ts'

export type AllInOne = {
  url: string
  services: Record<string, RunningService>
  /** Drains and stops everything, the database last. */
  stop(): Promise<void>
  /** Where this machine reaches it, whatever PUBLIC_URL says. */
  address: string
}
type AllInOneOptions = {
  env: Env
  /** The services to start; those of `SERVICES`, or all of them, when absent. */
  services?: readonly ServiceName[]
  web?: boolean
  /** Off where the caller holds DATA_DIR already. */
  lock?: boolean
  log?: (line: string) => void
}

/** The gateway and every service in this one process, on embedded PostgreSQL unless DATABASE_URL names a server. */
export async function startAllInOne({
  env: given,
  services: names = chosenServices(given),
  web = true,
  lock = true,
  log = () => {},
}: AllInOneOptions): Promise<AllInOne> {
  const definitions = await loadDefinitions(names)
  const asked = checkEnv(given, definitions)
  const port = asked.PORT || (await freePort())
  const env: Env = { ...given, PORT: String(port), DATA_DIR: resolve(asked.DATA_DIR) }
  await demandPort(port, asked.HOST)

  // Started parts are stopped in reverse, whether the start fails halfway or the end has come.
  const undo: (() => unknown)[] = []
  const unwind = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    if (lock) undo.push(takeDataDir(env.DATA_DIR!))
    // WEB_DIST names a built app to serve as it is.
    const building = web && !env.WEB_DIST ? buildWebIfChanged(log) : Promise.resolve()
    building.catch(() => {})
    if (!asked.DATABASE_URL) {
      const postgres = await keepPostgres({ dataDir: env.DATA_DIR!, log })
      undo.push(postgres.stop)
      env.DATABASE_URL = postgres.url
    }
    const written = (line: string) => log(asked.LOG_FORMAT === 'json' ? line.trimEnd() : readable(line.trimEnd()))
    const infra = await createInfra(env, { log: createLogger(asked.LOG_LEVEL, { write: written }) })
    const scraped = await serveMetrics(infra.config, infra.metrics)
    undo.push(() => scraped?.close())
    const services = await prepareAll(definitions, infra)
    undo.push(() => Promise.all(services.map((service) => service.close())))
    undo.push(() => Promise.all(services.map((service) => service.drain())))
    for (const service of services) await service.start()
    await building

    const gateway = await openGateway(infra, services)
    undo.push(gateway.close, gateway.drain)
    return {
      url: infra.config.PUBLIC_URL,
      address: `http://${['0.0.0.0', '::'].includes(asked.HOST) ? '127.0.0.1' : asked.HOST}:${port}`,
      services: Object.fromEntries(services.map((service) => [service.name, service])),
      stop: unwind,
    }
  } catch (error) {
    await unwind()
    throw error
  }
}

async function prepareAll(definitions: Parameters<typeof prepareService>[0][], infra: Infra): Promise<RunningService[]> {
  const results = await Promise.allSettled(definitions.map((definition) => prepareService(definition, infra)))
  const prepared = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failure = results.find((result) => result.status === 'rejected')
  if (!failure) return prepared
  for (const service of prepared) await service.close()
  throw failure.reason
}

/** The public door of services that run in this process. */
export async function openGateway(infra: Infra, services: RunningService[]) {
  const log = infra.log.child({ service: 'gateway' })
  const bus = await openBus(infra, { service: 'gateway', db: undefined as never, log })
  const cache = await openCache(infra)
  const verifier = openVerifier(infra, bus)
  const upstreams = Object.fromEntries(services.map((service) => [service.name, { kind: 'local', app: service.app, ready: service.ready }]))
  const known = { pages: marketplacePages(infra, bus), shared: sharedByMedia(infra, bus), counters: countersOf(infra, bus) }
  const gateway = await startGateway({ ...infra, ...known, log, upstreams, webDist: infra.env.WEB_DIST ?? webDist, bus, cache, verifier })
  await bus.start()
  return {
    drain: () => gateway.drain(),
    async close() {
      await gateway.close()
      await bus.close()
      await cache.close()
    },
  }
}

async function main() {
  const started = Date.now()
  say(`operon: starting (pid ${process.pid})`)
  const env = launcherEnv({ LOG_LEVEL: 'warn' })
  const starting = startAllInOne({ env, log: say })
  stopOnSignals(() => starting.then((running) => running.stop()))
  const running = await starting.catch(exitWith)
  await announce(running, env, Date.now() - started)
}

async function announce({ url, address }: AllInOne, env: Env, tookMs: number) {
  const request = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
  const info = (await fetch(`${address}/functions/v1/platform-info`, request).then((response) => response.json())) as {
    sandboxed?: ThirdParty[]
  }
  say(`\n  Operon is ready at ${url}  (${(tookMs / 1000).toFixed(1)} s)`)
  if (info.sandboxed?.length) {
    say(`  In the sandbox, since they have no keys: ${info.sandboxed.map((name) => thirdParties[name]).join(', ')}`)
    say(`  Mail and SMS arrive at ${url}/sandbox/inbox`)
  }
  say(`  Data is in ${resolve(env.DATA_DIR ?? '.operon')}`)
  say('  Stop with Ctrl-C\n')
}

if (import.meta.main) await main()
