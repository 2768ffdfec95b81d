import type { Input } from '@operon/contracts/contract'
import type * as auth from '@operon/contracts/identity/auth'
import * as identity from '@operon/contracts/identity/events'
import { now } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { readChallenge } from '../codes/one-time.ts'
import { type AuthCtx, invalid, refuse } from '../deps.ts'
import { limitByAddress, limitMail, mailDelayMs } from '../limits.ts'
import { sendCodeBySms, sendLetter } from '../mail/letters.ts'
import { checkCaptcha } from '../passwords/captcha.ts'
import { checkStrength } from '../passwords/strength.ts'
import type { Claim } from '../schema.ts'
import { beginSession, type SessionJson } from '../sessions/sessions.ts'
import { readEmail, readPhone } from './addresses.ts'
import { audit } from './audit.ts'
import { readProfile } from './profile.ts'
import { readRedirect } from './redirects.ts'
import { termsIn } from './terms.ts'
import { createUser, findUser, nameOf, type Trx, type User, type UserJson } from './users.ts'

type SignUp = Input<typeof auth.signUp>

export async function signUp(ctx: AuthCtx, input: SignUp): Promise<SessionJson | UserJson> {
  const { config } = ctx.deps
  if (!input.email && !input.phone) return signUpAnonymously(ctx, input)
  if (config.AUTH_DISABLE_SIGNUP) throw refuse(422, 'signup_disabled', 'Signups not allowed for this instance')
  await limitByAddress(ctx, 'sign-up', config.LIMIT_SIGN_UP_PER_MINUTE)
  await checkCaptcha(ctx, input.gotrue_meta_security?.captcha_token)
  if (!input.password) throw invalid('Signup requires a valid password')
  if (input.email && input.phone) throw invalid('Only an email address or phone number should be provided on signup.')
  const data = readProfile(input.data ?? {})
  if (!input.email) return signUpByPhone(ctx, readPhone(input.phone), input.password, data)
  const email = readEmail(input.email)
  checkStrength(ctx, input.password, [email, nameOf(data)])
  readChallenge(input)
  return config.AUTH_AUTOCONFIRM ? signUpAtOnce(ctx, { email }, input.password, data) : signUpByLetter(ctx, email, input, data)
}

async function signUpAtOnce(
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

/** Answers the same, after the same time, whether or not the address has an account; its owner gets a mail either way. */
async function signUpByLetter(ctx: AuthCtx, email: string, input: SignUp, data: Record<string, unknown>): Promise<UserJson> {
  const answered = inSteps()
  const passwordHash = await ctx.deps.hasher.hash(input.password!)
  const redirectTo = readRedirect(ctx.deps, input.redirect_to)
  const delayMs = await mailDelayMs(ctx, email)
  const known = await findUser(ctx.db, { email })
  const taken = Boolean(known?.email_confirmed_at)
  const userId = await inTransaction(ctx.db, async (trx: Trx) => {
    const asked: Asked = { email: taken ? `${newId()}@nobody.invalid` : email, passwordHash, data, redirectTo, delayMs, input }
    const created = await andUndo(taken, trx, () => askByLetter(trx, ctx, taken ? null : known, asked))
    if (known && taken) await tellOwner(trx, ctx, known.id, { ...asked, email })
    return known ? newId() : created
  })
  await answered()
  const answer = unconfirmed(userId, { provider: 'email', email, phone: '' }, data)
  // The limit counts by recipient alone, so saying that the mail waits tells nothing about the account.
  return delayMs ? { ...answer, confirmation_sent_at: null } : answer
}

/** The same by text message. The owner of a number that has an account gets none. */
async function signUpByPhone(
  ctx: AuthCtx,
  phone: string,
  password: string,
  data: Record<string, unknown>,
): Promise<SessionJson | UserJson> {
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

const ANSWER_STEP_MS = 100

/** A stop-watch that ends at the next full step. */
function inSteps(): () => Promise<void> {
  const began = performance.now()
  return async () => {
    const spent = performance.now() - began
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(spent / ANSWER_STEP_MS) * ANSWER_STEP_MS - spent))
  }
}

/** For an address that has an account the same is done and undone: on a busy machine its absence would take visibly less. */
async function andUndo(taken: boolean, trx: Trx, ask: () => Promise<string>): Promise<string> {
  await sql`savepoint asked`.execute(trx)
  const userId = await ask()
  await sql.raw(taken ? 'rollback to savepoint asked' : 'release savepoint asked').execute(trx)
  return userId
}

type Asked = {
  email: string
  passwordHash: string
  data: Record<string, unknown>
  redirectTo: string
  delayMs: number
  input: Pick<SignUp, 'code_challenge' | 'code_challenge_method'>
}

/** A new account, or one that nobody has confirmed yet, and the letter to its address. */
async function askByLetter(trx: Trx, ctx: AuthCtx, known: User | null, { email, passwordHash, data, redirectTo, delayMs, input }: Asked) {
  if (known) await beginAnew(trx, known.id, 'email_confirmed_at', passwordHash, data)
  const userId = known ? known.id : await createUser(trx, { email, passwordHash, provider: 'email', data })
  if (!userId) return newId()
  await audit(trx, ctx, userId, 'user_confirmation_requested', { provider: 'email' })
  const { code_challenge, code_challenge_method } = input
  const claim = claimOf(known, passwordHash, data, ctx.deps.config.AUTH_STAFF_EMAILS.includes(email))
  await sendLetter(trx, ctx.deps, { userId, to: email, kind: 'signup', redirectTo, delayMs, claim, code_challenge, code_challenge_method })
  return userId
}

async function askByText(
  trx: Trx,
  ctx: AuthCtx,
  known: User | null,
  { phone, passwordHash, data }: Pick<Asked, 'passwordHash' | 'data'> & { phone: string },
) {
  if (known) await beginAnew(trx, known.id, 'phone_confirmed_at', passwordHash, data)
  const userId = known ? known.id : await createUser(trx, { phone, passwordHash, provider: 'phone', data })
  if (!userId) return newId()
  await audit(trx, ctx, userId, 'user_confirmation_requested', { provider: 'phone' })
  await sendCodeBySms(trx, ctx.deps, { userId, phone, type: 'sms', claim: claimOf(known, passwordHash, data) })
  return userId
}

/** A staff address keeps no password that came before its proof: somebody else's would open the staff pages. */
const claimOf = (known: User | null, password_hash: string, data: Record<string, unknown>, isStaff = false): Claim => ({
  password_hash,
  data,
  ...((known?.password_hash || isStaff) && { rival: true }),
})

/** Until somebody proves the address, the account shows what the newest sign-up said. */
async function beginAnew(
  trx: Trx,
  userId: string,
  unless: 'email_confirmed_at' | 'phone_confirmed_at',
  passwordHash: string,
  data: Record<string, unknown>,
): Promise<void> {
  await trx
    .updateTable('users')
    .set({
      password_hash: passwordHash,
      user_metadata: JSON.stringify(data),
      terms_version: null,
      terms_accepted_at: null,
      ...termsIn(data),
    })
    .where('id', '=', userId)
    .where(unless, 'is', null)
    .execute()
}

async function tellOwner(trx: Trx, ctx: AuthCtx, userId: string, { email, redirectTo, delayMs }: Asked): Promise<void> {
  await audit(trx, ctx, userId, 'user_repeated_signup')
  const when = delayMs ? { runAt: new Date(now() + delayMs) } : {}
  await enqueue(trx, identity.sendMail, { template: 'account_exists', to: email, redirect_to: redirectTo }, { userId, ...when })
}

type Address = { provider: 'email' | 'phone'; email: string; phone: string }

/** What a new account looks like from outside: made from the request alone, so that it cannot tell a new address from a known one. */
function unconfirmed(id: string, { provider, email, phone }: Address, data: Record<string, unknown>): UserJson {
  const at = new Date().toISOString()
  const address = provider === 'email' ? { email } : { phone }
  const identity_data = { ...data, sub: id, ...address, email_verified: false, phone_verified: false }
  return {
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone,
    confirmation_sent_at: at,
    app_metadata: { provider, providers: [provider] },
    user_metadata: data,
    identities: [
      {
        identity_id: newId(),
        id,
        user_id: id,
        identity_data,
        provider,
        last_sign_in_at: at,
        created_at: at,
        updated_at: at,
        ...(email && { email }),
      },
    ],
    created_at: at,
    updated_at: at,
    is_anonymous: false,
  }
}

async function signUpAnonymously(ctx: AuthCtx, input: SignUp): Promise<SessionJson> {
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
