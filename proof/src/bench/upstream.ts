// The small service that every proxy stands before: a JSON answer of a kilobyte, and a stream of numbered events.
import { createServer, type ServerResponse } from 'node:http'

const { port, eventEveryMs, events } = JSON.parse(process.argv[2]!) as { port: number; eventEveryMs: number; events: number }
const body = JSON.stringify({
  rows: Array.from({ length: 10 }, (_, i) => ({
    id: i,
    command: 'Wrote a product description',
    status: 'completed',
    at: '2026-11-21T09:00:00Z',
  })),
})
const head = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body), 'content-range': '0-9/*' }
const streams = new Map<ServerResponse, number>()

const server = createServer((request, response) => {
  if (!request.url!.includes('stream')) return void response.writeHead(200, head).end(body)
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.write(': open\n\n')
  streams.set(response, 0)
  response.on('close', () => streams.delete(response))
})
server.keepAliveTimeout = 60_000
setInterval(() => {
  for (const [response, sent] of streams) {
    if (sent >= events) continue
    response.write('data: #\n\n')
    streams.set(response, sent + 1)
  }
}, eventEveryMs)
server.listen({ port, host: '127.0.0.1', backlog: 4096 }, () => process.send!('ready'))
