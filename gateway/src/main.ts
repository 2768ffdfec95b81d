import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SetupError } from '@operon/kit/config'
import { stopOnSignal } from '@operon/kit/main'
import { openBus, openCache, openVerifier } from '@operon/kit/open'
import { serveMetrics } from '@operon/kit/scrape'
import { createInfra } from '@operon/kit/service'
import { flushTraces } from '@operon/kit/tracing'
import { countersOf } from './figures.ts'
import { marketplacePages } from './frames.ts'
import { startGateway } from './gateway.ts'
import { sharedByMedia } from './shared.ts'
import { upstreamsFromEnv } from './upstreams.ts'

const STARTED_MS = 30_000

/** The gateway as a process of its own: services at UPSTREAM_<SERVICE>, broadcasts and keys over the bus. */
async function main() {
  const infra = await createInfra(process.env)
  const log = infra.log.child({ service: 'gateway' })
  // Broadcasts and questions only: what needs a database stays with the services.
  const bus = await openBus(infra, { service: 'gateway', db: undefined as never, log })
  const cache = await openCache(infra)
  const verifier = openVerifier(infra, bus)
  const webDist = process.env.WEB_DIST ?? new URL('../../web/dist', import.meta.url).pathname
  const gateway = await startGateway({
    ...infra,
    log,
    bus,
    cache,
    verifier,
    webDist,
    pages: marketplacePages(infra, bus),
    shared: sharedByMedia(infra, bus),
    counters: countersOf(infra, bus),
    upstreams: upstreamsFromEnv(infra.env),
  })
  await bus.start()
  const stopAsking = verifier.askUntilTold()
  const scraped = await serveMetrics(infra.config, infra.metrics)
  log.info({ address: gateway.url }, 'ready')
  setTimeout(collectGarbage, STARTED_MS).unref()
  stopOnSignal(async () => {
    stopAsking()
    scraped?.close()
    await gateway.drain()
    await gateway.close()
    await bus.drain()
    await bus.close()
    await cache.close()
    await flushTraces()
  })
}

/** A start leaves 100 MB of garbage. V8 would collect it once the process rests, but a gateway never does. */
function collectGarbage() {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

main().catch((error: unknown) => {
  console.error(error instanceof SetupError ? `gateway: ${error.message}` : error)
  process.exit(1)
})
