import type { Input } from '@operon/contracts/contract'
import type * as admin from '@operon/contracts/identity/admin'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { issueOneTime, secretsOf } from '../codes/one-time.ts'
import { type AuthCtx, invalid, refuse } from '../deps.ts'
import { sendLetter } from '../mail/letters.ts'
import { linkTo } from '../mail/send.ts'
import { checkStrength } from '../passwords/strength.ts'
import type { OneTimeType } from '../schema.ts'
import { readEmail } from '../users/addresses.ts'
import { audit } from '../users/audit.ts'
import { readProfile } from '../users/profile.ts'
import { readRedirect } from '../users/redirects.ts'
import { changeUser, createUser, findUser, type Trx, type UserJson, userJson } from '../users/users.ts'

const taken = () => refuse(422, 'email_exists', 'A user with this email address has already been registered')

export async function adminInvite(ctx: AuthCtx, input: Input<typeof admin.adminInvite>): Promise<UserJson> {
  const email = readEmail(input.email)
  const data = readProfile(input.data ?? {})
  const known = await findUser(ctx.db, { email })
  if (known?.email_confirmed_at) throw taken()
  return inTransaction(ctx.db, async (trx: Trx) => {
    const userId = known?.id ?? (await createUser(trx, { email, provider: 'email', data, invited: true }))
    if (!userId) throw taken()
    await audit(trx, ctx, userId, 'user_invited')
    await sendLetter(trx, ctx.deps, {
      userId,
      to: email,
      kind: 'invite',
      redirectTo: readRedirect(ctx.deps, input.redirect_to),
      claim: { data },
    })
    return userJson((await findUser(trx, { id: userId }))!)
  })
}

type Ask = Input<typeof admin.adminGenerateLink>
const typesOf: Record<string, OneTimeType> = {
  signup: 'confirmation',
  invite: 'confirmation',
  magiclink: 'recovery',
  recovery: 'recovery',
  email_change_current: 'email_change_current',
  email_change_new: 'email_change_new',
}

/** The link that a mail would carry, for those who send their own. */
export async function adminGenerateLink(ctx: AuthCtx, input: Ask) {
  const { rt, hasher } = ctx.deps
  const email = readEmail(input.email)
  const data = readProfile(input.data ?? {})
  const user = await findUser(ctx.db, { email })
  // A magic link for somebody new is a sign-up.
  const type = input.type === 'magiclink' && !user ? 'signup' : (input.type ?? '')
  const oneTime = Object.hasOwn(typesOf, type) ? typesOf[type]! : undefined
  if (!oneTime) throw invalid(`Invalid email action link type requested: ${type}`)
  if (!user && ['recovery', 'email_change_current', 'email_change_new'].includes(type))
    throw refuse(404, 'user_not_found', 'User with this email not found')
  if (user?.email_confirmed_at && (type === 'signup' || type === 'invite')) throw taken()
  if (type === 'signup' && input.type === 'signup' && !input.password) throw invalid('Signup requires a valid password')
  if (input.password) checkStrength(ctx, input.password, [email])
  const passwordHash = input.password && type === 'signup' ? await hasher.hash(input.password) : null
  const claim = oneTime === 'confirmation' ? { ...(passwordHash && { password_hash: passwordHash }), data } : null
  const redirect_to = readRedirect(ctx.deps, input.redirect_to)
  const id = newId()
  const { token, code } = secretsOf(rt.vault, id)
  const whole = await inTransaction(ctx.db, async (trx: Trx) => {
    const userId = user?.id ?? (await createUser(trx, { email, provider: 'email', passwordHash, data, invited: type === 'invite' }))
    if (!userId) throw taken()
    const newEmail = type.startsWith('email_change') ? readEmail(input.new_email) : null
    if (newEmail && (await findUser(trx, { email: newEmail }))?.email_confirmed_at) throw taken()
    if (newEmail) await changeUser(trx, userId, { email_change: newEmail, email_change_confirmed: 0, email_change_sent_at: new Date() })
    await issueOneTime(trx, ctx.deps, { id, userId, type: oneTime, relatesTo: type === 'email_change_new' ? newEmail! : email, claim })
    await audit(trx, ctx, userId, 'link_generated', { type })
    return (await findUser(trx, { id: userId }))!
  })
  const verifyType = type.startsWith('email_change') ? 'email_change' : type
  return {
    ...userJson(whole),
    action_link: linkTo(rt.kit.PUBLIC_URL, verifyType, token, redirect_to),
    email_otp: code,
    hashed_token: token,
    verification_type: type,
    redirect_to,
  }
}
