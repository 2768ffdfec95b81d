import { timingSafeEqual } from 'node:crypto'
import type { Endpoint } from '@operon/contracts/contract'
import { now } from './clock.ts'
import type { Actor } from './context.ts'
import { DomainError } from './errors.ts'
import { isKey, KeyRing, keyActor } from './keys.ts'
import { type EndedSessions, Revoked } from './revoked.ts'
import {
  actorFrom,
  badToken,
  bearerOf,
  checkTime,
  endedToken,
  kidOf,
  type PublicJwk,
  resourceVerifierFor,
  TOLERANCE_MS,
  type Verifier,
  verifierFor,
} from './tokens.ts'

/** Identity's answer to verifiers: its keys, how long a token lives, recent revocations, and the current time. */
export type Verification = {
  keys: PublicJwk[]
  issuer: string
  revoked_sessions: string[]
  /** Accounts of which more sessions ended together than are named. */
  ended_sessions?: EndedSessions[]
  /** In seconds: more ended than are named, so tokens from before it have to be renewed. */
  renew_before?: number
  suspended_users: string[]
  /** Accounts that added a second factor, and when, in seconds: older tokens do not show it. */
  protected_users?: { id: string; since: number }[]
  // Absent from an identity of the version before.
  token_seconds?: number
  /** In seconds: service_role tokens from before it are good no longer. */
  service_tokens_since?: number
  at?: number
}

const TOKEN_SECONDS = 3_600
const RELOAD_EVERY_MS = 5_000
const ASK_AGAIN_MS = 1_000
const KNOWN_FOR_MS = 600_000
const KNOWN_TOKENS = 10_000
// A broadcast is not kept for who was cut off when it came: asked again this often, a token that was taken back is good for no longer.
const RENEW_EVERY_MS = 60_000

type Known = { actor: Actor; issuedAtS: number; until: number }

/** Verifies access tokens in-process, each once. Revocations are looked up every time, so that a cached token is refused too. */
export class TokenVerifier {
  readonly #known = new Map<string, Known>()
  #verifiers = new Map<string, Verifier>()
  #serviceTokensSince = 0
  #resourceVerifiers = new Map<string, Verifier>()
  #issuer = ''
  readonly #revoked = new Revoked(TOKEN_SECONDS * 1000 + TOLERANCE_MS)
  /** Accounts that added a second factor within the life of a token, and when, in seconds. */
  #protectedSince = new Map<string, number>()
  #lifetimeMs = TOKEN_SECONDS * 1000 + TOLERANCE_MS
  #loaded = Number.NEGATIVE_INFINITY
  #loading: Promise<void> | null = null
  #renewAt = Number.NEGATIVE_INFINITY
  #outdated = false
  readonly keys: KeyRing
  readonly #load: () => Promise<Verification>
  readonly #publishable: Set<string>
  readonly #serviceKey: Buffer | null

  constructor(options: {
    load: () => Promise<Verification>
    keys?: KeyRing
    publishableKeys: string[]
    serviceKey?: string | undefined
  }) {
    this.keys = options.keys ?? new KeyRing({ ask: async () => ({ state: 'unknown' }) })
    this.#load = options.load
    this.#publishable = new Set(options.publishableKeys)
    this.#serviceKey = options.serviceKey ? Buffer.from(options.serviceKey) : null
  }

  /** Reads from the headers whom a request speaks for. Throws when a token is there and is not good. */
  async actorOf(
    headers: { authorization?: string | undefined; apikey?: string | string[] | undefined },
    contract?: Pick<Endpoint, 'resource' | 'path'>,
  ): Promise<Actor> {
    const bearer = bearerOf(headers.authorization)
    if (contract?.resource) return this.#actorAt(contract.path, bearer)
    const apikey = typeof headers.apikey === 'string' ? headers.apikey : ''
    if (!bearer || this.#publishable.has(bearer)) return this.isServiceKey(apikey) ? { kind: 'service' } : { kind: 'anonymous' }
    if (this.isServiceKey(bearer)) return { kind: 'service' }
    if (!isKey(bearer)) return this.verify(bearer)
    return this.#actorOfKey(bearer)
  }

  async #actorOfKey(bearer: string): Promise<Actor> {
    const actor = await this.keys.actorOf(bearer)
    await this.refuseTakenBack(actor)
    return actor
  }

  /** For an OAuth resource: a token that was made for it, or an API key. The refusal says where such a token is made. */
  async #actorAt(path: string, bearer: string): Promise<Actor> {
    if (!this.#issuer) await this.#reload()
    const home = this.#issuer.replace(/\/auth\/v1$/, '')
    try {
      if (isKey(bearer)) return await this.#actorOfKey(bearer)
      return await this.#actorOfApp(bearer, home, home + path)
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'not_authenticated') throw error
      const metadata = `resource_metadata="${home}/.well-known/oauth-protected-resource${path}"`
      throw new DomainError('not_authenticated', {
        headers: { 'www-authenticate': `Bearer ${bearer ? 'error="invalid_token", ' : ''}${metadata}` },
      })
    }
  }

  /** Never remembered among the sessions' tokens: it is good at its own resource alone. */
  async #actorOfApp(token: string, issuer: string, audience: string): Promise<Actor> {
    if (!token) throw badToken()
    const kid = kidOf(token)
    this.#renew()
    const verifier = this.#resourceVerifiers.get(kid) ?? (await this.#reload().then(() => this.#resourceVerifiers.get(kid)))
    let claims: Record<string, any>
    try {
      claims = verifier!(token)
    } catch {
      throw badToken()
    }
    const { iss, aud, sub, session_id: id, client_id: app, scope } = claims
    checkTime(claims)
    if (iss !== issuer || aud !== audience) throw badToken()
    if ([sub, id, app, scope].some((claim) => typeof claim !== 'string')) throw badToken()
    const actor = keyActor(sub, { id, scopes: scope.split(' '), monthlyPrompts: null, app })
    if (this.#isTakenBack(actor)) throw badToken()
    if (this.#revoked.mustRenew(claims.iat)) throw endedToken()
    return actor
  }

  isServiceKey(key: string): boolean {
    if (!this.#serviceKey || !key) return false
    const given = Buffer.from(key)
    return given.length === this.#serviceKey.length && timingSafeEqual(given, this.#serviceKey)
  }

  /** For who came by an API key: that outlives tokens, but not being suspended. Where identity is away, what was known of it stands. */
  async refuseTakenBack(actor: Actor): Promise<void> {
    if (this.#loaded === Number.NEGATIVE_INFINITY) await this.#reload().catch(() => {})
    this.#renew()
    if (this.#isTakenBack(actor)) throw new DomainError('not_authenticated', { details: { reason: 'session_not_found' } })
  }

  /** The actor of a token that was verified before, at once; null where it has to be verified first, or was taken back. */
  known(token: string): Actor | null {
    const known = this.#recall(token)
    if (!known || this.#isTakenBack(known.actor) || this.#isOutgrown(known) || this.#mustRenew(known)) return null
    return known.actor
  }

  async verify(token: string): Promise<Actor> {
    const known = this.#recall(token) ?? (await this.#learn(token))
    if (this.#isTakenBack(known.actor)) throw new DomainError('not_authenticated', { details: { reason: 'session_not_found' } })
    if (this.#isOutgrown(known)) throw badToken()
    if (this.#mustRenew(known)) throw endedToken()
    return known.actor
  }

  #recall(token: string): Known | null {
    this.#renew()
    if (this.#outdated) return null
    const known = this.#known.get(token)
    return known && known.until > now() ? known : null
  }

  async #learn(token: string): Promise<Known> {
    const kid = kidOf(token)
    if (this.#outdated) await this.#reload().catch(() => {})
    this.#outdated = false
    const verifier = this.#verifiers.get(kid) ?? (await this.#reload().then(() => this.#verifiers.get(kid)))
    if (!verifier) throw badToken()
    let claims: Record<string, any>
    try {
      claims = verifier(token)
    } catch {
      throw badToken()
    }
    checkTime(claims)
    const issuedAtS = typeof claims.iat === 'number' ? claims.iat : 0
    const known = {
      actor: actorFrom(claims),
      issuedAtS,
      until: Math.min((claims.exp ?? Number.POSITIVE_INFINITY) * 1000, now() + KNOWN_FOR_MS),
    }
    // The longest known goes first.
    this.#known.delete(token)
    this.#known.set(token, known)
    if (this.#known.size > KNOWN_TOKENS) this.#known.delete(this.#known.keys().next().value!)
    return known
  }

  /** Hears what identity tells everybody. */
  listenTo(bus: { onBroadcast(name: string, handler: (payload: any) => void): void }) {
    bus.onBroadcast('identity.session_revoked', ({ session_id }) => this.revoke(session_id))
    bus.onBroadcast('identity.sessions_ended', (ended) => this.endSessions(ended))
    bus.onBroadcast('identity.user_suspended', ({ user_id, suspended }) => (suspended ? this.revoke(user_id) : this.restore(user_id)))
    bus.onBroadcast('identity.second_factor_added', ({ user_id, since }) => this.protect(user_id, since))
    bus.onBroadcast('identity.key_revoked', ({ key_id }) => this.keys.forget(key_id))
    bus.onBroadcast('identity.keys_changed', () => this.askForKeys())
  }

  /** A session or a user that identity took back; remembered for as long as a token could live. */
  revoke(sessionOrUserId: string) {
    this.#revoked.add(sessionOrUserId)
  }

  /** Many sessions of one account that ended together. */
  endSessions(ended: EndedSessions) {
    this.#revoked.addSessions(ended)
  }

  restore(userId: string) {
    this.#revoked.delete(userId)
  }

  /** A user added a second factor: a token from before opens as much as it did then, so it is good no longer. */
  protect(userId: string, sinceS: number) {
    this.#protectedSince.delete(userId)
    this.#protectedSince.set(userId, sinceS)
    const goneS = (now() - this.#lifetimeMs) / 1000
    for (const [id, since] of this.#protectedSince) {
      if (since > goneS) break
      this.#protectedSince.delete(id)
    }
  }

  /** Whether identity has told its keys; where it has not, it is asked. */
  async hasKeys(): Promise<boolean> {
    if (this.#verifiers.size === 0) await this.#reload().catch(() => {})
    return this.#verifiers.size > 0
  }

  /** Asks before the first token comes, until identity has told its keys: its tokens are good here from then on, whether it is there or not. */
  askUntilTold(): () => void {
    let waiting: NodeJS.Timeout | undefined
    let isOver = false
    const ask = async () => {
      if (!(await this.hasKeys()) && !isOver) waiting = setTimeout(ask, ASK_AGAIN_MS).unref()
    }
    void ask()
    return () => {
      isOver = true
      clearTimeout(waiting)
    }
  }

  /** Keys may have changed: the next token waits for them. Where identity has gone again, what was known stays. */
  askForKeys() {
    this.#outdated = true
    this.#loaded = Number.NEGATIVE_INFINITY
  }

  #isTakenBack(actor: Actor): boolean {
    if (actor.kind !== 'user') return false
    // The id of a key or of an app's grant is no session's: it does not end with them.
    return (
      this.#revoked.has(actor.id) || (actor.key ? this.#revoked.has(actor.sessionId) : this.#revoked.hasSession(actor.id, actor.sessionId))
    )
  }

  #mustRenew({ actor, issuedAtS }: Known): boolean {
    return actor.kind === 'user' && this.#revoked.mustRenew(issuedAtS)
  }

  /** From before its account had a second factor, or before the service tokens were taken back. */
  #isOutgrown({ actor, issuedAtS }: Known): boolean {
    if (actor.kind === 'service') return issuedAtS < this.#serviceTokensSince
    if (this.#protectedSince.size === 0 || actor.kind !== 'user' || actor.mfa) return false
    return issuedAtS <= (this.#protectedSince.get(actor.id) ?? Number.NEGATIVE_INFINITY)
  }

  #renew() {
    if (performance.now() < this.#renewAt) return
    this.#renewAt = performance.now() + RENEW_EVERY_MS
    // The caller does not wait for it; identity being away is told by what needs it.
    this.#reload().catch(() => {})
  }

  // A flood of unknown key ids must not become a flood of questions to identity.
  async #reload(): Promise<void> {
    if (performance.now() - this.#loaded < RELOAD_EVERY_MS) return
    this.#loading ??= this.#load()
      .then((verification) => {
        const verifiers = new Map(verification.keys.map((key) => [key.kid, verifierFor(key, verification.issuer)]))
        // Tokens of a key that is gone are not good any more, whoever missed the word of it.
        if ([...this.#verifiers.keys()].some((kid) => !verifiers.has(kid))) this.#known.clear()
        this.#verifiers = verifiers
        this.#resourceVerifiers = new Map(verification.keys.map((key) => [key.kid, resourceVerifierFor(key)]))
        this.#issuer = verification.issuer
        this.#lifetimeMs = (verification.token_seconds ?? TOKEN_SECONDS) * 1000 + TOLERANCE_MS
        this.#revoked.lifetimeMs = this.#lifetimeMs
        for (const id of verification.revoked_sessions) this.#revoked.addUnlessKnown(id)
        for (const ended of verification.ended_sessions ?? []) this.endSessions(ended)
        if (verification.renew_before !== undefined) this.#revoked.renewBefore(verification.renew_before)
        for (const id of verification.suspended_users) this.revoke(id)
        for (const { id, since } of verification.protected_users ?? []) this.protect(id, since)
        this.#serviceTokensSince = verification.service_tokens_since ?? 0
        this.#loaded = performance.now()
        this.#renewAt = this.#loaded + RENEW_EVERY_MS
      })
      .finally(() => {
        this.#loading = null
      })
    await this.#loading
  }
}
