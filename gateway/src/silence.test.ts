import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { endSilent } from './silence.ts'
import { raw } from './testing/start.ts'

test('a connection on which nothing moves is ended: soon when it is idle, later while an answer is awaited', async () => {
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => (request.url === '/wait' ? waiting.push(response) : response.end('done')))
  const stop = endSilent(server, { idleMs: 60, busyMs: 300, everyMs: 20 })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const lasted = async (path: string) => {
    const began = performance.now()
    const answer = await raw(port, `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
    return { ms: performance.now() - began, answer }
  }
  const [idle, busy] = await Promise.all([lasted('/'), lasted('/wait')])
  expect(idle.answer).toContain('done')
  expect(busy.answer).toBe('')
  expect(busy.ms).toBeGreaterThanOrEqual(250)
  expect(idle.ms).toBeLessThan(busy.ms)
  stop()
  server.close()
})
