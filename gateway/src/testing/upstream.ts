import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string }
export type TestUpstream = { url: string; server: Server; seen: Seen[]; close(): Promise<void> }

/** A service on a socket of its own that tells back what reached it; `answer` takes over what a test is about. */
export async function testUpstream(
  answer?: (request: IncomingMessage, response: ServerResponse) => boolean | void,
  port = 0,
  said: object = { ok: true, failing: [] },
): Promise<TestUpstream> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    // The gateway's own question whether it is there.
    if (request.url === '/readyz') return void response.end(JSON.stringify(said))
    if (answer?.(request, response)) return
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const one = { method: request.method!, url: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() }
      seen.push(one)
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-powered-by': 'test',
        'x-operon-secret': '1',
        'keep-alive': 'timeout=5',
      })
      response.end(JSON.stringify(one))
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
