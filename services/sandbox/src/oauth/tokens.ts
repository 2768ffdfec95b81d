import { createHash, createPrivateKey, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto'
import type { State } from '../core/state.ts'
import type { Person } from './people.ts'

export type Grant = {
  id: string
  provider: string
  client_id: string
  redirect_uri: string
  scope: string
  nonce: string | null
  challenge: string | null
  person: Person
  expires: number
  used: boolean
}
export type Token = {
  id: string
  kind: 'access' | 'refresh'
  provider: string
  client_id: string
  scope: string
  grant: string
  person: Person
  expires: number
}

/** PKCE as RFC 7636 has it; `plain` is refused. */
export const matches = (challenge: string, verifier: string) => createHash('sha256').update(verifier).digest('base64url') === challenge

/** A signing key of its own, kept with the state, for the identity tokens of providers that give one. Made for the first that asks: it takes a tenth of a second. */
export function idTokens(state: State) {
  let made: ReturnType<typeof signer> | undefined
  const signing = () => {
    made ??= signer(state)
    return made
  }
  return { jwks: () => signing().jwks, sign: (claims: Record<string, unknown>) => signing().sign(claims) }
}

function signer(state: State) {
  const kept = state.setting<string | undefined>('oauth_key', undefined)
  const pem = kept ?? (generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)
  if (!kept) state.set('oauth_key', pem)
  const key = createPrivateKey(pem)
  const kid = createHash('sha256').update(pem).digest('hex').slice(0, 16)
  const jwk = { ...createPublicKey(pem).export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return {
    jwks: { keys: [jwk] },
    sign(claims: Record<string, unknown>) {
      const text = `${part({ alg: 'RS256', typ: 'JWT', kid })}.${part(claims)}`
      return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`
    },
  }
}
