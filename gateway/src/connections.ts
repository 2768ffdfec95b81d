import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Watched = Socket & { _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null }
type Watch = { bytes: number; read: number; quietMs: number; behindMs: number; leavingMs: number | null }
/** `slowMs`: how far behind `BYTES_PER_S` the body of a call may fall. */
export type Patience = { idleMs: number; busyMs: number; slowMs: number; leavingMs: number; everyMs: number }
export type Connections = {
  /** Says the last words of this side and reads on into nothing, so that they reach a caller who is still sending. */
  leave(socket: Socket, lastWords?: string): void
  /** Somebody else looks after this one from now on. */
  release(socket: Socket): void
  close(): void
}

/** The lowest average rate at which a body may arrive; a long upload may take as long as it needs. */
const BYTES_PER_S = 1024
/** A caller that goes on sending has this many times the patience for a silent one. */
const LEAVING_AT_MOST = 6

/**
 * Ends connections of callers on which nothing moves. Node's own timers are wound up anew with each request and each write;
 * a look at all connections now and then is as good and costs a request nothing. (Slow heads are the parser's to end.)
 */
export function watchConnections(server: Server, { idleMs, busyMs, slowMs, leavingMs, everyMs }: Patience): Connections {
  server.timeout = 0
  server.keepAliveTimeout = 0
  const seen = new Map<Watched, Watch>()
  server.on('connection', (socket: Watched) => {
    seen.set(socket, { bytes: 0, read: 0, quietMs: 0, behindMs: 0, leavingMs: null })
    socket.on('close', () => seen.delete(socket))
    // Node calls this after the last answer of a connection. Closing while the caller sends would take that answer from it again.
    socket.destroySoon = () => leave(socket)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseUnreadable(error, socket as Watched))

  function leave(socket: Watched, lastWords = '') {
    const watch = seen.get(socket)
    if (!watch || watch.leavingMs !== null) return
    watch.leavingMs = 0
    // One that has been taken from the server has nobody left to hear of its errors.
    socket.on('error', () => socket.destroy())
    socket.end(lastWords, 'latin1')
    socket.resume()
  }

  /** Bytes that the parser refuses never become a request. */
  function refuseUnreadable(error: NodeJS.ErrnoException, socket: Watched) {
    if (!error.code?.startsWith('HPE_') && error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return void socket.destroy()
    const watch = seen.get(socket)
    if (!watch || watch.leavingMs !== null || !socket.writable) return
    const answer = socket._httpMessage
    if (!answer) return leave(socket, wordsFor(error))
    // The earlier calls of this connection arrived whole, so they are answered first.
    if (answer.req.complete) {
      if (!unreadable.has(answer)) answer.once('close', () => refuseUnreadable(error, socket))
      return void unreadable.add(answer)
    }
    // The body of this call is broken, so the part of its answer already sent must not look complete.
    if (!answer.headersSent) socket.end(wordsFor(error), 'latin1')
    if (socket.writableFinished || answer.headersSent) socket.destroy()
    else socket.once('finish', () => socket.destroy())
  }

  /** Counts only the time spent waiting for the caller: unread bytes here wait for the service. A fast sender earns no extra time. */
  function isTooSlow(socket: Watched, watch: Watch): boolean {
    const came = socket.bytesRead - watch.read
    watch.read = socket.bytesRead
    const request = socket._httpMessage?.req
    if (!request || request.complete || request.readableLength > 0 || watch.leavingMs !== null) watch.behindMs = 0
    else watch.behindMs = Math.max(0, watch.behindMs + everyMs - (came * 1000) / BYTES_PER_S)
    return watch.behindMs >= slowMs
  }

  const looking = setInterval(() => {
    for (const [socket, watch] of seen) {
      const bytes = socket.bytesRead + socket.bytesWritten
      watch.quietMs = bytes === watch.bytes ? watch.quietMs + everyMs : 0
      watch.bytes = bytes
      if (isTooSlow(socket, watch)) refuseUnreadable({ code: 'ERR_HTTP_REQUEST_TIMEOUT' } as NodeJS.ErrnoException, socket)
      if (watch.leavingMs !== null) watch.leavingMs += everyMs
      const patience = watch.leavingMs !== null ? leavingMs : socket._httpMessage ? busyMs : idleMs
      if (watch.quietMs >= patience || (watch.leavingMs ?? 0) >= leavingMs * LEAVING_AT_MOST) socket.destroy()
    }
  }, everyMs).unref()

  return {
    leave,
    release(socket: Partial<Socket>) {
      seen.delete(socket as Socket)
      delete socket.destroySoon
    },
    close() {
      clearInterval(looking)
      for (const socket of seen.keys()) socket.destroy()
    },
  }
}

const unreadable = new WeakSet<ServerResponse>()

const statuses: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}
const wordsFor = ({ code }: NodeJS.ErrnoException) => refusal(statuses[code ?? ''] ?? '400 Bad Request')

/** An answer where there is no request that one could be given to. */
export const refusal = (status: string) => `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`
