import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject, sign as signBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { signedUp, startIdentity } from '../testing/platform.ts'

const platform = await startIdentity()
afterAll(() => platform.close())

const b64 = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const ours = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const es256 = (header: object, claims: object, key: KeyObject = ours.privateKey) => {
  const input = `${b64(header)}.${b64(claims)}`
  return `${input}.${signBytes('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

const routes: [string, string][] = [
  ['GET', '/auth/v1/user'],
  ['PUT', '/auth/v1/user'],
  ['POST', '/auth/v1/logout'],
  ['POST', '/auth/v1/factors'],
  ['GET', '/auth/v1/reauthenticate'],
  ['GET', '/auth/v1/admin/users'],
  ['GET', '/rest/v1/user_roles'],
  ['POST', '/functions/v1/account-sessions'],
  ['POST', '/functions/v1/account-export'],
  ['POST', '/functions/v1/account-delete'],
]

test('S6: forged tokens are accepted on no route', async () => {
  const { session, user } = await signedUp(platform)
  const [head, body, signature] = session.access_token.split('.') as [string, string, string]
  const header = JSON.parse(Buffer.from(head, 'base64url').toString())
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
  const { keys } = (await (await fetch(`${platform.base}/auth/v1/.well-known/jwks.json`)).json()) as {
    keys: (JsonWebKey & { kid: string })[]
  }
  const publicPem = createPublicKey({ key: keys[0]!, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string
  const hs256 = (secret: string | Buffer, more = {}) => {
    const input = `${b64({ ...header, alg: 'HS256', ...more })}.${body}`
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  }
  const own = ours.publicKey.export({ format: 'jwk' })
  // Signed by the real key: what the claims say must be checked too.
  const { keys: signer } = await import('../keys/keys.ts').then(async ({ loadKeys }) => ({
    keys: await loadKeys(platform.services.identity!.rt as never),
  }))
  const now = Math.floor(Date.now() / 1000)
  const forged: Record<string, string> = {
    'alg none': `${b64({ ...header, alg: 'none' })}.${body}.`,
    'alg None with the signature': `${b64({ ...header, alg: 'None' })}.${body}.${signature}`,
    'no signature': `${head}.${body}.`,
    'HS256 by the public key': hs256(publicPem),
    'HS256 by the public JWK': hs256(JSON.stringify(keys[0])),
    'HS256 by an empty secret': hs256(''),
    'own key under the real kid': es256(header, claims),
    'own key in jwk': es256({ ...header, jwk: own }, claims),
    'own key by jku': es256({ ...header, jku: 'https://evil.example/jwks.json', kid: 'evil' }, claims),
    'own key by x5u': es256({ ...header, x5u: 'https://evil.example/cert.pem', kid: 'evil' }, claims),
    'kid as a path': es256({ ...header, kid: '../../../dev/null' }, claims),
    'kid as SQL': es256({ ...header, kid: "' or 1=1 --" }, claims),
    'kid as a prototype name': es256({ ...header, kid: '__proto__' }, claims),
    'no kid': es256({ alg: 'ES256', typ: 'JWT' }, claims),
    'another subject': `${head}.${b64({ ...claims, sub: crypto.randomUUID() })}.${signature}`,
    'staff written in': `${head}.${b64({ ...claims, app_metadata: { staff: true } })}.${signature}`,
    'service role written in': `${head}.${b64({ ...claims, role: 'service_role' })}.${signature}`,
    'another audience': signer.sign({ ...claims, aud: 'elsewhere' }),
    'another issuer': signer.sign({ ...claims, iss: 'https://evil.example/auth/v1' }),
    'no audience': signer.sign({ ...claims, aud: undefined }),
    'run out': signer.sign({ ...claims, exp: now - 60 }),
    'no end': signer.sign({ ...claims, exp: undefined }),
    'not yet': signer.sign({ ...claims, nbf: now + 600 }),
    'no session': signer.sign({ ...claims, session_id: undefined }),
    'a refresh token as access': session.refresh_token,
    'an empty signature of the right length': `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
  }
  const accepted: string[] = []
  for (const [name, token] of Object.entries(forged)) {
    for (const [method, path] of routes) {
      const response = await fetch(platform.base + path, {
        method,
        headers: { authorization: `Bearer ${token}`, apikey: 'anon', 'content-type': 'application/json' },
        ...(method !== 'GET' && { body: '{}' }),
      })
      if (response.status !== 401 && response.status !== 403) accepted.push(`${name} on ${method} ${path}: ${response.status}`)
    }
  }
  expect(accepted).toEqual([])
  const good = await fetch(`${platform.base}/auth/v1/user`, { headers: { authorization: `Bearer ${session.access_token}` } })
  expect(((await good.json()) as { id: string }).id).toBe(user.id)
})
