import { setTimeout as wait } from 'node:timers/promises'
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { messageOf } from '../inbox.ts'
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

export async function connectNats(url: string, log: Logger): Promise<Nats> {
  const nc = await firstConnection(url, log)
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

async function firstConnection(url: string, log: Logger): Promise<NatsConnection> {
  const { hostname, port, username, password } = new URL(url)
  const options = {
    servers: `${hostname}:${port || 4222}`,
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
  }
  for (;;) {
    try {
      return await connect({
        ...options,
        name: 'operon',
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
        reconnectJitter: 100,
        pingInterval: 10_000,
        maxPingOut: 2,
        timeout: 3_000,
      })
    } catch (err) {
      log.warn({ err: messageOf(err), server: options.servers }, 'NATS does not answer, will try again')
      await wait(1000)
    }
  }
}
