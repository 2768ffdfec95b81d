import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Hears what is sent to it, and who connects. */
export async function startListener(host = '127.0.0.1') {
  const heard: string[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    heard.push(`${request.method} ${request.url}\n${(await request.toArray().catch(() => [])).join('')}`)
    response.setHeader('content-type', 'application/json').end('{}')
  })
  server.on('connection', () => connections++)
  await new Promise<void>((ready) => server.listen(0, host, ready))
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    connections: () => connections,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
