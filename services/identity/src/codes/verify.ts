import type { Input } from '@operon/contracts/contract'
import type * as auth from '@operon/contracts/identity/auth'
import type { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { type AuthCtx, invalid, refuse } from '../deps.ts'
import { isEstablished } from '../factors/recovery.ts'
import { limitByAddress, takeGuess } from '../limits.ts'
import type { OneTimeType } from '../schema.ts'
import { isFamiliar } from '../sessions/familiar.ts'
import { announceRevoked, beginSession, type Ended, endSessions, type SessionJson } from '../sessions/sessions.ts'
import { emailIn, readPhone } from '../users/addresses.ts'
import { audit } from '../users/audit.ts'
import { confirmEmail, confirmEmailChange, confirmPhone, confirmPhoneChange } from '../users/confirm.ts'
import { readRedirect } from '../users/redirects.ts'
import { findUser, isBanned, type Trx } from '../users/users.ts'
import { issueAuthCode } from './flows.ts'
import { type Redeemed, redeemCode, redeemToken } from './one-time.ts'

const typesOf: Record<string, OneTimeType[]> = {
  signup: ['confirmation'],
  invite: ['confirmation'],
  magiclink: ['recovery'],
  recovery: ['recovery'],
  email: ['confirmation', 'recovery'],
  email_change: ['email_change_current', 'email_change_new'],
  sms: ['sms'],
  phone_change: ['phone_change'],
}
const ONE_OF_TWO = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

type Verify = Input<typeof auth.verify>
export type Verified = { session: SessionJson; ended: Ended[] } | { code: string; ended: Ended[] } | { waiting: true }

/** A code or a link token posted by a client. */
export async function verifyCode(ctx: AuthCtx, input: Verify): Promise<SessionJson | { msg: string; code: string }> {
  await limitByAddress(ctx, 'verify', ctx.deps.config.LIMIT_VERIFY_PER_MINUTE)
  const types = readTypes(input.type)
  if (Boolean(input.token) === Boolean(input.token_hash)) throw invalid('Verify requires either a token or a token hash')
  if (input.token_hash && (input.email || input.phone || input.redirect_to))
    throw invalid('Only the token_hash and type should be provided')
  const how = { method: methodOf(input.type), pkce: false }
  const result = input.token_hash ? await redeemLink(ctx, input.token_hash, types, how) : await redeemTyped(ctx, input, types, how)
  if ('waiting' in result) return { msg: ONE_OF_TWO, code: '200' }
  await announceRevoked(ctx.deps, result.ended)
  if (!('session' in result)) throw invalid('Verify requires either a token or a token hash')
  return result.session
}

/** A link of a letter, followed: ends in a redirect, also when the link is no longer good. */
export async function verifyLink(ctx: AuthCtx, input: Input<typeof auth.verifyLink>): Promise<Led> {
  const { target, pkce } = readLink(ctx, input)
  try {
    await limitByAddress(ctx, 'verify', ctx.deps.config.LIMIT_VERIFY_PER_MINUTE)
    return await followLink(ctx, input)
  } catch (error) {
    return { to: withError(target, error as DomainError, pkce) }
  }
}

/** Where a link leads to, and the session it began, if it did. */
export type Led = { to: string; session?: SessionJson }
type Link = Input<typeof auth.verifyLink>

export function readLink(ctx: AuthCtx, input: Link): { token: string; types: OneTimeType[]; target: string; pkce: boolean } {
  const types = readTypes(input.type)
  if (!input.token) throw invalid('Verify requires a token or a token hash')
  return {
    token: input.token,
    types,
    target: readRedirect(ctx.deps, input.redirect_to),
    pkce: input.token.startsWith('pkce_'),
  }
}

/** `passwordHash`: what the opener chose on the page, where no earlier password could be kept. */
export async function followLink(ctx: AuthCtx, input: Link, passwordHash?: string): Promise<Led> {
  const { token, types, target, pkce } = readLink(ctx, input)
  const result = await redeemLink(ctx, token, types, { method: methodOf(input.type), pkce, passwordHash })
  if ('waiting' in result) return { to: withMessage(target, ONE_OF_TWO, pkce) }
  await announceRevoked(ctx.deps, result.ended)
  if ('code' in result) return { to: withQuery(target, { code: result.code }) }
  return { to: withSession(target, result.session, { type: input.type! }), session: result.session }
}

const methodOf = (type: string | null | undefined) => (type === 'recovery' ? 'recovery' : 'otp')

function readTypes(type: string | null | undefined): OneTimeType[] {
  if (!type) throw invalid('Verify requires a verification type')
  const types = Object.hasOwn(typesOf, type) ? typesOf[type] : undefined
  if (!types) throw invalid('Unsupported verification type')
  return types
}

export const linkExpired = () => refuse(403, 'otp_expired', 'Email link is invalid or has expired')
const codeExpired = () => refuse(403, 'otp_expired', 'Token has expired or is invalid')

type How = { method: string; pkce: boolean; passwordHash?: string | undefined }

async function redeemLink(ctx: AuthCtx, token: string, types: OneTimeType[], how: How): Promise<Verified> {
  return inTransaction(ctx.db, async (trx: Trx) => {
    const redeemed = await redeemToken(trx, token, types)
    if (!redeemed) throw linkExpired()
    return settle(trx, ctx, redeemed, how)
  })
}

async function redeemTyped(ctx: AuthCtx, input: Verify, types: OneTimeType[], how: How): Promise<Verified> {
  if (Boolean(input.email) === Boolean(input.phone)) throw invalid('Only an email address or phone number should be provided on verify')
  const address = input.phone ? readPhone(input.phone) : emailIn(input.email)
  if (!address) throw refuse(422, 'validation_failed', 'Invalid email format')
  const familiar = await isFamiliar(ctx, input.phone ? 'phone' : 'email', address)
  const giveBack = await takeGuess(ctx, 'code', address, familiar)
  const redeemed = await redeemCode(ctx.deps, address, input.token!, types, { isFamiliar: familiar })
  if (!redeemed) throw codeExpired()
  await giveBack()
  return inTransaction(ctx.db, (trx: Trx) => settle(trx, ctx, redeemed, how))
}

/** Uses a valid token: confirms what the token proves, and begins a session (or hands out the code for one). */
async function settle(
  trx: Trx,
  ctx: AuthCtx,
  { user_id: userId, type, relates_to: address, flow_id: flowId, claim }: Redeemed,
  { method, pkce, passwordHash }: How,
): Promise<Verified> {
  const user = await findUser(trx, { id: userId })
  if (!user) throw linkExpired()
  if (isBanned(user)) throw refuse(403, 'user_banned', 'User is banned')
  let ended: Ended[] = []
  if (type === 'sms') ended = await confirmPhone(trx, ctx, user, address, claim)
  else if (type === 'phone_change') ended = await confirmPhoneChange(trx, ctx, user, address)
  else if (type === 'confirmation' || type === 'recovery') {
    // A letter to an address that is no longer the account's proves nothing about it.
    if (user.email !== address) throw linkExpired()
    const isRecovery = method === 'recovery'
    ended = await confirmEmail(trx, ctx, user, { claim, passwordHash: passwordHash ?? null, flowId, isRecovery })
    // A person who needs recovery may have lost more than the password. An email alone does not end a session guarded by a second factor.
    if (isRecovery && !isEstablished(user)) ended.push(...(await endSessions(trx, userId)))
  } else {
    const agreed = await agreeToChange(trx, userId, type)
    if (agreed !== BOTH && user.email) return { waiting: true }
    ended = await confirmEmailChange(trx, ctx, user, { flowId })
  }
  await audit(trx, ctx, userId, 'user_verified', { type })
  if (pkce && flowId) {
    const code = await issueAuthCode(trx, flowId, userId)
    if (!code) throw refuse(400, 'flow_state_not_found', 'No associated flow state found.')
    return { code, ended }
  }
  return { session: await beginSession(trx, ctx, userId, method), ended }
}

const BOTH = 3

/** The addresses that have agreed, a bit each: the new one agreeing twice is not both of them. */
async function agreeToChange(trx: Trx, userId: string, type: OneTimeType): Promise<number> {
  const bit = type === 'email_change_current' ? 1 : 2
  const row = await trx
    .updateTable('users')
    .set({ email_change_confirmed: sql`email_change_confirmed | ${bit}::integer` })
    .where('id', '=', userId)
    .returning('email_change_confirmed')
    .executeTakeFirstOrThrow()
  return row.email_change_confirmed
}

export function withSession(target: string, session: SessionJson, more: Record<string, string>): string {
  const fields = {
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    refresh_token: session.refresh_token,
    token_type: 'bearer',
    ...more,
  }
  return withHash(target, fields)
}

export function withQuery(target: string, fields: Record<string, string>): string {
  const url = new URL(target)
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  return url.href
}

const oauthErrors: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/** A failure on its way to a browser: in the hash, and for PKCE clients in the query as well. */
export function withError(target: string, error: DomainError, inQuery: boolean): string {
  const known = error.name === 'DomainError'
  const status = known ? error.status : 500
  const fields = {
    error: oauthErrors[status] ?? 'access_denied',
    error_code: known ? error.code : 'unexpected_failure',
    error_description: known ? error.message : 'Unexpected failure, please check server logs for more information',
  }
  return withHash(inQuery ? withQuery(target, fields) : target, fields)
}

const withMessage = (target: string, message: string, inQuery: boolean) =>
  withHash(inQuery ? withQuery(target, { message }) : target, { message })

function withHash(target: string, fields: Record<string, string>): string {
  const url = new URL(target)
  url.hash = `${new URLSearchParams(fields)}`
  return url.href
}
