import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { redeemCode } from '../codes/one-time.ts'
import { type AuthCtx, refuse } from '../deps.ts'
import { takeGuess } from '../limits.ts'
import { demandSecondFactor, type User } from './users.ts'

const FRESH_S = 600
const RECOVERY_S = 3600
/** These begin a session without a proof of anything. */
const PROVE_NOTHING = ['anonymous', 'demo']

export type Session = { id: string; aal: 'aal1' | 'aal2'; amr: { method: string; timestamp: number }[] }
type Given = { current_password?: string | null | undefined; nonce?: string | null | undefined }

/**
 * Only somebody who has just shown who they are may change what opens an account: a session left open somewhere must not be enough.
 * The password of now, a code by email or text message, or a sign-in within the last ten minutes; for a new password a recovery link of the last hour.
 */
export async function demandFreshProof(ctx: AuthCtx, user: User, session: Session, what: string, given: Given = {}): Promise<void> {
  demandSecondFactor(user, session, what)
  if (given.current_password) return checkCurrentPassword(ctx, user, given.current_password)
  if (given.nonce) return checkNonce(ctx, user, given.nonce)
  if (user.is_anonymous || isFresh(session)) return
  throw refuse(400, 'reauthentication_needed', `Reauthentication is required to ${what}`)
}

/** The same for a named function, in the code that asks for it there. */
export function demandFreshSession(user: User, session: Session): void {
  if (!user.is_anonymous && !isFresh(session)) throw new DomainError('aal2_required')
}

export function isFresh({ amr }: Session): boolean {
  return amr.some(({ method, timestamp }) => !PROVE_NOTHING.includes(method) && ageS(timestamp) < FRESH_S)
}

/** Begun by the link or code of a recovery letter. */
export function isFromRecovery({ amr }: Session): boolean {
  return amr.some(({ method, timestamp }) => method === 'recovery' && ageS(timestamp) < RECOVERY_S)
}

const ageS = (timestamp: number) => now() / 1000 - timestamp

async function checkCurrentPassword(ctx: AuthCtx, user: User, password: string): Promise<void> {
  // By account, from wherever: whoever holds a stolen session must not guess on from other addresses.
  const giveBack = await takeGuess(ctx, 'current-password', user.id)
  if (!(await ctx.deps.hasher.verify(password, user.password_hash)).ok)
    throw refuse(400, 'current_password_invalid', 'The current password is not right.')
  await giveBack()
}

async function checkNonce(ctx: AuthCtx, user: User, nonce: string): Promise<void> {
  const address = user.email ?? user.phone ?? ''
  await takeGuess(ctx, 'code', address)
  const redeemed = await redeemCode(ctx.deps, address, nonce, ['reauthentication'], { userId: user.id })
  if (!redeemed) throw refuse(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid')
}
