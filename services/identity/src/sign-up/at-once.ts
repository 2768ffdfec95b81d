import { inTransaction } from '@operon/kit/tx'
import { type AuthCtx, refuse } from '../deps.ts'
import { beginSession, type SessionJson } from '../sessions/sessions.ts'
import { audit } from '../users/audit.ts'
import { createUser, type Trx } from '../users/users.ts'

/** Where the instance confirms addresses itself, the account begins with its session. */
export async function signUpAtOnce(
  ctx: AuthCtx,
  account: { email: string } | { phone: string },
  password: string,
  data: Record<string, unknown>,
): Promise<SessionJson> {
  const provider = 'email' in account ? 'email' : 'phone'
  const passwordHash = await ctx.deps.hasher.hash(password)
  return inTransaction(ctx.db, async (trx: Trx) => {
    const userId = await createUser(trx, { ...account, passwordHash, provider, data, confirmed: true })
    if (!userId) throw refuse(422, 'user_already_exists', 'User already registered')
    await audit(trx, ctx, userId, 'user_signedup', { provider })
    return beginSession(trx, ctx, userId, 'password')
  })
}
