// The gateway as it runs in production: tokens verified, limits counted, metrics, security headers, traces. Only the numbers of the limits are out of reach.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { startGateway } from '@operon/gateway/gateway'
import { TokenVerifier } from '@operon/kit/auth'
import { createMemoryCache } from '@operon/kit/cache/memory'
import { readKitConfig } from '@operon/kit/config'
import { createMetrics } from '@operon/kit/metrics'
import { createLogger } from '@operon/kit/telemetry'
import type { PublicJwk } from '@operon/kit/tokens'

const { port, upstream } = JSON.parse(process.argv[2]!) as { port: number; upstream: string }
const rates = ['ADDRESS', 'READ', 'WRITE', 'AI', 'AUTH'].map((name) => [`RATE_${name}`, '1000000/1s'])
const env = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, ...Object.fromEntries(rates) }
const config = readKitConfig(env)

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const kid = createHash('sha256')
  .update(publicKey.export({ type: 'spki', format: 'der' }))
  .digest('hex')
  .slice(0, 8)
const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256' } as PublicJwk
const issuer = `${config.PUBLIC_URL}/auth/v1`

const verifier = new TokenVerifier({
  load: async () => ({ keys: [jwk], issuer, revoked_sessions: [], suspended_users: [] }),
  publishableKeys: ['anon'],
})
await startGateway({
  config,
  env,
  verifier,
  log: createLogger('warn'),
  metrics: createMetrics(),
  cache: createMemoryCache(),
  bus: { onBroadcast: () => {} },
  upstreams: { analytics: { kind: 'remote', addresses: [upstream] } },
})

const now = Math.floor(Date.now() / 1000)
const claims = {
  iss: issuer,
  aud: 'authenticated',
  sub: crypto.randomUUID(),
  session_id: crypto.randomUUID(),
  role: 'authenticated',
  iat: now,
  exp: now + 3600,
}
const text = [{ alg: 'ES256', kid, typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
process.send!({
  token: `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`,
})
