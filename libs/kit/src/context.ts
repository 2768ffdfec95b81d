import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { DomainError } from './errors.ts'
import type { KitDb } from './schema.ts'

export type UserActor = {
  kind: 'user'
  id: string
  email: string | null
  phone: string | null
  sessionId: string
  aal: 'aal1' | 'aal2'
  /** When each way of signing in was last used, in seconds. */
  amr: { method: string; timestamp: number }[]
  /** Has a verified second factor. */
  mfa: boolean
  staff: boolean
  /** Signed in without an e-mail or phone yet. */
  anonymous: boolean
  metadata: Record<string, unknown>
  /** A visitor's own demo, and whether it only reads. */
  demo?: { readsOnly: boolean }
  /** Came with an API key of their own, or through an app they connected, which may do only this. */
  key?: { id: string; scopes: string[]; monthlyPrompts: number | null; app?: string }
}
export type Actor = { kind: 'anonymous' } | UserActor | { kind: 'service' }

/**
 * The rights of a run or an approval in a person's name, given when the person published or approved it. The service that keeps it looks at
 * each step whether it still stands; the one that is called looks at the person, the action and the time.
 */
export type Grant = { id: string; userId: string; actions: readonly string[]; until: string | null }

/** The person a grant acts for. It outlives sessions: what takes it back is its own id, or the account's suspension. */
export const actorOf = ({ id, userId }: Grant): UserActor => ({
  kind: 'user',
  id: userId,
  email: null,
  phone: null,
  sessionId: id,
  aal: 'aal1',
  amr: [],
  mfa: false,
  staff: false,
  anonymous: false,
  metadata: {},
})

/** The first argument of every domain function: where to work, for whom, and how to log. */
export type Ctx<DB = unknown> = {
  db: Kysely<DB & KitDb>
  actor: Actor
  log: Logger
  requestId: string
  ip: string
  userAgent: string
  /** Aborted when the caller has gone. */
  signal: AbortSignal
  /** The caller's, for a two-phase function that keeps its own state: a call that died finds by it what it began. */
  idempotencyKey?: string
  /** Under which permission, where no session of the person's asks. */
  grant?: Grant
}

export function signedIn(ctx: { actor: Actor }): UserActor {
  if (ctx.actor.kind !== 'user') throw new DomainError('not_authenticated')
  return ctx.actor
}

export const userIdOf = (actor: Actor): string | null => (actor.kind === 'user' ? actor.id : null)
