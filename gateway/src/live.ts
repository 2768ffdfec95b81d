import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { eventTold } from '@operon/contracts/analytics/events'
import * as identity from '@operon/contracts/identity/events'
import { liveBroadcasts } from '@operon/contracts/registry'
import { isHalfSignedIn } from '@operon/kit/access'
import type { TokenVerifier } from '@operon/kit/auth'
import { now } from '@operon/kit/clock'
import type { KitConfig } from '@operon/kit/config'
import type { Metrics } from '@operon/kit/metrics'
import type { Logger } from '@operon/kit/telemetry'
import { type WebSocket, WebSocketServer } from 'ws'
import type { GatewaySettings } from './settings.ts'

/** Events for open sockets, heard by every instance because any of them may hold the user's socket. The caller starts and closes it. */
export type Broadcasts = { onBroadcast(name: string, handler: (payload: any) => void): void; ready?(): boolean }
type Options = {
  config: KitConfig
  settings: GatewaySettings
  log: Logger
  metrics: Metrics
  verifier: TokenVerifier
  broadcasts: Broadcasts
  authWithinMs?: number
  pingEveryMs?: number
  waitingAtMost?: number
}

type Person = { userId: string; sessionId: string; expiresAt: number }
/** One open socket: whose it is once it has signed in, and what it has said since it was last looked at. */
type Page = {
  client: string
  person: Person | null
  heard: number
  silent: boolean
  /** The token that waits to be verified; one at a time is. */
  token: string | null
  verifying: boolean
}
const LAGGING_BYTES = 1024 * 1024
const EXPIRED_FOR_MS = 60_000
/** A page says who it is and answers a ping now and then: so many messages from one look to the next are more than it can need. */
const HEARD_AT_MOST = 100
const WAITING_AT_MOST = 2_000
const WAITING_OF_ONE_CALLER = 100
// Close codes of our own: not signed in (any more), too many sockets, too slow.
const UNAUTHORISED = 4401
const TOO_MANY = 4429
const LAGGING = 4408
const TOO_TALKATIVE = 1008

/** `/live`: one socket a page; the first message is the access token, then come the user's topics. */
export function createLive({ config, settings, log, metrics, verifier, broadcasts, ...options }: Options) {
  const { authWithinMs = 5_000, pingEveryMs = 25_000, waitingAtMost = WAITING_AT_MOST } = options
  const server = new WebSocketServer({ noServer: true, maxPayload: 16 * 1024, perMessageDeflate: false, clientTracking: false })
  const pages = new Map<WebSocket, Page>()
  const sockets = new Map<string, Set<WebSocket>>()
  /** The sockets that have not signed in yet, by caller, the oldest first. */
  const waiting = new Map<string, Set<WebSocket>>()
  let knocking = 0
  let signedIn = 0

  for (const { name, live } of liveBroadcasts())
    broadcasts.onBroadcast(name, (payload: { user_id: string }) => tell(payload.user_id, live, payload))
  broadcasts.onBroadcast(eventTold.name, ({ user_id, topic, payload }) => tell(user_id, topic, payload))
  broadcasts.onBroadcast(identity.sessionRevoked.name, ({ user_id, session_id }) =>
    endSession(user_id, (person) => person.sessionId === session_id),
  )
  broadcasts.onBroadcast(identity.sessionsEnded.name, ({ user_id, up_to, kept }) =>
    endSession(user_id, ({ sessionId }) => sessionId <= up_to && sessionId !== kept),
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
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount <= LAGGING_BYTES) return socket.send(message)
    metrics.counter.inc({ service: 'gateway', what: 'live_lagging' })
    socket.send('{"type":"lagging"}')
    socket.close(LAGGING, 'lagging, reload')
    leave(socket)
    setTimeout(() => socket.terminate(), 5_000).unref()
  }

  function endSession(userId: string, matches: (person: Person) => boolean) {
    for (const socket of [...(sockets.get(userId) ?? [])]) {
      if (!matches(pages.get(socket)!.person!)) continue
      socket.send(JSON.stringify({ type: 'event', topic: 'session', payload: { state: 'revoked' } }))
      socket.close(UNAUTHORISED, 'signed out')
      leave(socket)
    }
  }

  function onConnection(socket: WebSocket, client: string) {
    const page: Page = { client, person: null, heard: 0, silent: false, token: null, verifying: false }
    pages.set(socket, page)
    makeRoom(client)
    wait(client, socket)
    const deadline = setTimeout(() => page.person || socket.close(UNAUTHORISED, 'not signed in'), authWithinMs)
    socket.on('message', (data, isBinary) => isHeard(socket, page) && onMessage(socket, page, isBinary ? '' : String(data)))
    socket.on('ping', () => isHeard(socket, page))
    socket.on('pong', () => (page.silent = false))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      clearTimeout(deadline)
      leave(socket)
      pages.delete(socket)
      endWait(client, socket)
    })
  }

  function wait(client: string, socket: WebSocket) {
    const mine = waiting.get(client) ?? new Set()
    waiting.set(client, mine.add(socket))
    knocking++
  }

  function endWait(client: string, socket: WebSocket) {
    const mine = waiting.get(client)
    if (!mine?.delete(socket)) return
    knocking--
    if (mine.size === 0) waiting.delete(client)
  }

  /** The one silent for longest gives way to who knocks: at this caller's own share, or where all are taken at the largest. */
  function makeRoom(client: string) {
    const own = waiting.get(client)
    if (own && own.size >= WAITING_OF_ONE_CALLER) return showOut(client, own)
    if (knocking < waitingAtMost) return
    const [largest, theirs] = [...waiting].reduce((most, each) => (each[1].size > most[1].size ? each : most))
    showOut(largest, theirs)
  }

  function showOut(client: string, theirs: Set<WebSocket>) {
    // One that has sent its token is about to be let in.
    const silent = [...theirs].find((socket) => !pages.get(socket)!.verifying) ?? [...theirs][0]!
    endWait(client, silent)
    silent.close(UNAUTHORISED, 'not signed in')
    setTimeout(() => silent.terminate(), 1_000).unref()
  }

  function isHeard(socket: WebSocket, page: Page): boolean {
    page.silent = false
    page.heard += 1
    if (page.heard > HEARD_AT_MOST) socket.close(TOO_TALKATIVE, 'too many messages')
    return socket.readyState === socket.OPEN
  }

  function onMessage(socket: WebSocket, page: Page, text: string) {
    const message = parse(text)
    if (message?.type === 'ping') return deliver(socket, '{"type":"pong"}')
    if (message?.type !== 'auth' || typeof message.access_token !== 'string')
      return socket.close(page.person ? 1003 : UNAUTHORISED, 'expected {"type":"auth"}')
    page.token = message.access_token
    if (!page.verifying) void verify(socket, page)
  }

  /** The newest token that the page has sent, until there is no newer one: however many it sends, one is looked at and one waits. */
  async function verify(socket: WebSocket, page: Page) {
    page.verifying = true
    while (page.token !== null && socket.readyState === socket.OPEN) {
      const token = page.token
      page.token = null
      await verifier.verify(token).catch(() => null)
      if (socket.readyState !== socket.OPEN) break
      // Asked in the turn that joins it: a socket lasts, and hears of what is taken back only from then on.
      const actor = verifier.known(token)
      if (actor?.kind !== 'user') return socket.close(UNAUTHORISED, 'not signed in')
      if (isHalfSignedIn(actor)) return socket.close(UNAUTHORISED, 'second factor needed')
      const { id: userId, sessionId } = actor
      if (page.person && page.person.userId !== userId) return socket.close(UNAUTHORISED, 'another account')
      const isNew = !page.person
      page.person = { userId, sessionId, expiresAt: expiryOf(token) }
      if (isNew) join(userId, socket, page)
      deliver(socket, '{"type":"ready"}')
    }
    page.verifying = false
  }

  function join(userId: string, socket: WebSocket, { client }: Page) {
    endWait(client, socket)
    const mine = sockets.get(userId) ?? new Set()
    sockets.set(userId, mine)
    mine.add(socket)
    count(+1)
    // The oldest page gives way to the newest.
    if (mine.size > settings.LIVE_SOCKETS_PER_USER) {
      const [oldest] = mine
      oldest!.close(TOO_MANY, 'too many pages')
      leave(oldest!)
    }
  }

  /** Hears nothing more; the socket itself may still be closing. */
  function leave(socket: WebSocket) {
    const person = pages.get(socket)?.person
    const mine = person && sockets.get(person.userId)
    if (!person || !mine?.delete(socket)) return
    if (mine.size === 0) sockets.delete(person.userId)
    count(-1)
  }

  function count(change: number) {
    signedIn += change
    metrics.lag.set({ service: 'gateway', what: 'live_sockets' }, signedIn)
  }

  const keepAlive = setInterval(() => {
    for (const [socket, page] of pages) {
      if (page.silent) {
        socket.terminate()
        continue
      }
      const { person } = page
      if (person && person.expiresAt + EXPIRED_FOR_MS < now()) socket.close(UNAUTHORISED, 'the token has run out')
      else if (person && person.expiresAt < now()) deliver(socket, '{"type":"auth_needed"}')
      page.silent = true
      page.heard = 0
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
    /** Why a socket is not given, before anything is agreed with the caller. */
    refuses(request: IncomingMessage): string | null {
      return isWelcome(request) ? null : '403 Forbidden'
    },
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, client: string) {
      server.handleUpgrade(request, socket, head, (opened) => onConnection(opened, client))
    },
    /** Pages connect again by themselves, to an instance that stays. */
    drain() {
      clearInterval(keepAlive)
      for (const socket of pages.keys()) {
        deliver(socket, '{"type":"reconnect"}')
        socket.close(1012, 'restarting')
      }
    },
    close() {
      clearInterval(keepAlive)
      for (const socket of pages.keys()) socket.terminate()
      server.close((err) => err && log.debug({ err }, 'closing the sockets'))
    },
  }
}

function parse(text: string): { type?: unknown; access_token?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

// Only ever of a token that has just been verified.
function expiryOf(token: string): number {
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { exp: number }
  return exp * 1000
}
