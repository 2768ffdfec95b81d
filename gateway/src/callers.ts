import type { TokenVerifier } from '@operon/kit/auth'
import type { Actor } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { Route } from './routes.ts'

type Headers = { authorization?: string | undefined; apikey?: string | string[] | undefined }

const anonymous: Actor = { kind: 'anonymous' }
const KEEP_MS = 30_000
const KEEP_COUNT = 10_000

/** Who calls. A token that was just verified is remembered for a moment; whatever identity takes back empties that memory. */
export class Callers {
  readonly #verifier: TokenVerifier
  readonly #publishable: Set<string>
  readonly #recent = new Map<string, { actor: Actor; until: number }>()
  /** How often something was taken back: what was verified while that happened may be it. */
  #takenBack = 0

  constructor(verifier: TokenVerifier, publishableKeys: string[]) {
    this.#verifier = verifier
    this.#publishable = new Set(publishableKeys)
  }

  forget() {
    this.#takenBack += 1
    this.#recent.clear()
  }

  of(headers: Headers, route: Route): Actor | Promise<Actor> {
    const { authorization, apikey } = headers
    if (authorization === undefined && (apikey === undefined || this.#publishable.has(apikey as string))) return anonymous
    const recent = authorization && this.#recent.get(authorization)
    if (recent && recent.until > Date.now()) return recent.actor
    return this.#verify(headers, route)
  }

  /** For a socket, which has no route: the token must be good, and says until when. */
  async ofToken(token: string): Promise<{ actor: Actor; expiresAt: number }> {
    for (;;) {
      const before = this.#takenBack
      const actor = await this.#verifier.verify(token)
      // A socket lasts, and hears of what is taken back only from now on.
      if (before === this.#takenBack) return { actor, expiresAt: expiryOf(token) }
    }
  }

  async #verify(headers: Headers, route: Route): Promise<Actor> {
    const before = this.#takenBack
    try {
      const actor = await this.#verifier.actorOf(headers)
      if (actor.kind === 'user' && before === this.#takenBack) this.#remember(headers.authorization!, actor)
      return actor
    } catch (error) {
      // An API key of a user's own is no token: the owning service knows it. A public route stays public with a token that has run out.
      if (route.apiKeys || route.access === 'public') return anonymous
      throw error
    }
  }

  #remember(authorization: string, actor: Actor) {
    if (this.#recent.size >= KEEP_COUNT) this.#recent.delete(this.#recent.keys().next().value!)
    this.#recent.set(authorization, { actor, until: Math.min(Date.now() + KEEP_MS, expiryOf(authorization.slice(7).trim())) })
  }
}

// Only ever of a token that has just been verified.
function expiryOf(token: string): number {
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp?: number }
  if (typeof exp !== 'number') throw new DomainError('not_authenticated')
  return exp * 1000
}
