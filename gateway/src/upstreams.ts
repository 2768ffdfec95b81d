import { type ServiceName, serviceNames } from '@operon/contracts/services'
import type { ThirdParty } from '@operon/contracts/third-parties'
import type { Logger } from '@operon/kit/telemetry'
import type { FastifyInstance } from 'fastify'
import type { Lookup } from './discovery.ts'
import { Instances } from './instances.ts'
import type { GatewaySettings } from './settings.ts'

/** `sandboxed`: whom a stand-in plays for it; absent when nobody answered. `instances` that run, of so many, in these versions. */
export type Readiness = {
  ok: boolean
  failing: string[]
  sandboxed?: ThirdParty[]
  instances?: { running: number; of: number; versions: string[] }
}
/** A service in this process gets the request itself; elsewhere it is at `unix:/path`, `http://host:port`, or wherever a name or a pattern leads. */
export type Upstream = { kind: 'local'; app: FastifyInstance; ready?: () => Promise<Readiness> } | { kind: 'remote'; addresses: string[] }
export type Upstreams = Partial<Record<ServiceName, Upstream>>

type Opened =
  | { kind: 'local'; app: FastifyInstance; ready: () => Promise<Readiness> }
  | { kind: 'remote'; instances: Instances; ready: () => Promise<Readiness> }
export type OpenUpstreams = { of(service: string): Opened | undefined; names: ServiceName[]; close(): Promise<void> }

export function openUpstreams(
  upstreams: Upstreams,
  settings: GatewaySettings,
  finding: { lookup?: Lookup | undefined; log?: Logger } = {},
): OpenUpstreams {
  const opened = new Map<string, Opened>()
  const limits = { connections: settings.UPSTREAM_CONNECTIONS, timeoutMs: settings.UPSTREAM_TIMEOUT_MS }
  for (const name of serviceNames) {
    const upstream = upstreams[name]
    if (!upstream) continue
    if (upstream.kind === 'local') opened.set(name, { ...upstream, ready: upstream.ready ?? (async () => ({ ok: true, failing: [] })) })
    else {
      const instances = new Instances(upstream.addresses, limits, { ...finding, name })
      opened.set(name, { kind: 'remote', instances, ready: () => readinessOf(name, instances) })
    }
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

const KNOWN_WITHIN_MS = 150

/** A service is there while one of its instances is; what fails is said of each. From what the gateway has heard, so that nobody waits for it. */
async function readinessOf(name: string, instances: Instances): Promise<Readiness> {
  await instances.known(KNOWN_WITHIN_MS)
  const { all } = instances
  const answering = all.filter(({ hung, said }) => said && !hung)
  const away = all.length - answering.length
  const sandboxed = answering.map(({ said }) => said!.sandboxed).find((names) => names) as ThirdParty[] | undefined
  return {
    ok: answering.some(({ said }) => said!.ok),
    failing: [
      ...new Set(answering.flatMap(({ said }) => said!.failing)),
      ...(away || !all.length ? [`${name}: ${all.length > 1 ? `${away} of ${all.length} instances do not answer` : 'not reachable'}`] : []),
    ],
    ...(sandboxed && { sandboxed }),
    instances: {
      running: answering.length,
      of: all.length,
      versions: [...new Set(answering.flatMap(({ said }) => said!.version ?? []))].sort(),
    },
  }
}

/** How many instances of each service answer, and how many are left out after a failure. Those in this process share its fate. */
export const upstreamStates = (upstreams: OpenUpstreams) =>
  upstreams.names.flatMap((upstream) => {
    const opened = upstreams.of(upstream)!
    const all = opened.kind === 'remote' ? opened.instances.all.map(({ failures, hung }) => failures > 0 || hung) : [false]
    const down = all.filter(Boolean).length
    return Object.entries({ up: all.length - down, down }).map(([state, value]) => ({ labels: { upstream, state }, value }))
  })
