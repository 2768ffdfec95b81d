import type { AuthCtx } from '../deps.ts'
import { announce } from '../mail/notices.ts'
import type { Claim } from '../schema.ts'
import { resetAccess } from '../sessions/reset-access.ts'
import { type Ended, endSessions } from '../sessions/sessions.ts'
import { audit } from './audit.ts'
import { termsIn } from './terms.ts'
import { changeUser, hasSecondFactor, syncProviders, type Trx, type User } from './users.ts'

type Proof = {
  /** The sign-in that made the proof; its identity stays. */
  provider: 'email' | 'phone' | null
  /** The data that came with the letter or message that was opened. */
  claim: Claim | null
  /** The choice made on the confirmation page. */
  passwordHash?: string | null
  /** A flow that the letter itself began. */
  flowId?: string | null
  /** A new password is set next. */
  isRecovery?: boolean
}

/**
 * The first proof of an address. Anything set up earlier came from a person who had not shown that the address is theirs, so every credential, factor,
 * identity and session of the account ends, except what came with the letter that was opened.
 */
export async function keepOnlyProven(trx: Trx, ctx: AuthCtx, user: User, proof: Proof): Promise<Ended[]> {
  const { provider, claim, flowId = null } = proof
  const kept: Claim = claim?.rival ? {} : (claim ?? {})
  const passwordHash = proof.passwordHash ?? kept.password_hash ?? null
  // An account that was used before its proof keeps its profile; what a mere sign-up said goes with it.
  const data = kept.data ?? (user.email_confirmed_at || user.phone_confirmed_at ? null : {})
  await trx
    .deleteFrom('identities')
    .where('user_id', '=', user.id)
    .where('provider', '!=', provider ?? '')
    .$if(Boolean(kept.identity_id), (query) => query.where('id', '!=', kept.identity_id!))
    .execute()
  for (const table of ['factors', 'passkeys', 'recovery_codes', 'one_time_tokens'] as const)
    await trx.deleteFrom(table).where('user_id', '=', user.id).execute()
  await trx
    .deleteFrom('flows')
    .where((or) => or.or([or('user_id', '=', user.id), or('link_user_id', '=', user.id)]))
    .$if(flowId !== null, (query) => query.where('id', '!=', flowId!))
    .execute()
  await changeUser(trx, user.id, {
    password_hash: passwordHash,
    email_change: null,
    email_change_confirmed: 0,
    phone_change: null,
    ...(provider !== 'phone' && { phone: null, phone_confirmed_at: null }),
    ...(data && { user_metadata: JSON.stringify(data), terms_version: null, terms_accepted_at: null, ...termsIn(data) }),
  })
  await syncProviders(trx, user.id)
  const ended = await endSessions(trx, user.id)
  const lostPassword = user.password_hash !== null && passwordHash === null
  if (!lostPassword && !ended.length && !hasSecondFactor(user)) return ended
  await audit(trx, ctx, user.id, 'unproven_access_removed')
  await resetAccess(trx, ctx, user.id, 'first_proof')
  if (lostPassword && !proof.isRecovery) await announce(trx, ctx, { ...user, phone_confirmed_at: new Date() }, 'password_dropped')
  return ended
}
