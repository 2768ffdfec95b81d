import { timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { hashOfKey } from './keys.ts'
import type { Metrics } from './metrics.ts'

type Settings = { METRICS_TOKEN?: string | undefined; METRICS_PORT?: number | undefined; HOST: string }
type Headers = { authorization?: string | undefined; apikey?: string | string[] | undefined }

/** Whether a caller shows METRICS_TOKEN, as Prometheus' `authorization` sends it. */
export function showsMetricsToken({ METRICS_TOKEN: token }: Pick<Settings, 'METRICS_TOKEN'>, { authorization }: Headers): boolean {
  const given = authorization?.replace(/^bearer /i, '')
  return token !== undefined && given !== undefined && timingSafeEqual(Buffer.from(hashOfKey(given)), Buffer.from(hashOfKey(token)))
}

/** A server for `/metrics` alone, which the public door does not reach. Null where METRICS_PORT is not set. */
export async function serveMetrics(settings: Settings, { registry }: Metrics): Promise<{ port: number; close(): void } | null> {
  const { METRICS_PORT: port, METRICS_TOKEN, HOST: host } = settings
  if (port === undefined) return null
  const server = createServer(async ({ url, headers }, response) => {
    if (url !== '/metrics') return response.writeHead(404).end()
    if (METRICS_TOKEN && !showsMetricsToken(settings, headers)) return response.writeHead(401).end()
    const text = await registry.metrics()
    response.writeHead(200, { 'content-type': registry.contentType }).end(text)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host, port }, resolve))
  server.unref()
  return { port, close: () => void server.close() }
}
