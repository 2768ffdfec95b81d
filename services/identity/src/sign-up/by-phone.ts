import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { type AuthCtx, refuse } from '../deps.ts'
import { limitMail } from '../limits.ts'
import { sendCodeBySms } from '../mail/letters.ts'
import { checkStrength } from '../passwords/strength.ts'
import type { SessionJson } from '../sessions/sessions.ts'
import { readPhone } from '../users/addresses.ts'
import { audit } from '../users/audit.ts'
import { createUser, findUser, nameOf, type Trx, type User, type UserJson } from '../users/users.ts'
import { signUpAtOnce } from './at-once.ts'
import { andUndo, beginAnew, claimOf, inSteps, unconfirmed } from './unproven.ts'

/** Answers as a sign-up by email does. The owner of a number that already has an account gets no message. */
export async function signUpByPhone(
  ctx: AuthCtx,
  input: { phone?: string | null | undefined },
  password: string,
  data: Record<string, unknown>,
): Promise<SessionJson | UserJson> {
  const phone = readPhone(input.phone)
  if (!ctx.deps.config.AUTH_PHONE) throw refuse(400, 'phone_provider_disabled', 'Phone signups are disabled')
  checkStrength(ctx, password, [nameOf(data)])
  if (ctx.deps.config.AUTH_PHONE_AUTOCONFIRM) return signUpAtOnce(ctx, { phone }, password, data)
  await limitMail(ctx, phone)
  const answered = inSteps()
  const passwordHash = await ctx.deps.hasher.hash(password)
  const known = await findUser(ctx.db, { phone })
  const taken = Boolean(known?.phone_confirmed_at)
  const userId = await inTransaction(ctx.db, async (trx: Trx) => {
    const asked = { phone: taken ? newId() : phone, passwordHash, data }
    const created = await andUndo(taken, trx, () => askByText(trx, ctx, taken ? null : known, asked))
    return known ? newId() : created
  })
  await answered()
  return unconfirmed(userId, { provider: 'phone', email: '', phone }, data)
}

async function askByText(
  trx: Trx,
  ctx: AuthCtx,
  known: User | null,
  { phone, passwordHash, data }: { phone: string; passwordHash: string; data: Record<string, unknown> },
) {
  if (known) await beginAnew(trx, known.id, passwordHash, data)
  const userId = known ? known.id : await createUser(trx, { phone, passwordHash, provider: 'phone', data })
  if (!userId) return newId()
  await audit(trx, ctx, userId, 'user_confirmation_requested', { provider: 'phone' })
  await sendCodeBySms(trx, ctx.deps, { userId, phone, type: 'sms', claim: claimOf(known, passwordHash, data) })
  return userId
}
