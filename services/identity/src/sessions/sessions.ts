import * as identity from '@operon/contracts/identity'
import { newId } from '@operon/kit/ids'
import { enqueue, inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { z } from 'zod'
import { type AuthCtx, type Deps, refuse } from '../deps.ts'
import { limitByAddress } from '../limits.ts'
import { audit } from '../users/audit.ts'
import { findUser, hasSecondFactor, isBanned, type Trx, type User, userJson, wholeUser } from '../users/users.ts'
import { readRefreshToken, writeRefreshToken } from './refresh-token.ts'

export type SessionJson = z.input<typeof identity.sessionShape>
type Amr = { method: string; timestamp: number }[]
type Grant = { id: string; counter: number; aal: 'aal1' | 'aal2'; amr: Amr }

export const nowSeconds = () => Math.floor(Date.now() / 1000)

/** Begins a session: the session, the time of it and the audit entry in one statement, the event in the caller's transaction. */
export async function beginSession(trx: Trx, ctx: AuthCtx, userId: string, method: string): Promise<SessionJson> {
  const id = newId()
  const amr = [{ method, timestamp: nowSeconds() }]
  const { rows } = await sql<User & { strange: boolean }>`
    with before as (select count(*) > 0 and not bool_or(user_agent = ${ctx.userAgent} or ip = ${ctx.ip}) as strange from sessions where user_id = ${userId}),
      began as (insert into sessions (id, user_id, amr, user_agent, ip) values (${id}, ${userId}, ${JSON.stringify(amr)}::jsonb, ${ctx.userAgent}, ${ctx.ip})),
      noted as (insert into audit_log (id, user_id, action, actor, ip, user_agent, detail) values (${newId()}, ${userId}, 'login', 'user', ${ctx.ip}, ${ctx.userAgent}, jsonb_build_object('method', ${method}::text))),
      u as (update users set last_sign_in_at = now() where id = ${userId} and deleted_at is null returning *)
    select ${wholeUser}, before.strange from u, before`.execute(trx)
  const row = rows[0]
  if (!row) throw refuse(403, 'user_not_found', 'User not found')
  const { strange, ...user } = row
  if (isBanned(user)) throw refuse(400, 'user_banned', 'User is banned')
  await publish(trx, identity.userSignedIn, userId, { method, session_id: id })
  if (user.email && strange) {
    await enqueue(
      trx,
      identity.sendMail,
      { template: 'new_sign_in', to: user.email, detail: { ip: ctx.ip, device: ctx.userAgent, at: new Date().toUTCString() } },
      { userId },
    )
  }
  return sessionJson(ctx.deps, user, { id, counter: 0, aal: 'aal1', amr })
}

export function sessionJson({ rt, keys, config }: Deps, user: User, session: Grant): SessionJson {
  const issuedAt = nowSeconds()
  const expiresAt = issuedAt + config.AUTH_TOKEN_SECONDS
  const staff = user.email_proven && user.email !== null && config.AUTH_STAFF_EMAILS.includes(user.email)
  const { staff: _never, ...metadata } = user.app_metadata
  const app_metadata = staff ? { ...metadata, staff } : metadata
  const access_token = keys.sign({
    sub: user.id,
    aud: 'authenticated',
    exp: expiresAt,
    iat: issuedAt,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata,
    user_metadata: user.user_metadata,
    role: 'authenticated',
    aal: session.aal,
    amr: session.amr,
    session_id: session.id,
    is_anonymous: user.is_anonymous,
    mfa: hasSecondFactor(user),
  })
  return {
    access_token,
    token_type: 'bearer',
    expires_in: config.AUTH_TOKEN_SECONDS,
    expires_at: expiresAt,
    refresh_token: writeRefreshToken(rt.vault, session.id, session.counter),
    user: { ...userJson(user), app_metadata },
  }
}

const notFound = () => refuse(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')

/**
 * One statement rotates: the newest token moves the counter, its parent gets the same successor again, anything older ends the session.
 * Parallel callers queue on the row, and Postgres evaluates the cases anew for each with what the one before left.
 */
export async function refreshSession(ctx: AuthCtx, token: string | null | undefined): Promise<SessionJson> {
  const { deps } = ctx
  await limitByAddress(ctx, 'refresh', deps.config.LIMIT_REFRESH_AT_ONCE)
  if (!token) throw refuse(400, 'validation_failed', 'refresh_token required')
  const given = readRefreshToken(deps.rt.vault, token)
  if (!given) throw notFound()
  const { sessionId, counter } = given
  const { rows } = await sql<User & { session: Grant & { stolen: boolean } }>`
    with hit as (
      update sessions s set
        counter = case when s.counter = ${counter} then s.counter + 1 else s.counter end,
        refreshed_at = case when s.counter = ${counter} then now() else s.refreshed_at end,
        revoked_at = case when s.counter > ${counter}::integer + 1 then now() end,
        user_agent = ${ctx.userAgent}, ip = ${ctx.ip}
      where s.id = ${sessionId} and s.revoked_at is null and s.counter >= ${counter}
      returning s.id, s.user_id, s.counter, s.aal, s.amr, s.revoked_at is not null as stolen
    )
    select ${wholeUser}, json_build_object('id', hit.id, 'counter', hit.counter, 'aal', hit.aal, 'amr', hit.amr, 'stolen', hit.stolen) as session
    from hit join users u on u.id = hit.user_id and u.deleted_at is null`.execute(ctx.db)
  const row = rows[0]
  if (!row) throw notFound()
  const { session, ...user } = row
  if (session.stolen) {
    await inTransaction(ctx.db, (trx) => audit(trx as Trx, ctx, user.id, 'token_reused', { session_id: session.id }))
    await announceRevoked(deps, [{ id: session.id, user_id: user.id }])
    throw refuse(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
  }
  if (isBanned(user)) throw refuse(400, 'user_banned', 'Invalid Refresh Token: User Banned')
  return sessionJson(deps, user, session)
}

export type Ended = { id: string; user_id: string }

/** Ends sessions of a user: all, one, or all but one. The caller announces them once it has committed. */
export async function endSessions(trx: Trx, userId: string, which: { only?: string; except?: string } = {}): Promise<Ended[]> {
  return trx
    .updateTable('sessions')
    .set({ revoked_at: new Date() })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .$if(which.only !== undefined, (query) => query.where('id', '=', which.only!))
    .$if(which.except !== undefined, (query) => query.where('id', '!=', which.except!))
    .returning(['id', 'user_id'])
    .execute()
}

/** Every instance stops believing the access tokens of ended sessions. */
export async function announceRevoked({ rt }: Deps, ended: Ended[]): Promise<void> {
  for (const { id, user_id } of ended) {
    rt.verifier.revoke(id)
    await rt.broadcast(identity.sessionRevoked, { session_id: id, user_id })
  }
}

/** Raises or renews the way in of a running session. The counter jumps by two, so that a token taken before has no successor. */
export async function strengthenSession(
  trx: Trx,
  ctx: AuthCtx,
  sessionId: string,
  method: string,
  change: { aal?: 'aal2'; factorId?: string },
): Promise<SessionJson> {
  const { rows } = await sql<{ user_id: string; session: Grant }>`
    update sessions set
      counter = counter + 2, aal = ${change.aal ?? sql.ref('aal')}, factor_id = coalesce(${change.factorId ?? null}::uuid, factor_id), refreshed_at = now(),
      amr = ${JSON.stringify([{ method, timestamp: nowSeconds() }])}::jsonb || coalesce((select jsonb_agg(way) from jsonb_array_elements(amr) way where way->>'method' <> ${method}), '[]')
    where id = ${sessionId} and revoked_at is null
    returning user_id, json_build_object('id', id, 'counter', counter, 'aal', aal, 'amr', amr) as session`.execute(trx)
  const row = rows[0]
  const user = row && (await findUser(trx, { id: row.user_id }))
  if (!row || !user) throw refuse(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  return sessionJson(ctx.deps, user, row.session)
}
