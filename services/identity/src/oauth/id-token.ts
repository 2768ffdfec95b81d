import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto'
import type { Input } from '@operon/contracts/contract'
import type * as auth from '@operon/contracts/identity/auth'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { createGuardedFetch } from '@operon/kit/fetch'
import { inTransaction } from '@operon/kit/tx'
import { createDecoder, createVerifier } from 'fast-jwt'
import { type AuthCtx, refuse } from '../deps.ts'
import { announceRevoked, beginSession, type Ended, type SessionJson } from '../sessions/sessions.ts'
import { readRedirect } from '../users/redirects.ts'
import { demandFreshProof } from '../users/step-up.ts'
import { currentUser, type Trx } from '../users/users.ts'
import { linkPerson, personToUser } from './linking.ts'
import { issuerOf, type Person, type TokenSource, tokenSource } from './providers.ts'

type Asked = Input<typeof auth.token>
type Claims = Record<string, unknown>
type Jwk = JsonWebKey & { kid?: string }

const TOLERANCE_S = 60
const KEYS_LIVE_MS = 10 * 60_000
const decode = createDecoder({ complete: true })
const bad = (message: string) => refuse(400, 'invalid_request', message)

/** Exchanges a provider's id token, as from Google One Tap and Sign in with Apple, for a session. */
export async function signInWithIdToken(ctx: AuthCtx, input: Asked): Promise<SessionJson> {
  if (!input.id_token) throw bad('id_token required')
  if (!input.provider) throw bad('provider or client_id and issuer required')
  const source = await tokenSource(ctx.deps.rt, input.provider)
  if (!source) throw refuse(400, 'provider_disabled', `Provider (issuer "${issuerOf(input.provider)}") is not enabled`)
  const linking = input.link_identity ? await ownerOf(ctx) : null
  const claims = await verifiedClaims(source, input.id_token)
  checkNonce(claims.nonce, input.nonce)
  checkAccessToken(claims.at_hash, input.access_token)
  const person = personIn(claims)
  const ended: Ended[] = []
  const session = await inTransaction(ctx.db, async (trx: Trx) => {
    const userId = linking
      ? await linkPerson(trx, ctx, linking, source.provider, person)
      : await personToUser(trx, ctx, source.provider, person, readRedirect(ctx.deps, input.redirect_to), ended)
    return userId === null ? null : beginSession(trx, ctx, userId, 'oauth')
  })
  await announceRevoked(ctx.deps, ended)
  if (!session)
    throw refuse(
      422,
      'provider_email_needs_verification',
      `Unverified email with ${source.provider}. A confirmation email has been sent to your ${source.provider} email`,
    )
  return session
}

async function ownerOf(ctx: AuthCtx): Promise<string> {
  if (!ctx.deps.config.AUTH_MANUAL_LINKING) throw refuse(404, 'manual_linking_disabled', 'Manual linking is disabled')
  const { user, session } = await currentUser(ctx)
  await demandFreshProof(ctx, user, session, 'link an identity')
  return user.id
}

async function verifiedClaims(source: TokenSource, token: string): Promise<Claims> {
  const claims = await signedClaims(source, token)
  const audiences = [claims.aud].flat().map(String)
  if (!source.isIssuer(String(claims.iss ?? ''))) throw bad('Bad ID token')
  if (typeof claims.exp !== 'number' || claims.exp + TOLERANCE_S <= now() / 1000) throw bad('Bad ID token')
  if (typeof claims.iat === 'number' && claims.iat - TOLERANCE_S > now() / 1000) throw bad('Bad ID token')
  if (typeof claims.sub !== 'string' || !claims.sub) throw bad('Missing sub claim in id_token')
  if (!audiences.some((each) => source.audiences.includes(each))) throw bad(`Unacceptable audience in id_token: [${audiences.join(' ')}]`)
  return claims
}

async function signedClaims({ keys, trusted }: TokenSource, token: string): Promise<Claims> {
  let kid: unknown
  try {
    kid = (decode(token) as { header: { kid?: unknown } }).header.kid
  } catch {
    throw bad('Bad ID token')
  }
  if (typeof kid !== 'string') throw bad('Bad ID token')
  const jwk = await keyOf(keys, kid, trusted)
  try {
    // Throws where there is no key of this name, or it is no public one.
    const key = createPublicKey({ key: jwk!, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string
    // By the platform's clock, above.
    const verify = createVerifier({
      key,
      algorithms: [jwk!.kty === 'RSA' ? 'RS256' : 'ES256'],
      ignoreExpiration: true,
      ignoreNotBefore: true,
    })
    return verify(token) as Claims
  } catch {
    throw bad('Bad ID token')
  }
}

type Kept = { keys: Jwk[]; at: number }
const kept = new Map<string, Kept>()

/** Providers change their keys now and then: an unknown id asks for them anew, but strangers do not make us ask more than once a while. */
async function keyOf(url: string, kid: string, trusted: boolean): Promise<Jwk | undefined> {
  const known = kept.get(url)
  const found = known?.keys.find((key) => key.kid === kid)
  const ageMs = known ? now() - known.at : Number.POSITIVE_INFINITY
  if (found && ageMs < KEYS_LIVE_MS) return found
  if (known && ageMs < RELOAD_EVERY_MS) return undefined
  const fetch = createGuardedFetch({ allowOrigins: trusted ? [new URL(url).origin] : [] })
  try {
    const response = await fetch(url, { deadlineMs: 5000, maxBytes: 256 * 1024 })
    if (!response.ok) throw new Error(`answered ${response.status}`)
    const { keys } = (await response.json()) as { keys: Jwk[] }
    kept.set(url, { keys, at: now() })
    return keys.find((key) => key.kid === kid)
  } catch (cause) {
    throw new DomainError('unexpected_failure', { status: 500, message: 'The keys of the provider could not be read', cause })
  }
}
const RELOAD_EVERY_MS = 30_000

/** A token that somebody copied is worth nothing without the secret whose hash it carries. */
function checkNonce(inToken: unknown, given: string | null | undefined): void {
  if (Boolean(inToken) !== Boolean(given)) throw bad('Passed nonce and nonce in id_token should either both exist or not.')
  if (given && createHash('sha256').update(given).digest('hex') !== inToken) throw refuse(400, 'invalid_nonce', 'Nonces mismatch')
}

function checkAccessToken(atHash: unknown, accessToken: string | null | undefined): void {
  if (!accessToken || !atHash) return
  const half = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')
  if (half !== atHash) throw bad('Bad ID token')
}

const text = (value: unknown): string | null => (typeof value === 'string' && value ? value : null)

/** Apple writes booleans as words. */
const personIn = ({ sub, email, email_verified, name, picture }: Claims): Person => ({
  sub: String(sub),
  email: text(email)?.toLowerCase() ?? null,
  verified: email_verified === true || email_verified === 'true',
  name: text(name),
  picture: text(picture),
  userName: null,
})
