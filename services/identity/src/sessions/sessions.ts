import * as identity from '@operon/contracts/identity/events'
import type * as shapes from '@operon/contracts/identity/shapes'
import { now } from '@operon/kit/clock'
import { facesPeople } from '@operon/kit/config'
import { runStatement, type Statement } from '@operon/kit/db'
import { newId } from '@operon/kit/ids'
import type { EndedSessions } from '@operon/kit/revoked'
import { currentTrace } from '@operon/kit/telemetry'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { IdentityConfig } from '../config.ts'
import { type AuthCtx, type Deps, invalid, refuse } from '../deps.ts'
import { limitByAddress } from '../limits.ts'
import { announce } from '../mail/notices.ts'
import { audit } from '../users/audit.ts'
import { profileInToken } from '../users/profile.ts'
import { type Db, findUser, hasSecondFactor, isBanned, type Trx, type User, userJson, wholeUserText } from '../users/users.ts'
import { hasTokenForm, readRefreshToken, writeRefreshToken } from './refresh-token.ts'

export type SessionJson = z.input<typeof shapes.sessionShape>
type Amr = { method: string; timestamp: number }[]
type Grant = { id: string; counter: number; aal: 'aal1' | 'aal2'; amr: Amr }

const nowSeconds = () => Math.floor(now() / 1000)

const BEGIN: Statement = {
  name: 'identity_begin_session',
  text: `with u as (
      update users set last_sign_in_at = now()
      where id = $1 and deleted_at is null and (banned_until is null or banned_until <= now()) and ($9::text is null or password_hash = $9)
      returning *),
    known as (
      select exists (select from sessions where user_id = $1) as before,
        exists (select from sessions where user_id = $1 and (user_agent = $3 or ip = $4)) as device),
    began as (insert into sessions (id, user_id, amr, user_agent, ip) select $2, u.id, $5::jsonb, $3, $4 from u),
    noted as (
      insert into audit_log (id, user_id, action, actor, ip, user_agent, detail)
      select $6, u.id, 'login', 'user', $4, $3, jsonb_build_object('method', $10::text) from u),
    told as (
      insert into outbox (id, kind, name, user_id, payload, trace)
      select $7::uuid, 'event', '${identity.userSignedIn.name}', u.id, jsonb_build_object('method', $10::text, 'session_id', $2::uuid), $11 from u
      union all
      select $8::uuid, 'job', '${identity.sendMail.name}', u.id, jsonb_build_object('template', 'new_sign_in', 'to', u.email, 'detail', $12::jsonb), $11 from u, known
      where u.email is not null and known.before and not known.device
      union all
      select $8::uuid, 'job', '${identity.sendSms.name}', u.id, jsonb_build_object('to', u.phone, 'notice', 'new_sign_in'), $11 from u, known
      where u.email is null and u.phone is not null and $10::text = 'password' and known.before and not known.device)
    select ${wholeUserText} from u`,
}

/**
 * Begins a session in one statement: the session, the time of it, the audit entry, the event, and word of it when the device is a new one:
 * by mail, or to an account without an address by text message, unless a code by text message opened it.
 * With `passwordHash` only while that is still the password. Nothing waits for the event, so the relay finds it by itself.
 */
export async function beginSession(db: Db, ctx: AuthCtx, userId: string, method: string, passwordHash?: string): Promise<SessionJson> {
  const id = newId()
  const amr = [{ method, timestamp: nowSeconds() }]
  const detail = { ip: ctx.ip, device: ctx.userAgent, at: new Date().toUTCString() }
  const [user] = await runStatement<User>(db, BEGIN, [
    ...[userId, id, ctx.userAgent, ctx.ip, JSON.stringify(amr), newId(), newId(), newId(), passwordHash ?? null, method],
    ...[currentTrace() ?? null, JSON.stringify(detail)],
  ])
  if (!user) throw await whyNot(db, userId)
  return sessionJson(ctx.deps, user, { id, counter: 0, aal: 'aal1', amr })
}

async function whyNot(db: Db, userId: string): Promise<Error> {
  const user = await findUser(db, { id: userId })
  if (!user) return refuse(403, 'user_not_found', 'User not found')
  if (isBanned(user)) return refuse(400, 'user_banned', 'User is banned')
  return refuse(400, 'invalid_credentials', 'Invalid login credentials')
}

function sessionJson({ rt, keys, config }: Deps, user: User, session: Grant): SessionJson {
  const issuedAt = nowSeconds()
  const endsAt = user.demo_ends_at ? Math.floor(user.demo_ends_at.getTime() / 1000) : Number.POSITIVE_INFINITY
  const expiresAt = Math.min(issuedAt + config.AUTH_TOKEN_SECONDS, endsAt)
  const { staff: _never, staff_needs: _nor, demo: _neither, ...metadata } = user.app_metadata
  const app_metadata = { ...metadata, ...staffClaim(config, user), ...demoClaim(rt.kit, user) }
  const access_token = keys.sign({
    sub: user.id,
    aud: 'authenticated',
    exp: expiresAt,
    iat: issuedAt,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata,
    user_metadata: profileInToken(user.user_metadata),
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
    expires_in: expiresAt - issuedAt,
    expires_at: expiresAt,
    refresh_token: writeRefreshToken(rt.vault, session.id, session.counter),
    user: { ...userJson(user), app_metadata },
  }
}

/** Whom the configuration names is staff once the address is proven, and where it counts only with a second factor: until then the token says what is missing. */
function staffClaim(config: IdentityConfig, user: User): { staff?: true; staff_needs?: 'second_factor' } {
  if (!user.email_proven || user.email === null || !config.AUTH_STAFF_EMAILS.includes(user.email)) return {}
  const demanded = (config.AUTH_STAFF_SECOND_FACTOR ?? String(config.NODE_ENV === 'production')) === 'true'
  return demanded && !hasSecondFactor(user) ? { staff_needs: 'second_factor' } : { staff: true }
}

/** A demo says when it ends, and where real people come that it only reads. */
function demoClaim(kit: Deps['rt']['kit'], { demo_ends_at: endsAt }: User) {
  return endsAt && { demo: { ends_at: endsAt.toISOString(), reads_only: facesPeople(kit) } }
}

const notFound = () => refuse(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')

/**
 * How much a parent that comes again looks like another party: nothing for the same browser within a minute, as tabs and lost answers do.
 * One weak sign, such as a new address of the same browser, is worth one; another browser, or another address later, two.
 */
const ECHO = `(case when s.user_agent <> $3 then 2 when s.ip <> $4 and s.refreshed_at < now() - interval '1 minute' then 2
  when s.ip <> $4 or s.refreshed_at < now() - interval '1 minute' then 1 else 0 end)`

const REFRESH: Statement = {
  name: 'identity_refresh_session',
  text: `with hit as (
      update sessions s set
        counter = case when s.counter = $2::int then s.counter + 1 else s.counter end,
        refreshed_at = case when s.counter = $2::int then now() else s.refreshed_at end,
        echoes = case when s.counter > $2::int then s.echoes when s.echo > 0 then s.echoes + s.echo else 0 end,
        echo = case when s.counter = $2::int then 0 else greatest(s.echo, ${ECHO}) end,
        revoked_at = case when s.counter > $2::int + 1 or (s.counter > $2::int and s.echoes + greatest(s.echo, ${ECHO}) >= 4) then now() end,
        user_agent = case when s.counter = $2::int then $3 else s.user_agent end,
        ip = case when s.counter = $2::int then $4 else s.ip end
      where s.id = $1 and s.revoked_at is null and s.counter >= $2::int
      returning s.id, s.user_id, s.counter, s.aal, s.amr, s.revoked_at is not null as stolen
    )
    select ${wholeUserText}, json_build_object('id', hit.id, 'counter', hit.counter, 'aal', hit.aal, 'amr', hit.amr, 'stolen', hit.stolen) as session
    from hit join users u on u.id = hit.user_id and u.deleted_at is null`,
}

/**
 * One statement rotates: the newest token moves the counter, its parent gets the same successor again, anything older ends the session.
 * Two parties with a copy each would go on like that for ever: generation after generation whose parent comes again ends the session too.
 * Parallel callers queue on the row, and Postgres evaluates the cases anew for each with what the one before left.
 */
export async function refreshSession(ctx: AuthCtx, token: string | null | undefined): Promise<SessionJson> {
  const { deps } = ctx
  await limitByAddress(ctx, 'refresh', deps.config.LIMIT_REFRESH_AT_ONCE)
  if (!token || !hasTokenForm(token)) throw invalid('Refresh token is not valid')
  const given = readRefreshToken(deps.rt.vault, token)
  if (!given) throw notFound()
  const { sessionId, counter } = given
  const [row] = await runStatement<User & { session: Grant & { stolen: boolean } }>(ctx.db, REFRESH, [
    sessionId,
    counter,
    ctx.userAgent,
    ctx.ip,
  ])
  if (!row) throw notFound()
  const { session, ...user } = row
  if (session.stolen) {
    await inTransaction(ctx.db, async (trx) => {
      await audit(trx as Trx, ctx, user.id, 'token_reused', { session_id: session.id })
      await announce(trx as Trx, ctx, user, 'session_copied')
    })
    await announceRevoked(deps, [{ id: session.id, user_id: user.id }])
    throw refuse(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
  }
  if (isBanned(user)) throw refuse(400, 'user_banned', 'Invalid Refresh Token: User Banned')
  return sessionJson(deps, user, session)
}

/** One session that ended, or all of an account up to an id but for the one that is kept. */
export type Ended = { id: string; user_id: string } | EndedSessions

/** Beyond so many, what ended is told by one message instead of one each. */
const NAMED_AT_MOST = 1_000

/** Ends sessions of a user: all, one, or all but one. The caller announces them once it has committed. */
export async function endSessions(trx: Trx, userId: string, which: { only?: string; except?: string } = {}): Promise<Ended[]> {
  const only = which.only === undefined ? sql`` : sql`and id = ${which.only}`
  const except = which.except === undefined ? sql`` : sql`and id <> ${which.except}`
  const kept = which.except ?? null
  const at = new Date(now())
  const { rows } = await sql<{ ids: string[]; up_to: string | null }>`
    with gone as (update sessions set revoked_at = ${at} where user_id = ${userId} and revoked_at is null ${only} ${except} returning id),
      many as (select count(*) > ${NAMED_AT_MOST} as many, (select id from gone order by id desc limit 1) as up_to from gone),
      marked as (
        insert into ended_sessions (user_id, up_to, kept, at) select ${userId}::uuid, up_to, ${kept}::uuid, ${at} from many where many
        on conflict (user_id) do update set up_to = greatest(ended_sessions.up_to, excluded.up_to), kept = excluded.kept, at = excluded.at)
    select case when many then up_to end as up_to,
      case when many then '[]' else coalesce((select json_agg(id) from gone), '[]') end as ids from many`.execute(trx)
  const { ids, up_to } = rows[0]!
  return up_to === null ? ids.map((id) => ({ id, user_id: userId })) : [{ user_id: userId, up_to, kept }]
}

/** Every instance stops believing the access tokens of ended sessions. */
export async function announceRevoked({ rt }: Deps, ended: Ended[]): Promise<void> {
  for (const each of ended) {
    if ('up_to' in each) {
      rt.verifier.endSessions(each)
      await rt.broadcast(identity.sessionsEnded, each)
    } else {
      rt.verifier.revoke(each.id)
      await rt.broadcast(identity.sessionRevoked, { session_id: each.id, user_id: each.user_id })
    }
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
