import type { Input } from '@operon/contracts/contract'
import type * as auth from '@operon/contracts/identity/auth'
import { networkOf } from '@operon/kit/addresses'
import { runStatement, type Statement } from '@operon/kit/db'
import { exchangeCode } from '../codes/flows.ts'
import { type AuthCtx, invalid, refuse } from '../deps.ts'
import { limitByAddress, takeGuess } from '../limits.ts'
import { signInWithIdToken } from '../oauth/id-token.ts'
import { checkCaptcha } from '../passwords/captcha.ts'
import { weaknessOf } from '../passwords/strength.ts'
import { readEmail, readPhone } from '../users/addresses.ts'
import { noteFailedSignIn } from '../users/audit.ts'
import { isBanned, type User } from '../users/users.ts'
import { familiarFrom } from './familiar.ts'
import { beginSession, refreshSession, type SessionJson } from './sessions.ts'

type Grant = Input<typeof auth.token>

export async function grantToken(ctx: AuthCtx, input: Grant): Promise<SessionJson> {
  if (input.grant_type === 'refresh_token') return refreshSession(ctx, input.refresh_token)
  await limitByAddress(ctx, 'sign-in', ctx.deps.config.LIMIT_SIGN_IN_PER_MINUTE)
  if (input.grant_type === 'password') return signInWithPassword(ctx, input)
  if (input.grant_type === 'pkce') return exchangeCode(ctx, input)
  if (input.grant_type === 'id_token') return signInWithIdToken(ctx, input)
  if (input.grant_type === 'web3') throw refuse(422, 'web3_provider_disabled', 'Web3 provider is disabled')
  throw refuse(400, 'invalid_credentials', 'unsupported_grant_type')
}

const wrong = () => refuse(400, 'invalid_credentials', 'Invalid login credentials')

/** The same work for an unknown address as for a wrong password, so that neither text nor time tells them apart. */
async function signInWithPassword(ctx: AuthCtx, input: Grant): Promise<SessionJson> {
  const { hasher } = ctx.deps
  if (input.email && input.phone) throw invalid('Only an email address or phone number should be provided on login.')
  if (!input.email && !input.phone) throw invalid('missing email or phone')
  await checkCaptcha(ctx, input.gotrue_meta_security?.captcha_token)
  const password = input.password ?? ''
  const account = input.email ? readEmail(input.email) : readPhone(input.phone)
  const user = await findForSignIn(ctx, input.email ? 'email' : 'phone', account)
  const giveBack = await takeGuess(ctx, 'password', account, user?.familiar)
  const { ok, upgrade } = await hasher.verify(password, user?.password_hash ?? null)
  if (!user || !ok) {
    void noteFailedSignIn(ctx, user?.id ?? null, 'password')
    throw wrong()
  }
  await giveBack()
  if (isBanned(user)) throw refuse(400, 'user_banned', 'User is banned')
  if (input.email && !user.email_confirmed_at) throw refuse(400, 'email_not_confirmed', 'Email not confirmed')
  if (input.phone && !user.phone_confirmed_at) throw refuse(400, 'phone_not_confirmed', 'Phone not confirmed')
  const stored = upgrade ? await upgradeHash(ctx, user, password) : user.password_hash!
  const session = await beginSession(ctx.db, ctx, user.id, 'password', stored)
  const weakness = weaknessOf(password, [], ctx.deps.config)
  return weakness ? { ...session, weak_password: weakness } : session
}

/** A hash of an older kind is made anew while the password is at hand. */
async function upgradeHash({ db, deps }: AuthCtx, user: Account, password: string): Promise<string> {
  const better = await deps.hasher.hash(password)
  await db
    .updateTable('users')
    .set({ password_hash: better })
    .where('id', '=', user.id)
    .where('password_hash', '=', user.password_hash)
    .execute()
  return better
}

type Account = Pick<User, 'id' | 'password_hash' | 'email_confirmed_at' | 'phone_confirmed_at' | 'banned_until'> & { familiar: boolean }

const findBy = (column: 'email' | 'phone'): Statement => ({
  name: `identity_sign_in_${column}`,
  text: `select u.id, u.password_hash, u.email_confirmed_at, u.phone_confirmed_at, u.banned_until,
      ${familiarFrom('$2', '$3')} as familiar
    from users u where u.${column} = $1 and u.deleted_at is null`,
})
const FIND = { email: findBy('email'), phone: findBy('phone') }

/** The account, and whether its owner has signed in from this address. */
async function findForSignIn(ctx: AuthCtx, column: 'email' | 'phone', value: string): Promise<Account | null> {
  const [account] = await runStatement<Account>(ctx.db, FIND[column], [value, ctx.ip, networkOf(ctx.ip)])
  return account ?? null
}
