import type { Input, Payload } from '@operon/contracts/contract'
import type * as auth from '@operon/contracts/identity/auth'
import * as identity from '@operon/contracts/identity/events'
import type { JobRun } from '@operon/kit/jobs/jobs'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { followUpId, readChallenge } from '../codes/one-time.ts'
import { type AuthCtx, invalid, refuse } from '../deps.ts'
import { limitMail, type MessageKind } from '../limits.ts'
import { checkCaptcha } from '../passwords/captcha.ts'
import type { Claim } from '../schema.ts'
import { readEmail, readPhone } from '../users/addresses.ts'
import { audit } from '../users/audit.ts'
import { readProfile } from '../users/profile.ts'
import { readRedirect } from '../users/redirects.ts'
import { createUser, currentUser, findUser, type Trx, type User } from '../users/users.ts'
import { sendCodeBySms, sendLetter } from './letters.ts'

type Asked = Payload<typeof identity.requestMail>
type Challenged = {
  code_challenge?: string | null | undefined
  code_challenge_method?: string | null | undefined
  gotrue_meta_security?: { captcha_token?: string | null | undefined } | null | undefined
  redirect_to?: string | null | undefined
}

const countedAs = {
  signup: 'confirmation',
  sms: 'confirmation',
  magic_link: 'recovery',
  recovery: 'recovery',
  email_change: 'email_change',
  phone_change: 'phone_change',
} as const satisfies Record<Asked['kind'], MessageKind>

/** One insert, whoever it is for: whether the address has an account is looked at by the job. */
async function ask(ctx: AuthCtx, input: Challenged, wanted: Pick<Asked, 'kind'> & Partial<Asked>): Promise<Record<string, never>> {
  await checkCaptcha(ctx, input.gotrue_meta_security?.captcha_token)
  const challenge = readChallenge(input)
  await limitMail(ctx, wanted.email ?? wanted.phone ?? '', countedAs[wanted.kind])
  const redirect_to = readRedirect(ctx.deps, input.redirect_to)
  await inTransaction(ctx.db, (trx) =>
    enqueue(trx, identity.requestMail, {
      create_user: false,
      data: {},
      redirect_to,
      code_challenge: challenge?.challenge ?? null,
      code_challenge_method: challenge?.method ?? null,
      ip: ctx.ip,
      user_agent: ctx.userAgent,
      ...wanted,
    }),
  )
  return {}
}

export async function requestOtp(ctx: AuthCtx, input: Input<typeof auth.otp>) {
  const { config } = ctx.deps
  if (input.email && input.phone) throw invalid('Only an email address or phone number should be provided')
  if (!input.email && !input.phone) throw invalid('You must provide either an email or phone number.')
  const create_user = (input.create_user ?? true) && !config.AUTH_DISABLE_SIGNUP
  const data = readProfile(input.data ?? {})
  if (input.email) return ask(ctx, input, { kind: 'magic_link', email: readEmail(input.email), create_user, data })
  if (!config.AUTH_PHONE) throw refuse(400, 'phone_provider_disabled', 'Unsupported phone provider')
  if (input.channel && input.channel !== 'sms')
    throw invalid(
      "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
    )
  return ask(ctx, input, { kind: 'sms', phone: readPhone(input.phone), create_user, data })
}

export async function requestMagicLink(ctx: AuthCtx, input: Input<typeof auth.magicLink>) {
  if (!input.email) throw refuse(422, 'validation_failed', 'Password recovery requires an email')
  return ask(ctx, input, {
    kind: 'magic_link',
    email: readEmail(input.email),
    create_user: !ctx.deps.config.AUTH_DISABLE_SIGNUP,
    data: readProfile(input.data ?? {}),
  })
}

export async function requestRecovery(ctx: AuthCtx, input: Input<typeof auth.recover>) {
  if (!input.email) throw invalid('Password recovery requires an email')
  return ask(ctx, input, { kind: 'recovery', email: readEmail(input.email) })
}

export async function resend(ctx: AuthCtx, input: Input<typeof auth.resend>) {
  const kinds = { signup: 'signup', email_change: 'email_change', sms: 'sms', phone_change: 'phone_change' } as const
  const kind = kinds[input.type as keyof typeof kinds]
  if (!kind) throw invalid('Missing one of these types: signup, email_change, sms, phone_change')
  if (input.email && input.phone) throw invalid('Only an email address or phone number should be provided.')
  if (!input.email && !input.phone) throw invalid('You must provide either an email or phone number.')
  if (kind === 'signup' && !input.email) throw invalid('Type provided requires an email address')
  if (kind === 'sms' && !input.phone) throw invalid('Type provided requires a phone number')
  return ask(ctx, input, { kind, repeats: true, ...(input.email ? { email: readEmail(input.email) } : { phone: readPhone(input.phone) }) })
}

export async function reauthenticate(ctx: AuthCtx, _input: unknown): Promise<Record<string, never>> {
  const { user } = await currentUser(ctx)
  if (!user.email && !user.phone) throw invalid('Reauthentication requires the user to have an email or a phone number')
  if (user.email && !user.email_confirmed_at) throw refuse(422, 'email_not_confirmed', 'Please verify your email first.')
  await limitMail(ctx, user.email ?? user.phone!, 'reauthentication')
  await inTransaction(ctx.db, async (trx: Trx) => {
    await audit(trx, ctx, user.id, 'user_reauthenticate_requested')
    if (user.email)
      await sendLetter(trx, ctx.deps, { userId: user.id, to: user.email, kind: 'reauthentication', redirectTo: ctx.deps.rt.kit.PUBLIC_URL })
    else await sendCodeBySms(trx, ctx.deps, { userId: user.id, phone: user.phone!, type: 'reauthentication' })
  })
  return {}
}

/** The job behind every request: finds who it is for and sends what fits them, or nothing. Runs again harmlessly, because its ids follow from the job's. */
export async function answerMailRequest(caller: AuthCtx, { id, payload }: JobRun<Asked>): Promise<void> {
  const ctx = { ...caller, ip: payload.ip, userAgent: payload.user_agent }
  await inTransaction(ctx.db, async (trx: Trx) => {
    const letterId = followUpId(id, 'letter')
    const found = await recipient(trx, ctx, payload)
    if (!found) return
    const { user, isNew } = found
    // Asked for again, the letter of a sign-up still stands for that sign-up; any other proves the address and nothing set up before it.
    const isRepeat = payload.repeats || payload.kind === 'signup' || payload.kind === 'email_change'
    const claim = isRepeat ? undefined : isNew ? { data: payload.data } : null
    if (payload.kind === 'sms' || payload.kind === 'phone_change') return sendText(trx, ctx, letterId, user, payload, claim)
    const kind = letterFor(user, payload.kind)
    if (!kind) return
    const { redirect_to, code_challenge, code_challenge_method } = payload
    const redirectTo = redirect_to ?? ctx.deps.rt.kit.PUBLIC_URL
    const to = kind === 'email_change_new' ? user.email_change! : payload.email!
    await audit(trx, ctx, user.id, kind === 'signup' ? 'user_confirmation_requested' : 'user_recovery_requested', { kind })
    await sendLetter(trx, ctx.deps, { id: letterId, userId: user.id, to, kind, redirectTo, claim, code_challenge, code_challenge_method })
  })
}

async function recipient(
  trx: Trx,
  ctx: AuthCtx,
  { email, phone, create_user, data, kind }: Asked,
): Promise<{ user: User; isNew: boolean } | null> {
  const known = await findUser(trx, email ? { email } : { phone: phone! })
  if (known) return { user: known, isNew: false }
  if (!create_user) return null
  const provider = email ? 'email' : 'phone'
  const id = await createUser(trx, {
    email: email ?? null,
    phone: phone ?? null,
    provider,
    data,
    confirmed: kind === 'magic_link' && ctx.deps.config.AUTH_AUTOCONFIRM,
  })
  const user = await findUser(trx, id ? { id } : email ? { email } : { phone: phone! })
  return user && { user, isNew: id !== null }
}

function letterFor(user: User, kind: Exclude<Asked['kind'], 'sms' | 'phone_change'>) {
  if (kind === 'magic_link') return user.email_confirmed_at ? 'magic_link' : 'signup'
  if (kind === 'recovery') return 'recovery'
  if (kind === 'signup') return user.email_confirmed_at ? null : 'signup'
  return user.email_change ? 'email_change_new' : null
}

async function sendText(trx: Trx, ctx: AuthCtx, id: string, user: User, { kind, phone }: Asked, claim: Claim | null | undefined) {
  const type = kind === 'phone_change' ? 'phone_change' : 'sms'
  const to = type === 'phone_change' ? user.phone_change : phone
  if (!to) return
  await audit(trx, ctx, user.id, 'user_recovery_requested', { channel: 'sms' })
  await sendCodeBySms(trx, ctx.deps, { id, userId: user.id, phone: to, type, claim })
}
