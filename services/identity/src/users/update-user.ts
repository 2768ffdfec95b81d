import type { Input } from '@operon/contracts/contract'
import type * as auth from '@operon/contracts/identity/auth'
import { inTransaction } from '@operon/kit/tx'
import { sql, type Updateable } from 'kysely'
import { readChallenge } from '../codes/one-time.ts'
import { type AuthCtx, invalid, refuse } from '../deps.ts'
import { limitMail } from '../limits.ts'
import { sendCodeBySms, sendLetter } from '../mail/letters.ts'
import { notify } from '../mail/notices.ts'
import { checkStrength } from '../passwords/strength.ts'
import type { IdentityDb } from '../schema.ts'
import { resetAccess } from '../sessions/reset-access.ts'
import { announceRevoked, type Ended, endSessions } from '../sessions/sessions.ts'
import { readEmail, readPhone } from './addresses.ts'
import { audit } from './audit.ts'
import { confirmEmailChange, confirmPhoneChange, demandFree } from './confirm.ts'
import { readProfile } from './profile.ts'
import { readRedirect } from './redirects.ts'
import { demandFreshProof, isFromRecovery } from './step-up.ts'
import { acceptedAgain, termsIn } from './terms.ts'
import { changeUser, currentUser, demandSecondFactor, findUser, nameOf, type Trx, type User, type UserJson, userJson } from './users.ts'

type Update = Input<typeof auth.updateUser>

export async function updateUser(ctx: AuthCtx, input: Update): Promise<UserJson> {
  const { user, session } = await currentUser(ctx)
  const email = input.email ? readEmail(input.email) : null
  const phone = input.phone ? readPhone(input.phone) : null
  const password = input.password || null
  const newEmail = email !== user.email ? email : null
  // A number that was only typed, by the service key, is confirmed the way a new one is.
  const newPhone = phone !== user.phone || !user.phone_confirmed_at ? phone : null
  const data = input.data && readProfile(input.data, user.user_metadata)
  const terms = termsIn(data ?? {})
  readChallenge(input)
  if (input.app_metadata) throw refuse(403, 'not_admin', 'Updating app_metadata requires admin privileges')
  const isReset = Boolean(password) && !newEmail && !newPhone && isFromRecovery(session)
  if (isReset && !input.current_password) demandSecondFactor(user, session, 'update email or password')
  else if (password || newEmail || newPhone || input.current_password)
    await demandFreshProof(ctx, user, session, 'update email or password', input)
  if (password && user.is_anonymous && !email && !phone)
    throw refuse(422, 'validation_failed', 'Updating password of an anonymous user without an email or phone is not allowed')
  if (newEmail) await demandFree(ctx.db, 'email', newEmail)
  if (newPhone) await demandFree(ctx.db, 'phone', newPhone)
  const passwordHash = password ? await newPassword(ctx, user, { ...input, password }) : null
  if (newEmail) await limitMail(ctx, newEmail, 'email_change')
  if (newPhone && !ctx.deps.config.AUTH_PHONE_AUTOCONFIRM) await limitMail(ctx, newPhone, 'phone_change')

  const ended = await inTransaction(ctx.db, async (trx: Trx) => {
    const set: Updateable<IdentityDb['users']> = {}
    if (data) set.user_metadata = merged(data)
    if (terms) Object.assign(set, acceptedAgain(terms))
    if (passwordHash) set.password_hash = passwordHash
    if (data || passwordHash) await changeUser(trx, user.id, set)
    if (newEmail) await changeEmail(trx, ctx, user, newEmail, input)
    if (newPhone) await changePhone(trx, ctx, user, newPhone)
    await audit(trx, ctx, user.id, 'user_modified', {
      fields: [input.data && 'data', password && 'password', newEmail && 'email', newPhone && 'phone'].filter(Boolean),
    })
    return passwordHash ? passwordChanged(trx, ctx, user, session.id, isReset) : []
  })
  await announceRevoked(ctx.deps, ended)
  return userJson((await findUser(ctx.db, { id: user.id }))!)
}

/** A null takes a key away, as the protocol has it. */
export const merged = (data: Record<string, unknown>, column: 'user_metadata' | 'app_metadata' = 'user_metadata') =>
  sql`jsonb_strip_nulls(${sql.ref(column)} || ${JSON.stringify(data)}::jsonb)` as never

export async function newPassword(
  ctx: AuthCtx,
  user: User,
  input: { password: string; email?: string | null | undefined },
): Promise<string> {
  const { hasher } = ctx.deps
  checkStrength(ctx, input.password, [user.email, input.email, nameOf(user.user_metadata)])
  if (user.password_hash && (await hasher.verify(input.password, user.password_hash)).ok) {
    throw refuse(422, 'same_password', 'New password should be different from the old password.')
  }
  return hasher.hash(input.password)
}

/** After a reset, what was handed out to call with ends as well: whoever had the password may have made it. */
export async function passwordChanged(trx: Trx, ctx: AuthCtx, user: User, sessionId: string, isReset: boolean): Promise<Ended[]> {
  if (isReset) await resetAccess(trx, ctx, user.id, 'password_reset')
  await audit(trx, ctx, user.id, 'user_updated_password')
  await trx.deleteFrom('one_time_tokens').where('user_id', '=', user.id).where('type', '=', 'recovery').execute()
  await notify(trx, ctx, user, 'password_changed')
  return endSessions(trx, user.id, { except: sessionId })
}

/** Both addresses agree by mail; somebody who has none yet only proves the new one. */
async function changeEmail(trx: Trx, ctx: AuthCtx, user: User, email: string, input: Update): Promise<void> {
  const { deps } = ctx
  await changeUser(trx, user.id, { email_change: email, email_change_confirmed: 0, email_change_sent_at: new Date() })
  if (user.is_anonymous && deps.config.AUTH_AUTOCONFIRM)
    return void (await confirmEmailChange(trx, ctx, { ...user, email_change: email }, { proven: false }))
  const letter = {
    userId: user.id,
    redirectTo: readRedirect(deps, input.redirect_to),
    code_challenge: input.code_challenge,
    code_challenge_method: input.code_challenge_method,
  }
  if (user.email) await sendLetter(trx, deps, { ...letter, kind: 'email_change_current', to: user.email, detail: { new_email: email } })
  await sendLetter(trx, deps, { ...letter, kind: 'email_change_new', to: email })
}

async function changePhone(trx: Trx, ctx: AuthCtx, user: User, phone: string): Promise<void> {
  if (!ctx.deps.config.AUTH_PHONE) throw invalid('Phone logins are disabled')
  await changeUser(trx, user.id, { phone_change: phone, phone_change_sent_at: new Date() })
  if (ctx.deps.config.AUTH_PHONE_AUTOCONFIRM)
    return void (await confirmPhoneChange(trx, ctx, { ...user, phone_change: phone }, phone, { proven: false }))
  await sendCodeBySms(trx, ctx.deps, { userId: user.id, phone, type: 'phone_change' })
}
