import type { Input } from '@operon/contracts/contract'
import type * as auth from '@operon/contracts/identity/auth'
import * as identity from '@operon/contracts/identity/events'
import { now } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { readChallenge } from '../codes/one-time.ts'
import type { AuthCtx } from '../deps.ts'
import { mailDelayMs } from '../limits.ts'
import { sendLetter } from '../mail/letters.ts'
import { checkStrength } from '../passwords/strength.ts'
import type { SessionJson } from '../sessions/sessions.ts'
import { readEmail } from '../users/addresses.ts'
import { audit } from '../users/audit.ts'
import { readRedirect } from '../users/redirects.ts'
import { createUser, findUser, nameOf, type Trx, type User, type UserJson } from '../users/users.ts'
import { signUpAtOnce } from './at-once.ts'
import { andUndo, beginAnew, claimOf, doubtLetter, inSteps, unconfirmed } from './unproven.ts'

type SignUp = Input<typeof auth.signUp>

export async function signUpByEmail(
  ctx: AuthCtx,
  input: SignUp,
  password: string,
  data: Record<string, unknown>,
): Promise<SessionJson | UserJson> {
  const email = readEmail(input.email)
  checkStrength(ctx, password, [email, nameOf(data)])
  readChallenge(input)
  return ctx.deps.config.AUTH_AUTOCONFIRM ? signUpAtOnce(ctx, { email }, password, data) : byLetter(ctx, email, password, input, data)
}

/** Answers the same, after the same time, whether or not the address has an account; its owner gets a mail either way. */
async function byLetter(ctx: AuthCtx, email: string, password: string, input: SignUp, data: Record<string, unknown>): Promise<UserJson> {
  const answered = inSteps()
  const passwordHash = await ctx.deps.hasher.hash(password)
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
  if (known) await beginAnew(trx, known.id, passwordHash, data)
  if (known && delayMs) await doubtLetter(trx, known.id)
  const userId = known ? known.id : await createUser(trx, { email, passwordHash, provider: 'email', data })
  if (!userId) return newId()
  await audit(trx, ctx, userId, 'user_confirmation_requested', { provider: 'email' })
  const { code_challenge, code_challenge_method } = input
  const claim = claimOf(known, passwordHash, data, ctx.deps.config.AUTH_STAFF_EMAILS.includes(email))
  await sendLetter(trx, ctx.deps, { userId, to: email, kind: 'signup', redirectTo, delayMs, claim, code_challenge, code_challenge_method })
  return userId
}

async function tellOwner(trx: Trx, ctx: AuthCtx, userId: string, { email, redirectTo, delayMs }: Asked): Promise<void> {
  await audit(trx, ctx, userId, 'user_repeated_signup')
  const when = delayMs ? { runAt: new Date(now() + delayMs) } : {}
  await enqueue(trx, identity.sendMail, { template: 'account_exists', to: email, redirect_to: redirectTo }, { userId, ...when })
}
