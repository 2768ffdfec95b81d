import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { connect } from 'node:net'
import { type Endpoint, endpoint, fn, table } from '@operon/contracts/contract'
import type { ServiceName } from '@operon/contracts/services'
import { TokenVerifier } from '@operon/kit/auth'
import { createMemoryCache } from '@operon/kit/cache/memory'
import { readKitConfig } from '@operon/kit/config'
import { createMetrics } from '@operon/kit/metrics'
import { createLogger } from '@operon/kit/telemetry'
import type { PublicJwk } from '@operon/kit/tokens'
import { z } from 'zod'
import { type GatewayOptions, startGateway } from '../gateway.ts'
import type { Broadcasts } from '../live.ts'
import type { Spoken } from '../routes.ts'

const anything = z.unknown()
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const kid = createHash('sha256')
  .update(publicKey.export({ type: 'spki', format: 'der' }))
  .digest('hex')
  .slice(0, 8)
const issuer = 'http://localhost/auth/v1'
export const serviceKey = 'service-key-of-the-tests'

/** Contracts of the tests' own: one of each kind that the gateway treats differently. */
export const endpoints: Endpoint[] = [
  fn('open', { access: 'public', rate: 'read', reply: anything }),
  fn('mine', { access: 'user', reply: anything }),
  fn('once', { access: 'public', reply: anything, idempotent: true }),
  fn('for-staff', { access: 'staff', reply: anything }),
  fn('upload', { access: 'public', reply: anything, maxBytes: 8 * 1024 * 1024, bytes: true }),
  endpoint({ method: 'POST', path: '/auth/v1/token', access: 'public', rate: 'auth', reply: anything }),
  endpoint({ method: 'POST', path: '/auth/v1/signup', access: 'public', rate: 'auth-strict', reply: anything }),
  endpoint({
    method: 'GET',
    path: '/auth/v1/admin/users/:id',
    access: 'service',
    rate: 'read',
    reply: anything,
    params: z.object({ id: z.uuid().meta({ 'x-id': 'user' }) }),
  }),
  endpoint({ method: 'GET', path: '/ai/v1/models', access: 'user', rate: 'read', reply: anything, apiKeys: true }),
  endpoint({ method: 'GET', path: '/functions/v1/stream', access: 'public', rate: 'read', reply: anything, raw: true }),
]
export const tables = [table('things', { access: 'user', columns: z.object({ id: z.uuid() }) })]
export const spokenBy = (service: ServiceName): Spoken[] => [{ service, endpoints, tables }]

type TestGateway = Awaited<ReturnType<typeof startGateway>> & { port: number; broadcast(name: string, payload: unknown): void }

export async function testGateway(options: Partial<GatewayOptions> & { env?: Record<string, string> } = {}): Promise<TestGateway> {
  const env = { PORT: '0', SERVICE_KEY: serviceKey, DRAIN_MS: '2000', ...options.env }
  const config = readKitConfig(env)
  const hub = broadcastHub()
  const gateway = await startGateway({
    config,
    log: createLogger('silent'),
    metrics: createMetrics(),
    cache: createMemoryCache(),
    bus: hub,
    verifier: verifierOfTests(),
    upstreams: {},
    spoken: spokenBy('billing'),
    ...options,
    env,
  })
  return { ...gateway, port: Number(new URL(gateway.url).port), broadcast: hub.tell }
}

/** Knows the keys of the tests' tokens, once `loaded` lets it. */
export function verifierOfTests(loaded: () => Promise<void> = async () => {}): TokenVerifier {
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256' } as PublicJwk
  return new TokenVerifier({
    load: () => loaded().then(() => ({ keys: [jwk], issuer, revoked_sessions: [], suspended_users: [] })),
    publishableKeys: ['anon'],
    serviceKey,
  })
}

function broadcastHub(): Broadcasts & { tell(name: string, payload: unknown): void } {
  const handlers = new Map<string, ((payload: any) => void)[]>()
  return {
    onBroadcast: (name, handler) => void handlers.set(name, [...(handlers.get(name) ?? []), handler]),
    tell: (name, payload) => {
      for (const handler of handlers.get(name) ?? []) handler(payload)
    },
  }
}

export function token(claims: Record<string, unknown> = {}): { token: string; userId: string; sessionId: string } {
  const userId = String(claims.sub ?? randomUUID())
  const sessionId = String(claims.session_id ?? randomUUID())
  const now = Math.floor(Date.now() / 1000)
  const body = {
    iss: issuer,
    aud: 'authenticated',
    sub: userId,
    session_id: sessionId,
    role: 'authenticated',
    iat: now,
    exp: now + 3600,
    ...claims,
  }
  const text = [{ alg: 'ES256', kid, typ: 'JWT' }, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return {
    token: `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`,
    userId,
    sessionId,
  }
}

/** Bytes as they are, and all that comes back until the other side closes or the answer matches `until`. */
export function raw(port: number, bytes: string | string[], until?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    const done = () => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (until?.test(answer)) done()
    })
    socket.on('close', done)
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? done() : reject(error)))
    socket.setTimeout(10_000, () => reject(new Error(`no answer, so far: ${answer}`)))
    for (const part of [bytes].flat()) socket.write(part, 'latin1')
  })
}

export const jsonOf = async (response: Response | Promise<Response>): Promise<any> => (await response).json()
