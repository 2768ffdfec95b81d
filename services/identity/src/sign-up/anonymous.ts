import type { Input } from '@operon/contracts/contract'
import type * as auth from '@operon/contracts/identity/auth'
import { inTransaction } from '@operon/kit/tx'
import { type AuthCtx, refuse } from '../deps.ts'
import { limitByAddress } from '../limits.ts'
import { checkCaptcha } from '../passwords/captcha.ts'
import { beginSession, type SessionJson } from '../sessions/sessions.ts'
import { audit } from '../users/audit.ts'
import { readProfile } from '../users/profile.ts'
import { createUser, type Trx } from '../users/users.ts'

export async function signUpAnonymously(ctx: AuthCtx, input: Input<typeof auth.signUp>): Promise<SessionJson> {
  const { config } = ctx.deps
  if (!config.AUTH_ANONYMOUS) throw refuse(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
  await limitByAddress(ctx, 'anonymous', config.LIMIT_ANONYMOUS_PER_HOUR, 3_600_000)
  await checkCaptcha(ctx, input.gotrue_meta_security?.captcha_token)
  return inTransaction(ctx.db, async (trx: Trx) => {
    const userId = (await createUser(trx, { provider: 'anonymous', anonymous: true, data: readProfile(input.data ?? {}) }))!
    await audit(trx, ctx, userId, 'user_signedup', { provider: 'anonymous' })
    return beginSession(trx, ctx, userId, 'anonymous')
  })
}
