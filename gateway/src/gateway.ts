import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { endpointsOf, shapesOf, tablesOf } from '@operon/contracts/registry'
import { serviceNames } from '@operon/contracts/services'
import { callerAt } from '@operon/kit/addresses'
import type { TokenVerifier } from '@operon/kit/auth'
import type { Cache } from '@operon/kit/cache/cache'
import { type Env, type KitConfig, readEnv, sandboxIsOpen } from '@operon/kit/config'
import { Limits } from '@operon/kit/limits'
import type { Metrics } from '@operon/kit/metrics'
import type { Logger } from '@operon/kit/telemetry'
import { VERSION } from '@operon/kit/version'
import { addressReader } from './addresses.ts'
import { Callers } from './callers.ts'
import { type Patience, refusal, watchConnections } from './connections.ts'
import type { Lookup } from './discovery.ts'
import { type Counters, Figures } from './figures.ts'
import { type PageAt, readDrawing } from './frames.ts'
import { createHandler } from './handle.ts'
import { securityHeaders } from './headers.ts'
import { type Broadcasts, createLive } from './live.ts'
import { Meter } from './meter.ts'
import { operations, type Platform } from './operations.ts'
import { referencePages } from './reference.ts'
import { compileRoutes, type Spoken } from './routes.ts'
import { GatewaySettings } from './settings.ts'
import type { SharedAt } from './shared.ts'
import { openUpstreams, type Upstreams, upstreamStates } from './upstreams.ts'
import { type Contacts, inlineScriptHashes, serveWeb } from './web.ts'

export type GatewayOptions = {
  config: KitConfig
  env: Env
  log: Logger
  metrics: Metrics
  upstreams: Upstreams
  /** The built web app; a plain page stands in for it. */
  webDist?: string
  /** Where broadcasts are heard. Registered here before it is started; the caller starts and closes it. */
  bus: Broadcasts
  cache: Cache
  verifier: TokenVerifier
  /** The contracts to serve: the registry, unless a test brings its own. */
  spoken?: Spoken[]
  /** Finds the owner of a page's address, for pages that many people have. */
  pages?: PageAt
  /** The picture behind a public link. */
  shared?: SharedAt
  counters?: Counters
  /** Resolves the name of a service: the machine's resolver, unless a test brings its own. */
  lookup?: Lookup
  live?: { authWithinMs?: number; pingEveryMs?: number; waitingAtMost?: number }
  patience?: Partial<Patience>
}

export type Gateway = { server: Server; url: string; drain(): Promise<void>; close(): Promise<void> }

const registry = (config: KitConfig): Spoken[] =>
  [...serviceNames, 'gateway' as const]
    .filter((service) => service !== 'sandbox' || sandboxIsOpen(config))
    .map((service) => ({
      service,
      endpoints: endpointsOf(service),
      tables: tablesOf(service),
      shapes: shapesOf(service),
    }))

/** The public door: a bare HTTP server, since everything that passes through would pay for a framework's lifecycle. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, env, log, metrics, bus, cache, verifier } = options
  const settings = readEnv(GatewaySettings, env)
  const spoken = options.spoken ?? registry(config)
  let draining = false
  const isDraining = () => draining

  const callers = new Callers(verifier, config.PUBLISHABLE_KEYS.split(','))
  verifier.listenTo(bus)
  const upstreams = openUpstreams(options.upstreams, settings, { lookup: options.lookup, log })
  const leaveUpstreams = metrics.upstreams(() => upstreamStates(upstreams))
  const meter = new Meter(metrics, config.ACCESS_LOG === 'on' ? log.child({}, { level: 'info' }) : null)
  const leaveMeter = metrics.inFlight(() => [{ labels: { service: 'gateway' }, value: meter.running }])
  const addresses = addressReader(config.TRUSTED_PROXIES)
  const limits = new Limits(settings, cache, log)
  const live = createLive({ config, settings, log, metrics, verifier, broadcasts: bus, ...options.live })
  const platform = platformOf(config, env)
  const own = operations({ config, metrics, verifier, upstreams, busReady: () => bus.ready?.() ?? true, draining: isDraining, platform })
  const response = async () => responseWithin(metrics.requests.within('gateway', 0.95))
  const figures = new Figures(settings.LIVE_FIGURES, { response, ...options.counters }, log)
  for (const [path, page] of referencePages({ config, spoken })) own.set(path, page)

  const handle = createHandler({
    config,
    settings,
    log,
    metrics,
    meter,
    upstreams,
    callers,
    own,
    limits,
    addresses,
    routes: compileRoutes(spoken, { maxUploadBytes: settings.MAX_UPLOAD_BYTES }),
    web: serveWeb(options.webDist ?? '', {
      publicUrl: config.PUBLIC_URL,
      productName: config.PRODUCT_NAME,
      contacts: contactsOf(config, settings),
      headers: securityHeaders(config, inlineScriptHashes(options.webDist)),
      pages: options.pages,
      shared: options.shared,
      drawing: await readDrawing(options.webDist ?? ''),
      log,
      figures,
    }),
    draining: isDraining,
  })

  const server = createServer({
    insecureHTTPParser: false,
    requireHostHeader: true,
    headersTimeout: 15_000,
    // Not by the time that a body takes but by how fast it comes: see `connections.ts`.
    requestTimeout: 0,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: 32 * 1024,
    noDelay: true,
    // A request without a body needs no stream that ends, but a service in this process may wait for that end.
    optimizeEmptyRequests: Object.values(options.upstreams).every(({ kind }) => kind === 'remote'),
    shouldUpgradeCallback: mayUpgrade,
  } as Parameters<typeof createServer>[0])
  const patience = { idleMs: 65_000, busyMs: 310_000, slowMs: 30_000, leavingMs: 5_000, everyMs: 5_000, ...options.patience }
  const connections = watchConnections(server, patience)
  // The bytes behind a request for another protocol may be of that protocol: they are nobody's next request.
  const speaksOtherwise = new WeakSet<Socket>()
  const onRequest = (request: IncomingMessage, response: ServerResponse, waitsForContinue = false) => {
    const { socket } = request
    // After the last answer of a connection nothing more is taken from it.
    if (!socket.writable || speaksOtherwise.has(socket)) return
    if (request.headers.upgrade !== undefined) {
      speaksOtherwise.add(socket)
      response.shouldKeepAlive = false
    }
    handle(request, response, waitsForContinue)
  }
  server.on('request', (request, response) => onRequest(request, response))
  server.on('checkContinue', (request, response) => onRequest(request, response, true))
  server.on('upgrade', (request, socket: Socket, head) => {
    const client = callerAt(addresses.client(socket.remoteAddress, request.headers['x-forwarded-for']))
    const refused = draining ? '503 Service Unavailable' : limits.isOver(client) ? '429 Too Many Requests' : live.refuses(request)
    if (refused) return connections.leave(socket, refusal(refused))
    connections.release(socket)
    live.upgrade(request, socket, head, client)
  })

  await listen(server, config)
  const { port } = server.address() as AddressInfo
  const url = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`

  async function drain() {
    if (draining) return
    draining = true
    live.drain()
    server.close()
    server.closeIdleConnections()
    const late = new Promise<void>((resolve) => setTimeout(resolve, settings.DRAIN_MS).unref())
    await Promise.race([meter.idle(), late])
  }

  return {
    server,
    url,
    drain,
    async close() {
      await drain()
      leaveUpstreams()
      leaveMeter()
      live.close()
      figures.close()
      server.closeAllConnections()
      connections.close()
      await upstreams.close()
    },
  }
}

/** At its one address and in its turn; anything else that asks for another protocol is answered in this one. */
function mayUpgrade({ url, headers, socket }: IncomingMessage): boolean {
  const isAnswering = Boolean((socket as Socket & { _httpMessage?: unknown })._httpMessage)
  return url === '/live' && headers.upgrade?.toLowerCase() === 'websocket' && !isAnswering
}

function listen(server: Server, { HOST, PORT }: KitConfig): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: HOST, port: PORT, backlog: 4096 }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function responseWithin(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) throw new Error('too few requests, or too slow ones, to say how fast they are')
  return `< ${seconds}s`
}

function contactsOf({ PUBLIC_URL }: KitConfig, settings: GatewaySettings): Contacts {
  const { hostname } = new URL(PUBLIC_URL)
  const at = /\.[a-z]+$/i.test(hostname) ? hostname : 'operon.example'
  return {
    CONTACT_EMAIL: settings.CONTACT_EMAIL ?? `hello@${at}`,
    SUPPORT_EMAIL: settings.SUPPORT_EMAIL ?? `support@${at}`,
    SECURITY_EMAIL: settings.SECURITY_EMAIL ?? `security@${at}`,
  }
}

function platformOf(config: KitConfig, env: Env): Platform {
  const demo = ['1', 'true', 'on'].includes(env.DEMO_ACCOUNTS ?? '')
  return { product_name: config.PRODUCT_NAME, version: VERSION, demo_accounts: demo }
}
