import { type DemoUse, demoUseOf, type Endpoint } from '@operon/contracts/contract'
import { now } from './clock.ts'
import type { Actor, UserActor } from './context.ts'
import { DomainError } from './errors.ts'

// The rights of a caller who is known.

const REAUTHENTICATED_WITHIN_S = 600
const anonymous: Actor = { kind: 'anonymous' }

/** Signed in with a password alone where the account has a second factor. A key was made by a session that had both. */
export const isHalfSignedIn = (actor: Actor): boolean => actor.kind === 'user' && actor.mfa && actor.aal !== 'aal2' && !actor.key

type Guarded = Pick<Endpoint, 'access' | 'halfSignedIn'> &
  Partial<Pick<Endpoint, 'method' | 'rate' | 'action' | 'demo'>> & { kind?: string }

/** The actor that a call speaks for under its contract. Throws the refusal. */
export function checkAccess(contract: Guarded, actor: Actor, method = contract.method): Actor {
  const { access, halfSignedIn } = contract
  if (actor.kind === 'user' && actor.demo) checkDemo(demoUseOf(contract, method), actor.demo)
  const isHalf = !halfSignedIn && isHalfSignedIn(actor)
  if (access === 'public') return isHalf ? anonymous : actor
  if (isHalf) throw new DomainError('insufficient_aal')
  if (access === 'service') {
    if (actor.kind !== 'service') throw new DomainError(actor.kind === 'anonymous' ? 'not_authenticated' : 'forbidden')
    return actor
  }
  if (actor.kind === 'service' && access === 'staff') return actor
  if (actor.kind !== 'user') throw new DomainError('not_authenticated')
  if (access === 'staff' && !actor.staff) throw new DomainError('forbidden')
  if (access === 'aal2' && !isConfirmed(actor)) throw new DomainError('aal2_required')
  return actor
}

/** A demo has no credentials and no money, and where real people come it changes nothing. */
function checkDemo(use: DemoUse, { readsOnly }: { readsOnly: boolean }): void {
  if (readsOnly && use !== 'reads') throw new DomainError('demo_reads_only')
  if (use === 'never') throw new DomainError('demo_never')
}

/** Shown within the last ten minutes who they are, with the second factor where there is one. A session that is older proves nothing, whatever its level. */
function isConfirmed(actor: UserActor): boolean {
  if (actor.mfa && actor.aal !== 'aal2') return false
  const newest = Math.max(0, ...actor.amr.map((way) => way.timestamp))
  return now() / 1000 - newest < REAUTHENTICATED_WITHIN_S
}
