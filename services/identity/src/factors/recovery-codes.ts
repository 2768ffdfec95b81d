import { createHmac, randomInt } from 'node:crypto'
import { inTransaction } from '@operon/kit/tx'
import type { Vault } from '@operon/kit/vault'
import { type AuthCtx, refuse } from '../deps.ts'
import { takeGuess } from '../limits.ts'
import { notify } from '../mail/notices.ts'
import { isFamiliar } from '../sessions/familiar.ts'
import { type SessionJson, strengthenSession } from '../sessions/sessions.ts'
import { audit } from '../users/audit.ts'
import { demandFreshSession } from '../users/step-up.ts'
import { currentUser, hasSecondFactor, type Trx } from '../users/users.ts'

const COUNT = 10
// Without look-alikes: these are copied by hand.
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Ten codes, shown once and kept as keyed hashes; the ones before end. */
export async function makeRecoveryCodes(ctx: AuthCtx, _input: unknown): Promise<{ codes: string[] }> {
  const { user, session } = await currentUser(ctx)
  demandFreshSession(user, session)
  if (!hasSecondFactor(user)) throw refuse(422, 'mfa_factor_not_found', 'Recovery codes stand in for a second factor. Add one first.')
  const codes = Array.from({ length: COUNT }, () => `${part()}-${part()}`)
  await inTransaction(ctx.db, async (trx: Trx) => {
    await trx.deleteFrom('recovery_codes').where('user_id', '=', user.id).execute()
    await trx
      .insertInto('recovery_codes')
      .values(codes.map((code) => ({ user_id: user.id, code_hash: hashOf(ctx.deps.rt.vault, user.id, code) })))
      .execute()
    await notify(trx, ctx, user, 'recovery_codes_created')
    await audit(trx, ctx, user.id, 'recovery_codes_created')
  })
  return { codes }
}

/** A code in place of the second factor: works once, lifts the session to aal2. */
export async function useRecoveryCode(ctx: AuthCtx, { code }: { code: string }): Promise<SessionJson> {
  const { user, session } = await currentUser(ctx)
  await takeGuess(ctx, 'recovery-code', user.id, await isFamiliar(ctx, 'id', user.id))
  return inTransaction(ctx.db, async (trx: Trx) => {
    const used = await trx
      .updateTable('recovery_codes')
      .set({ used_at: new Date() })
      .where('user_id', '=', user.id)
      .where('code_hash', '=', hashOf(ctx.deps.rt.vault, user.id, code))
      .where('used_at', 'is', null)
      .returning('user_id')
      .executeTakeFirst()
    if (!used) throw refuse(422, 'mfa_verification_failed', 'This recovery code is not valid or was used before.')
    await notify(trx, ctx, user, 'recovery_code_used')
    await audit(trx, ctx, user.id, 'recovery_code_used')
    return strengthenSession(trx, ctx, session.id, 'recovery_code', { aal: 'aal2' })
  })
}

const part = () => Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
const hashOf = (vault: Vault, userId: string, code: string) =>
  createHmac('sha256', vault.derive('recovery-codes'))
    .update(`${userId}:${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
    .digest('base64url')
