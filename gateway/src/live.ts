import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import * as analytics from '@operon/contracts/analytics'
import * as billing from '@operon/contracts/billing'
import * as identity from '@operon/contracts/identity'
import { serviceNames } from '@operon/contracts/services'
import { jobProgress } from '@operon/contracts/usage'
import type { KitConfig } from '@operon/kit/config'
import type { Logger, Metrics } from '@operon/kit/telemetry'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Callers } from './callers.ts'
import type { GatewaySettings } from './settings.ts'

/** What the gateway hears of others, whichever instance has the user's sockets. The caller starts and closes it. */
export type Broadcasts = { onBroadcast(name: string, handler: (payload: any) => void): void; ready?(): boolean }
type Options = {
  config: KitConfig
  settings: GatewaySettings
  log: Logger
  metrics: Metrics
  callers: Callers
  broadcasts: Broadcasts
  authWithinMs?: number
  pingEveryMs?: number
}

type Person = { userId: string; sessionId: string; expiresAt: number }
const LAGGING_BYTES = 1024 * 1024
const EXPIRED_FOR_MS = 60_000
// Close codes of our own: not signed in (any more), too many sockets, too slow.
const UNAUTHORISED = 4401
const TOO_MANY = 4429
const LAGGING = 4408

/** `/live`: one socket a page; the first message is the access token, then come the user's topics. */
export function createLive({ config, settings, log, metrics, callers, broadcasts, authWithinMs = 5_000, pingEveryMs = 25_000 }: Options) {
  const server = new WebSocketServer({ noServer: true, maxPayload: 16 * 1024, perMessageDeflate: false, clientTracking: true })
  const people = new Map<WebSocket, Person>()
  const sockets = new Map<string, Set<WebSocket>>()
  const quiet = new Set<WebSocket>()

  const topics = [
    ['notification', analytics.notificationRaised.name],
    ['activity', analytics.activityRecorded.name],
    ['subscription', billing.subscriptionLive.name],
    ['usage', billing.usageLive.name],
    ...serviceNames.map((service) => ['job', jobProgress(service).name] as const),
  ] as const
  for (const [topic, name] of topics) broadcasts.onBroadcast(name, (payload: { user_id: string }) => tell(payload.user_id, topic, payload))
  broadcasts.onBroadcast(identity.sessionRevoked.name, ({ user_id, session_id }) =>
    endSession(user_id, (person) => person.sessionId === session_id),
  )
  broadcasts.onBroadcast(identity.userSuspended.name, ({ user_id, suspended }) => suspended && endSession(user_id, () => true))

  function tell(userId: string, topic: string, payload: unknown) {
    const mine = sockets.get(userId)
    if (!mine) return
    const message = JSON.stringify({ type: 'event', topic, payload })
    for (const socket of mine) deliver(socket, message)
  }

  // A page that does not read is told to load afresh rather than let to fill this process's memory.
  function deliver(socket: WebSocket, message: string) {
    if (socket.bufferedAmount <= LAGGING_BYTES) return socket.send(message)
    metrics.counter.inc({ service: 'gateway', what: 'live_lagging' })
    socket.send('{"type":"lagging"}')
    socket.close(LAGGING, 'lagging, reload')
    forget(socket)
    setTimeout(() => socket.terminate(), 5_000).unref()
  }

  function endSession(userId: string, matches: (person: Person) => boolean) {
    for (const socket of [...(sockets.get(userId) ?? [])]) {
      if (!matches(people.get(socket)!)) continue
      socket.send(JSON.stringify({ type: 'event', topic: 'session', payload: { state: 'revoked' } }))
      socket.close(UNAUTHORISED, 'signed out')
      forget(socket)
    }
  }

  function onConnection(socket: WebSocket) {
    const deadline = setTimeout(() => socket.close(UNAUTHORISED, 'not signed in'), authWithinMs)
    socket.on('message', (data, isBinary) => void onMessage(socket, isBinary ? '' : String(data), deadline))
    socket.on('pong', () => quiet.delete(socket))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      clearTimeout(deadline)
      forget(socket)
    })
  }

  async function onMessage(socket: WebSocket, text: string, deadline: NodeJS.Timeout) {
    quiet.delete(socket)
    const message = parse(text)
    if (message?.type === 'ping') return socket.send('{"type":"pong"}')
    if (message?.type !== 'auth' || typeof message.access_token !== 'string')
      return socket.close(people.has(socket) ? 1003 : UNAUTHORISED, 'expected {"type":"auth"}')
    const signedIn = await callers.ofToken(message.access_token).catch(() => null)
    if (signedIn?.actor.kind !== 'user') return socket.close(UNAUTHORISED, 'not signed in')
    if (socket.readyState !== socket.OPEN) return
    clearTimeout(deadline)
    const { id: userId, sessionId } = signedIn.actor
    const known = people.get(socket)
    if (known && known.userId !== userId) return socket.close(UNAUTHORISED, 'another account')
    people.set(socket, { userId, sessionId, expiresAt: signedIn.expiresAt })
    if (!known) join(userId, socket)
    socket.send('{"type":"ready"}')
  }

  function join(userId: string, socket: WebSocket) {
    const mine = sockets.get(userId) ?? new Set()
    sockets.set(userId, mine)
    mine.add(socket)
    // The oldest page gives way to the newest.
    if (mine.size > settings.LIVE_SOCKETS_PER_USER) {
      const [oldest] = mine
      oldest!.close(TOO_MANY, 'too many pages')
      forget(oldest!)
    }
    metrics.lag.set({ service: 'gateway', what: 'live_sockets' }, people.size)
  }

  function forget(socket: WebSocket) {
    const person = people.get(socket)
    people.delete(socket)
    quiet.delete(socket)
    if (!person) return
    const mine = sockets.get(person.userId)
    mine?.delete(socket)
    if (mine?.size === 0) sockets.delete(person.userId)
    metrics.lag.set({ service: 'gateway', what: 'live_sockets' }, people.size)
  }

  const keepAlive = setInterval(() => {
    for (const socket of server.clients) {
      if (quiet.has(socket)) {
        socket.terminate()
        continue
      }
      const person = people.get(socket)
      if (person && person.expiresAt + EXPIRED_FOR_MS < Date.now()) socket.close(UNAUTHORISED, 'the token has run out')
      else if (person && person.expiresAt < Date.now()) socket.send('{"type":"auth_needed"}')
      quiet.add(socket)
      socket.ping()
    }
  }, pingEveryMs)
  keepAlive.unref()

  const publicOrigin = new URL(config.PUBLIC_URL).origin

  /** A page of another origin could not read our storage, but it need not be able to knock either. Programs send no origin. */
  function isWelcome({ headers }: IncomingMessage): boolean {
    const { origin, host } = headers
    if (origin === undefined || origin === publicOrigin || settings.LIVE_ORIGINS.includes(origin)) return true
    return URL.canParse(origin) && new URL(origin).host === host
  }

  return {
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, draining: boolean) {
      if (draining) return reject(socket, '503 Service Unavailable')
      if (!isWelcome(request)) return reject(socket, '403 Forbidden')
      if (server.clients.size - people.size > 2_000) return reject(socket, '503 Service Unavailable')
      server.handleUpgrade(request, socket, head, onConnection)
    },
    count: () => server.clients.size,
    /** Pages connect again by themselves, to an instance that stays. */
    drain() {
      clearInterval(keepAlive)
      for (const socket of server.clients) {
        socket.send('{"type":"reconnect"}')
        socket.close(1012, 'restarting')
      }
    },
    close() {
      clearInterval(keepAlive)
      for (const socket of server.clients) socket.terminate()
      server.close((err) => err && log.debug({ err }, 'closing the sockets'))
    },
  }
}

export function reject(socket: Duplex, status: string) {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}

function parse(text: string): { type?: unknown; access_token?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
