import type { Server } from 'node:http'
import type { Socket } from 'node:net'

type Watched = Socket & { _httpMessage?: unknown }
type Patience = { idleMs: number; busyMs: number; everyMs: number }

/**
 * Ends connections of callers on which nothing moves. Node's own timers are wound up anew with each request and each write;
 * a look at all connections now and then is as good and costs a request nothing. (Slow heads and bodies are the parser's to end.)
 */
export function endSilent(server: Server, { idleMs, busyMs, everyMs }: Patience): () => void {
  server.timeout = 0
  server.keepAliveTimeout = 0
  const seen = new Map<Watched, { bytes: number; quietMs: number }>()
  server.on('connection', (socket: Watched) => {
    seen.set(socket, { bytes: 0, quietMs: 0 })
    socket.on('close', () => seen.delete(socket))
  })
  // Sockets of pages are watched by those who talk to them.
  server.on('upgrade', (_request, socket) => seen.delete(socket as Socket))

  const looking = setInterval(() => {
    for (const [socket, last] of seen) {
      const bytes = socket.bytesRead + socket.bytesWritten
      last.quietMs = bytes === last.bytes ? last.quietMs + everyMs : 0
      last.bytes = bytes
      if (last.quietMs >= (socket._httpMessage ? busyMs : idleMs)) socket.destroy()
    }
  }, everyMs).unref()
  return () => clearInterval(looking)
}
