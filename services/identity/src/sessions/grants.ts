import type { Input } from '@operon/contracts/contract'
import type * as identity from '@operon/contracts/identity'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { exchangeCode } from '../codes/flows.ts'
import { type AuthCtx, invalid, refuse } from '../deps.ts'
import { limitByAddress, takeGuess } from '../limits.ts'
import { checkCaptcha } from '../passwords/captcha.ts'
import { weaknessOf } from '../passwords/strength.ts'
import { readEmail, readPhone } from '../users/addresses.ts'
import { isBanned, type Trx, type User, wholeUser } from '../users/users.ts'
import { beginSession, refreshSession, type SessionJson } from './sessions.ts'

type Grant = Input<typeof identity.token>

export async function grantToken(ctx: AuthCtx, input: Grant): Promise<SessionJson> {
  if (input.grant_type === 'refresh_token') return refreshSession(ctx, input.refresh_token)
  await limitByAddress(ctx, 'sign-in', ctx.deps.config.LIMIT_SIGN_IN_PER_MINUTE)
  if (input.grant_type === 'password') return signInWithPassword(ctx, input)
  if (input.grant_type === 'pkce') return exchangeCode(ctx, input)
  if (input.grant_type === 'id_token' || input.grant_type === 'web3')
    throw refuse(400, 'provider_disabled', 'This sign-in method is disabled')
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
  const { user, familiar } = await findForSignIn(ctx, input.email ? 'email' : 'phone', account)
  const giveBack = await takeGuess(ctx, 'password', account, familiar)
  const { ok, upgrade } = await hasher.verify(password, user?.password_hash ?? null)
  if (!user || !ok) throw wrong()
  await giveBack()
  if (isBanned(user)) throw refuse(400, 'user_banned', 'User is banned')
  if (input.email && !user.email_confirmed_at) throw refuse(400, 'email_not_confirmed', 'Email not confirmed')
  if (input.phone && !user.phone_confirmed_at) throw refuse(400, 'phone_not_confirmed', 'Phone not confirmed')
  const better = upgrade ? await hasher.hash(password) : null
  const session = await inTransaction(ctx.db, async (trx: Trx) => {
    if (better)
      await trx
        .updateTable('users')
        .set({ password_hash: better })
        .where('id', '=', user.id)
        .where('password_hash', '=', user.password_hash)
        .execute()
    return beginSession(trx, ctx, user.id, 'password')
  })
  const weakness = weaknessOf(password)
  return weakness ? { ...session, weak_password: weakness } : session
}

/** The account, and whether this address has signed in to it in the last three months. */
async function findForSignIn(ctx: AuthCtx, column: 'email' | 'phone', value: string): Promise<{ user: User | null; familiar: boolean }> {
  const { rows } = await sql<User & { familiar: boolean }>`
    select ${wholeUser}, exists (select from sessions s where s.user_id = u.id and s.ip = ${ctx.ip} and s.created_at > now() - interval '90 days') as familiar
    from users u where ${sql.ref(`u.${column}`)} = ${value} and u.deleted_at is null`.execute(ctx.db)
  const row = rows[0]
  return { user: row ?? null, familiar: row?.familiar ?? false }
}
