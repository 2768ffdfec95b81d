import { type ServiceName, serviceNames } from '@operon/contracts/services'
import type { ThirdParty } from '@operon/contracts/third-parties'
import type { FastifyInstance } from 'fastify'
import { Client } from 'undici'
import { Instances } from './instances.ts'
import type { GatewaySettings } from './settings.ts'

/** `sandboxed`: whom a stand-in plays for it; absent when nobody answered. */
export type Readiness = { ok: boolean; failing: string[]; sandboxed?: ThirdParty[] }
/** A service in this process gets the request itself; one elsewhere is reached at `unix:/path` or `http://host:port`. */
export type Upstream = { kind: 'local'; app: FastifyInstance; ready?: () => Promise<Readiness> } | { kind: 'remote'; addresses: string[] }
export type Upstreams = Partial<Record<ServiceName, Upstream>>

type Opened =
  | { kind: 'local'; app: FastifyInstance; ready: () => Promise<Readiness> }
  | { kind: 'remote'; instances: Instances; ready: () => Promise<Readiness> }
export type OpenUpstreams = { of(service: string): Opened | undefined; names: ServiceName[]; close(): Promise<void> }

export function openUpstreams(upstreams: Upstreams, settings: GatewaySettings): OpenUpstreams {
  const opened = new Map<string, Opened>()
  const limits = { connections: settings.UPSTREAM_CONNECTIONS, timeoutMs: settings.UPSTREAM_TIMEOUT_MS }
  for (const name of serviceNames) {
    const upstream = upstreams[name]
    if (!upstream) continue
    if (upstream.kind === 'local') opened.set(name, { ...upstream, ready: upstream.ready ?? (async () => ({ ok: true, failing: [] })) })
    else
      opened.set(name, {
        kind: 'remote',
        instances: new Instances(upstream.addresses, limits),
        ready: () => anyReady(name, upstream.addresses),
      })
  }
  return {
    of: (service) => opened.get(service),
    names: [...opened.keys()] as ServiceName[],
    close: async () => {
      for (const upstream of opened.values()) if (upstream.kind === 'remote') upstream.instances.close()
    },
  }
}

/** `UPSTREAM_AI_GATEWAY=unix:/run/a,unix:/run/b`: one variable a service, commas between its instances. */
export function upstreamsFromEnv(env: Record<string, string | undefined>): Upstreams {
  const upstreams: Upstreams = {}
  for (const name of serviceNames) {
    const addresses = (env[`UPSTREAM_${name.toUpperCase().replaceAll('-', '_')}`] ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
    if (addresses.length) upstreams[name] = { kind: 'remote', addresses }
  }
  return upstreams
}

/** A service is there while one of its instances is. */
async function anyReady(name: string, addresses: string[]): Promise<Readiness> {
  const states = await Promise.all(addresses.map((address) => readyAt(name, address)))
  return states.find((state) => state.ok) ?? states[0]!
}

async function readyAt(name: string, address: string): Promise<Readiness> {
  const unix = address.startsWith('unix:')
  const client = new Client(unix ? 'http://localhost' : address, {
    ...(unix && { socketPath: address.slice(5) }),
    connectTimeout: 1_000,
    headersTimeout: 3_000,
    bodyTimeout: 3_000,
  })
  try {
    const { statusCode, body } = await client.request({ method: 'GET', path: '/readyz' })
    const state = (await body.json()) as Partial<Readiness>
    return { ok: statusCode === 200, failing: state.failing ?? [], ...(state.sandboxed && { sandboxed: state.sandboxed }) }
  } catch {
    return { ok: false, failing: [`${name}: not reachable`] }
  } finally {
    client.destroy().catch(() => {})
  }
}
