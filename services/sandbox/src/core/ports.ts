import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { type Provider, providers } from './faults.ts'

type Listening = { dir: string; bindHost: string; portBase?: number | undefined }

/** Binds each provider to the port it had the last time, so that addresses given out before a restart stay good. */
export async function listenAll(
  servers: Record<Provider, Server>,
  { dir, bindHost, portBase }: Listening,
): Promise<Record<Provider, number>> {
  const path = join(dir, 'ports.json')
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<Provider, number>>) : {}
  const ports = {} as Record<Provider, number>
  for (const [index, provider] of providers.entries()) {
    const wanted = portBase === undefined ? (known[provider] ?? 0) : portBase + index
    ports[provider] = await listen(servers[provider], bindHost, wanted, portBase === undefined)
  }
  writeFileSync(`${path}.new`, JSON.stringify(ports))
  renameSync(`${path}.new`, path)
  return ports
}

async function listen(server: Server, host: string, port: number, mayMove: boolean): Promise<number> {
  try {
    return await bind(server, host, port)
  } catch (error) {
    if (!mayMove || port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return bind(server, host, 0)
  }
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as { port: number }).port)
    })
  })
}
