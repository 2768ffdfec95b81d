import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'
import { SetupError } from '../config.ts'
import { isTls, patiently, START_WAIT_MS } from '../patience.ts'
import type { Logger } from '../telemetry.ts'

/** One connection a process, that comes back by itself for as long as the process lives. */
export type Nats = {
  nc: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
  connected(): boolean
  onReconnect(run: () => void): () => void
  close(): Promise<void>
}

export const PUBLISH_TIMEOUT_MS = 5_000

export async function connectNats(url: string, log: Logger, withinMs = START_WAIT_MS): Promise<Nats> {
  const nc = await firstConnection(url, log, withinMs)
  const reconnects = new Set<() => void>()
  let connected = true
  void (async () => {
    for await (const { type } of nc.status()) {
      if (type === 'disconnect') connected = false
      if (type === 'disconnect' || type === 'reconnect') log.warn(`NATS: ${type}`)
      if (type !== 'reconnect') continue
      connected = true
      for (const run of reconnects) run()
    }
    connected = false
  })()
  return {
    nc,
    js: jetstream(nc, { timeout: PUBLISH_TIMEOUT_MS }),
    jsm: await jetstreamManager(nc, { checkAPI: false, timeout: PUBLISH_TIMEOUT_MS }),
    connected: () => connected,
    onReconnect(run) {
      reconnects.add(run)
      return () => reconnects.delete(run)
    },
    close: () => nc.close(),
  }
}

/** `nats://user:secret@a:4222,nats://b:4222`: any server of a cluster, the credentials of the first; `tls://` takes nothing in the clear. */
export function readNatsUrl(text: string): ConnectionOptions & { servers: string[] } {
  const addresses = text.split(',').map((each) => each.trim())
  const [first, ...others] = addresses.map((each) => parse(each.includes('://') ? each : `nats://${each}`))
  if (others.some(({ protocol, username }) => protocol !== first!.protocol || (username && username !== first!.username)))
    throw new SetupError('BUS_URL: its servers must share one scheme and one account')
  const { protocol, username, password } = first!
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
  return {
    servers: [first!, ...others].map(({ hostname, port }) => `${hostname}:${port || 4222}`),
    ...(user && (pass ? { user, pass } : { token: user })),
    ...(protocol === 'tls:' && { tls: {} }),
  }
}

function parse(address: string): URL {
  if (!URL.canParse(address)) throw new SetupError('BUS_URL: is not an address, as in nats://user:secret@host:4222')
  return new URL(address)
}

function firstConnection(url: string, log: Logger, withinMs: number): Promise<NatsConnection> {
  const options = readNatsUrl(url)
  return patiently({
    what: `NATS at ${options.servers.join(', ')}`,
    log,
    withinMs,
    isFinal: (error) => isTls(error) || /authorization|does not support 'tls'/i.test((error as Error).message),
    open: () =>
      connect({
        ...options,
        name: 'operon',
        maxReconnectAttempts: -1,
        // A server that refuses us today may have learned the account tomorrow.
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: 250,
        reconnectJitter: 100,
        pingInterval: 10_000,
        maxPingOut: 2,
        timeout: 3_000,
      }),
  })
}
