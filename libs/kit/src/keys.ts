import { createHash } from 'node:crypto'
import type { Endpoint } from '@operon/contracts/contract'
import type { KeyAnswer } from '@operon/contracts/identity/keys'
import type { UserActor } from './context.ts'
import { DomainError } from './errors.ts'

const PREFIX = 'opk_'
/** A revocation is broadcast; an instance that missed it believes a key for at most this long. */
const REMEMBERED_MS = 5_000
const KNOWN_KEYS = 10_000

export const isKey = (bearer: string): boolean => bearer.startsWith(PREFIX)
export const hashOfKey = (key: string): string => createHash('sha256').update(key).digest('base64url')

type Known = { actor: Promise<UserActor>; keyId?: string; until: number }
type Sources = {
  /** Asks identity. */
  ask(hash: string): Promise<KeyAnswer>
  /** A key that identity has not taken over yet. */
  older?: ((hash: string) => Promise<KeyAnswer>) | undefined
}

/** Whom an API key speaks for. Parallel callers with one key share the question, and its answer for some seconds. */
export class KeyRing {
  readonly #known = new Map<string, Known>()
  readonly #sources: Sources

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /** Where a key comes from while another service still keeps some. */
  lookAlsoIn(older: Sources['older']) {
    this.#sources.older = older
  }

  async actorOf(key: string): Promise<UserActor> {
    const hash = hashOfKey(key)
    const remembered = this.#known.get(hash)
    if (remembered && remembered.until > performance.now()) return remembered.actor
    const looking: Known = { actor: this.#find(hash), until: performance.now() + REMEMBERED_MS }
    this.#known.delete(hash)
    this.#known.set(hash, looking)
    if (this.#known.size > KNOWN_KEYS) this.#known.delete(this.#known.keys().next().value!)
    try {
      const actor = await looking.actor
      looking.keyId = actor.key!.id
      return actor
    } catch (error) {
      if (this.#known.get(hash) === looking) this.#known.delete(hash)
      throw error
    }
  }

  /** A key that is being looked up may be the one: an answer from before the revocation is not remembered. */
  forget(id: string) {
    for (const [hash, { keyId = id }] of this.#known) if (keyId === id) this.#known.delete(hash)
  }

  async #find(hash: string): Promise<UserActor> {
    const { older } = this.#sources
    let away: unknown = null
    const asked = await this.#sources.ask(hash).catch((error: unknown) => {
      if (!older) throw error
      away = error
      return { state: 'unknown' as const }
    })
    const answer = asked.state === 'unknown' && older ? await older(hash) : asked
    // Identity might have known it.
    if (answer.state === 'unknown' && away) throw away
    if (answer.state !== 'good') throw new DomainError('not_authenticated', { details: { reason: 'bad_key' } })
    const { id, user_id, scopes, monthly_prompts } = answer.key
    return keyActor(user_id, { id, scopes, monthlyPrompts: monthly_prompts })
  }
}

/** A person by something that they gave away: never staff, never freshly confirmed. It was made by a session with every factor there is. */
export const keyActor = (userId: string, key: NonNullable<UserActor['key']>): UserActor => ({
  kind: 'user',
  id: userId,
  email: null,
  phone: null,
  sessionId: key.id,
  aal: 'aal1',
  amr: [],
  mfa: true,
  staff: false,
  anonymous: false,
  metadata: {},
  key,
})

type Asked = Pick<Endpoint, 'apiKeys' | 'resource' | 'action'> & { path: string }

/** A key opens the endpoints that take keys and the capabilities it was given, and nothing else. */
export function checkScope(contract: Asked, actor: { kind: string; key?: UserActor['key'] }): void {
  if (!actor.key || contract.apiKeys || contract.resource) return
  if (!contract.action || !allows(actor.key.scopes, contract)) throw new DomainError('key_scope')
}

/** A key that may change things may also ask the person for what it may not do itself. */
export const mayPropose = ({ action }: Pick<Asked, 'action'>, actor: { kind: string; key?: UserActor['key'] }): boolean =>
  action !== undefined && action.effect !== 'reads' && ['changes', 'all'].some((scope) => actor.key?.scopes.includes(scope))

/** `reads` and `changes` open every capability of that effect; what spends, sends or destroys has to be named itself. */
export function allows(scopes: readonly string[], { path, action }: Pick<Asked, 'path' | 'action'>): boolean {
  if (!action) return false
  const { effect } = action
  if (scopes.includes(`do:${path.slice(path.lastIndexOf('/') + 1)}`)) return true
  return (effect === 'reads' || effect === 'changes') && (scopes.includes(effect) || scopes.includes('all'))
}
