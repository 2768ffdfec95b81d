import { once } from 'node:events'
import type { FastifyReply } from 'fastify'

export type EventStream = ReturnType<typeof openStream>

/** Server-sent events to one reader, at the reader's own speed. */
export function openStream(reply: FastifyReply) {
  reply.hijack()
  const res = reply.raw
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  return {
    get closed() {
      return res.destroyed
    },
    async send(event: string, data: unknown): Promise<void> {
      if (res.destroyed || res.writableEnded) return
      if (!res.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)) await Promise.race([once(res, 'drain'), once(res, 'close')])
    },
    end() {
      res.end()
    },
  }
}
