import type { Input } from '@operon/contracts/contract'
import type * as identity from '@operon/contracts/identity/api'
import * as identityEvents from '@operon/contracts/identity/events'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { isUuid } from '@operon/kit/ids'
import { enqueue, inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { AuthCtx } from '../deps.ts'
import { announceRevoked, type Ended, endSessions } from '../sessions/sessions.ts'
import { audit } from '../users/audit.ts'
import { demandFreshSession } from '../users/step-up.ts'
import { currentUser, nameOf, type Trx } from '../users/users.ts'
import { expectErasures } from './erasures.ts'
import { dropExports } from './exports.ts'
import { forgetSomeTraces } from './traces.ts'

/** The sign-up record, kept once and passed on. The token decides who the person is, not the body. */
export async function syncSignUp(ctx: AuthCtx, { data }: Input<typeof identity.tableSync>): Promise<{ success: boolean }> {
  const { user } = await currentUser(ctx)
  const acceptedAt = user.terms_accepted_at ?? (data.accept_terms ? new Date() : null)
  const told = Date.parse(data.signup_date ?? '')
  const record = {
    email: user.email ?? '',
    name: data.name || nameOf(user.user_metadata) || '',
    referral_code: data.referral_code || user.user_metadata.referral_code || null,
    signup_date: (Number.isNaN(told) ? user.created_at : new Date(told)).toISOString(),
    accept_terms: acceptedAt !== null,
    terms_version: user.terms_version ?? data.terms_version ?? null,
    terms_accepted_at: acceptedAt?.toISOString() ?? null,
    accept_marketing: data.accept_marketing ?? user.user_metadata.accept_marketing === true,
  }
  await inTransaction(ctx.db, async (trx: Trx) => {
    const fresh = await trx
      .insertInto('sign_up_records')
      .values({ user_id: user.id, record: JSON.stringify(record) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('user_id')
      .executeTakeFirst()
    if (!fresh) return
    await publish(trx, identityEvents.signedUp, user.id, {
      ...record,
      referral_code: record.referral_code === null ? null : String(record.referral_code),
    })
  })
  return { success: true }
}

const SESSIONS_A_PAGE = 50

/** This session, then the others: those that began last come first. */
export async function listSessions(ctx: AuthCtx, input: Input<typeof identity.accountSessions>) {
  const { user, session } = await currentUser(ctx)
  const cursor = readCursor(input?.cursor)
  const open = ctx.db.selectFrom('sessions').selectAll().where('user_id', '=', user.id).where('revoked_at', 'is', null)
  const [here, others] = await Promise.all([
    cursor ? [] : open.where('id', '=', session.id).execute(),
    open
      .where('id', '!=', session.id)
      .$if(cursor !== null, (query) => query.where('id', '<', cursor!))
      .orderBy('id', 'desc')
      .limit(SESSIONS_A_PAGE + 1)
      .execute(),
  ])
  const page = others.slice(0, SESSIONS_A_PAGE)
  return {
    sessions: [...here, ...page].map((row) => ({
      id: row.id,
      current: row.id === session.id,
      user_agent: row.user_agent,
      ip: row.ip,
      created_at: row.created_at.toISOString(),
      last_used_at: row.refreshed_at.toISOString(),
      aal: row.aal,
    })),
    cursor: others.length > page.length ? page.at(-1)!.id : null,
  }
}

function readCursor(cursor: string | null | undefined): string | null {
  if (!cursor) return null
  if (!isUuid(cursor)) throw new DomainError('invalid', { message: 'cursor: use the one that the page before came with' })
  return cursor
}

export async function revokeSession(ctx: AuthCtx, { session_id: only }: { session_id: string }): Promise<{ revoked: boolean }> {
  const { user } = await currentUser(ctx)
  const ended = await inTransaction(ctx.db, async (trx: Trx) => {
    const gone = await endSessions(trx, user.id, { only })
    if (!gone.length) throw new DomainError('not_found')
    await audit(trx, ctx, user.id, 'session_revoked', { session_id: only })
    return gone
  })
  await announceRevoked(ctx.deps, ended)
  return { revoked: true }
}

export async function listAudit(ctx: AuthCtx, { limit, before }: { limit: number; before?: string | null | undefined }) {
  const { user } = await currentUser(ctx)
  const rows = await ctx.db
    .selectFrom('audit_log')
    .select(['id', 'at', 'action', 'ip', 'user_agent', 'detail'])
    .where('user_id', '=', user.id)
    .$if(Boolean(before), (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return { entries: rows.map((row) => ({ ...row, at: row.at.toISOString() })) }
}

export async function deleteAccount(ctx: AuthCtx, _input: unknown): Promise<{ deleted: boolean }> {
  const { user, session } = await currentUser(ctx)
  demandFreshSession(user, session)
  await eraseUser(ctx, user.id)
  return { deleted: true }
}

/** A tombstone stays, so that the id is never given again; the person goes, and every service is told. */
export async function eraseUser(ctx: AuthCtx, userId: string): Promise<void> {
  const ended = await inTransaction(ctx.db, (trx: Trx) => buryUser(trx, ctx, userId))
  await announceRevoked(ctx.deps, ended)
  await ctx.deps.rt.broadcast(identityEvents.userSuspended, { user_id: userId, suspended: true })
}

/** The part of it that commits together. The sessions that it ended are still to be announced. */
export async function buryUser(trx: Trx, ctx: AuthCtx, userId: string): Promise<Ended[]> {
  const gone = await trx
    .updateTable('users')
    .set({
      email: null,
      phone: null,
      password_hash: null,
      email_change: null,
      phone_change: null,
      email_proven: false,
      terms_version: null,
      terms_accepted_at: null,
      app_metadata: '{}',
      demo_ends_at: null,
      user_metadata: '{}',
      deleted_at: new Date(now()),
      updated_at: new Date(),
      version: sql`version + 1`,
    })
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .returning('version')
    .executeTakeFirst()
  if (!gone) throw new DomainError('not_found')
  const sessions = await endSessions(trx, userId)
  for (const table of [
    'identities',
    'factors',
    'passkeys',
    'passkey_challenges',
    'one_time_tokens',
    'recovery_codes',
    'user_roles',
    'sign_up_records',
    'flows',
    'factor_recoveries',
    'ai_keys',
    'oauth_grants',
  ] as const)
    await trx.deleteFrom(table).where('user_id', '=', userId).execute()
  const { more } = await forgetSomeTraces(trx, userId)
  if (more) await enqueue(trx, identityEvents.forgetTraces, { user_id: userId })
  await audit(trx, { ...ctx, ip: '', userAgent: '' }, userId, 'account_deleted')
  await dropExports(trx, userId)
  await expectErasures(trx, userId, ctx.deps.config.AUTH_ERASING_SERVICES)
  await publish(trx, identityEvents.userDeleted, userId, { version: gone.version })
  return sessions
}
