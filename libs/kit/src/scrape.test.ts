import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'
import { serveMetrics } from './scrape.ts'

const free = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

test('metrics on a port of their own ask for the token where one is set, and nothing else is there', async () => {
  const token = 'a-token-of-twenty-characters'
  const served = await serveMetrics({ HOST: '127.0.0.1', METRICS_PORT: await free(), METRICS_TOKEN: token }, createMetrics('1.2.3'))
  try {
    const at = `http://127.0.0.1:${served!.port}`
    const status = (path: string, authorization?: string) =>
      fetch(at + path, { headers: { ...(authorization && { authorization }) } }).then(async (answer) => [
        answer.status,
        await answer.text(),
      ])
    expect((await status('/metrics'))[0]).toBe(401)
    expect((await status('/metrics', `Bearer ${token}x`))[0]).toBe(401)
    expect((await status('/other', `Bearer ${token}`))[0]).toBe(404)
    const [code, text] = await status('/metrics', `Bearer ${token}`)
    expect(code).toBe(200)
    expect(text).toContain('operon_build_info{version="1.2.3"} 1')
  } finally {
    served!.close()
  }
})
