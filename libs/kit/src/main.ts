import { chmod, rm } from 'node:fs/promises'
import { Server as NetServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { databaseUrl, readKitConfig, SetupError } from './config.ts'
import { ensureDatabase } from './db.ts'
import { migrate } from './migrate.ts'
import { patienceOf } from './open.ts'
import { serveMetrics, showsMetricsToken } from './scrape.ts'
import { createInfra, type Infra, prepareService, type RunningService, type ServiceDefinition } from './service.ts'
import { createLogger } from './telemetry.ts'
import { VERSION } from './version.ts'

/** Runs one service as a process of its own: `LISTEN` is a socket (`unix:/path`) or an address (`host:port`); HOST and PORT otherwise. */
export async function runMain(definition: ServiceDefinition): Promise<void> {
  try {
    if (process.argv.includes('--migrate')) return await migrateOnly(definition)
    const infra = await createInfra(process.env)
    const service: RunningService = await prepareService(
      {
        ...definition,
        setup: (rt) => {
          probes(rt.app, infra, () => service)
          return definition.setup(rt)
        },
      },
      infra,
    )
    await service.start()
    const scraped = await serveMetrics(infra.config, infra.metrics)
    const address = await listen(service.app, process.env.LISTEN, infra.config)
    infra.log.info({ service: definition.name, address }, 'ready')
    stopOnSignal(async () => {
      await quietHttp(service.app, process.env.LISTEN)
      scraped?.close()
      await service.drain()
      await service.close()
    })
  } catch (error) {
    console.error(error instanceof SetupError ? `${definition.name}: ${error.message}` : error)
    process.exit(1)
  }
}

/** For a release that changes its databases before its processes: `main.ts --migrate`. */
async function migrateOnly({ name, migrations }: ServiceDefinition): Promise<void> {
  const config = readKitConfig(process.env)
  const log = createLogger(config.LOG_LEVEL).child({ service: name })
  const url = databaseUrl(config, process.env, name)
  await ensureDatabase(url, patienceOf(config, log))
  await migrate(url, migrations, log)
  log.info('migrated')
}

/** `begins` promises the gateway that a request with `x-operon-begin-by` is treated as `begin.ts` says. Fastify takes routes only before it is ready, the service is there only after. */
function probes(app: FastifyInstance, { metrics, config }: Infra, service: () => RunningService) {
  app.get('/healthz', () => ({ ok: true }))
  app.get('/readyz', async (_request, reply) => {
    const state = await service().ready()
    return reply.code(state.ok ? 200 : 503).send({ ...state, version: VERSION, begins: true })
  })
  if (config.METRICS_PORT !== undefined) return
  app.get('/metrics', async (request, reply) => {
    if (config.METRICS_TOKEN && !showsMetricsToken(config, request.headers)) return reply.code(401).send()
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}

async function listen(app: FastifyInstance, where: string | undefined, { HOST, PORT }: { HOST: string; PORT: number }): Promise<string> {
  if (where?.startsWith('unix:')) {
    const path = where.slice(5)
    // Left by a process that was killed; the launcher gives each instance a path of its own.
    await rm(path, { force: true })
    await app.listen({ path })
    await chmod(path, 0o600)
    return where
  }
  const [host, port] = where ? [where.slice(0, where.lastIndexOf(':')), Number(where.slice(where.lastIndexOf(':') + 1))] : [HOST, PORT]
  return app.listen({ host, port })
}

/** Answers that are still being written get so long. */
const ANSWERS_WITHIN_MS = 8_000
/** Longer than any caller keeps an idle connection: Node lets them for 5 s. */
const LINGER_MS = 6_000
/** A caller that had connected before the address was gone is let in. */
const KNOCKED_MS = 100

/**
 * Nobody new gets in, and whoever reuses a connection is still answered and learns that it was the last. Idle ones are left for their callers
 * to close: closing them here would cut off the request that is just on its way, which its sender cannot repeat.
 */
async function quietHttp({ server }: FastifyInstance, where: string | undefined) {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  if (where?.startsWith('unix:')) {
    await rm(where.slice(5), { force: true })
    await wait(KNOCKED_MS)
  }
  // Only the listening: http's own close also closes what is idle.
  NetServer.prototype.close.call(server)
  const connections = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)))
  const began = Date.now()
  while ((await connections()) > 0 && Date.now() - began < ANSWERS_WITHIN_MS) {
    await wait(50)
    if (Date.now() - began > LINGER_MS) server.closeIdleConnections()
  }
}

/** Drains on the first SIGINT or SIGTERM, leaves at once on the second, and never hangs longer than `withinMs`. */
export function stopOnSignal(stop: () => Promise<void>, withinMs = 24_000) {
  let stopping = false
  const onSignal = () => {
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), withinMs).unref()
    stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}
