import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { createDecoder, createVerifier } from 'fast-jwt'
import { now } from './clock.ts'
import type { Actor } from './context.ts'
import { DomainError } from './errors.ts'

// The claims of a token, by the keys that it was signed with.

export type PublicJwk = JsonWebKey & { kid: string; alg: 'ES256' | 'RS256' }

/** How far the clocks of two databases may differ. */
export const TOLERANCE_MS = 5_000
const decode = createDecoder({ complete: true })
export const badToken = () => new DomainError('not_authenticated', { details: { reason: 'bad_jwt' } })
/** Told apart from a forged one: the client has to refresh, and nobody has to look into it. */
export const endedToken = () => new DomainError('not_authenticated', { details: { reason: 'expired_jwt' } })

export function bearerOf(authorization: string | undefined): string {
  return authorization && /^bearer /i.test(authorization) ? authorization.slice(7).trim() : ''
}

export type Verifier = (token: string) => Record<string, any>

export function verifierFor(jwk: PublicJwk, issuer: string): Verifier {
  const key = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string
  // By the platform's clock, not this machine's: see `checkTime`.
  const signed = { key, algorithms: [jwk.alg], ignoreExpiration: true, ignoreNotBefore: true }
  const ofUser = createVerifier({ ...signed, allowedIss: issuer, allowedAud: 'authenticated', requiredClaims: ['exp', 'iss', 'aud'] })
  const ofKey = createVerifier(signed)
  return (token) => {
    const claims = ofKey(token)
    // A classic key of Supabase is a token with a role and another issuer, often without an end. Nothing but the instance's key signs one.
    return Object.hasOwn(KEY_ROLES, claims.role) ? claims : ofUser(token)
  }
}

/** For an OAuth resource, which looks at the issuer and the audience itself. */
export function resourceVerifierFor(jwk: PublicJwk): Verifier {
  const key = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string
  return createVerifier({
    key,
    algorithms: [jwk.alg],
    requiredClaims: ['exp', 'iss', 'aud'],
    ignoreExpiration: true,
    ignoreNotBefore: true,
  })
}

/** Roles that a token has instead of a person. */
const KEY_ROLES: Record<string, Actor> = {
  service_role: { kind: 'service' },
  supabase_admin: { kind: 'service' },
  anon: { kind: 'anonymous' },
}

export function checkTime({ exp, nbf = 0, role }: Record<string, any>): void {
  const ends = exp === undefined && Object.hasOwn(KEY_ROLES, role) ? Number.POSITIVE_INFINITY : exp
  if (typeof ends !== 'number' || typeof nbf !== 'number' || nbf * 1000 - TOLERANCE_MS > now()) throw badToken()
  if (ends * 1000 + TOLERANCE_MS <= now()) throw endedToken()
}

export function kidOf(token: string): string {
  try {
    const { header } = decode(token) as { header: { kid?: unknown } }
    if (typeof header.kid === 'string') return header.kid
  } catch {}
  throw badToken()
}

export function actorFrom(claims: Record<string, any>): Actor {
  const key = Object.hasOwn(KEY_ROLES, claims.role) && KEY_ROLES[claims.role]
  if (key) return key
  if (typeof claims.sub !== 'string' || typeof claims.session_id !== 'string') throw badToken()
  return {
    kind: 'user',
    id: claims.sub,
    email: claims.email || null,
    phone: claims.phone || null,
    sessionId: claims.session_id,
    aal: claims.aal === 'aal2' ? 'aal2' : 'aal1',
    amr: Array.isArray(claims.amr) ? claims.amr : [],
    mfa: claims.mfa === true,
    staff: claims.app_metadata?.staff === true,
    anonymous: claims.is_anonymous === true,
    metadata: claims.user_metadata ?? {},
    ...(claims.app_metadata?.demo && { demo: { readsOnly: claims.app_metadata.demo.reads_only !== false } }),
  }
}
