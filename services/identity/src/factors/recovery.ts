import * as auth from '@operon/contracts/identity/auth'
import * as identity from '@operon/contracts/identity/events'
import { moment } from '@operon/contracts/words'
import { DAY_MS, now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { JobRun } from '@operon/kit/jobs/jobs'
import type { sendPage } from '@operon/kit/page'
import { enqueue, inTransaction, publish } from '@operon/kit/tx'
import type { Selectable } from 'kysely'
import { hashToken, secretsOf } from '../codes/one-time.ts'
import { type AuthCtx, invalid } from '../deps.ts'
import { limitByAddress } from '../limits.ts'
import { announce } from '../mail/notices.ts'
import type { IdentityDb } from '../schema.ts'
import { resetAccess } from '../sessions/reset-access.ts'
import { announceRevoked, type Ended, endSessions } from '../sessions/sessions.ts'
import { audit } from '../users/audit.ts'
import { isFromRecovery, type Session } from '../users/step-up.ts'
import { newPassword, passwordChanged } from '../users/update-user.ts'
import { changeUser, currentUser, type Db, findUser, hasSecondFactor, type Trx, type User } from '../users/users.ts'

// A second factor that is lost, or that a thief planted, against an owner who can read the email of the account. Nobody can tell the two
// apart by their factor, so age decides: one that has protected the account for a month may stop its removal, a younger one may not.

const ESTABLISHED_MS = 30 * DAY_MS
const HOUR_MS = 3_600_000

type Recovery = Selectable<IdentityDb['factor_recoveries']>

const isOld = (since: Date | string | null) => since !== null && now() - new Date(since).getTime() > ESTABLISHED_MS
export const isEstablished = ({ factors }: Pick<User, 'factors'>): boolean =>
  factors.some(({ status, created_at: since }) => status === 'verified' && isOld(since))

export async function showRecovery(ctx: AuthCtx, _input: unknown) {
  const { user, session } = await currentUser(ctx)
  const open = await openRecovery(ctx.db, user.id)
  return {
    open: open && {
      requested_at: open.created_at.toISOString(),
      due_at: open.due_at.toISOString(),
      ip: open.ip,
      user_agent: open.user_agent,
      may_stop: mayStop(open, user, session),
    },
    may_begin: !open && hasSecondFactor(user) && isFromRecovery(session),
    asks_password: !isEstablished(user),
    hours: ctx.deps.config.AUTH_FACTOR_RECOVERY_HOURS,
  }
}

/** Only by a recovery link: it shows that the caller reads the email of the account. Asked for twice, the first stands. */
export async function beginRecovery(ctx: AuthCtx, { password }: { password?: string | null | undefined }): Promise<{ due_at: string }> {
  const { user, session } = await currentUser(ctx)
  if (!hasSecondFactor(user) || !isFromRecovery(session)) throw new DomainError('recovery_link_needed')
  // An intruder may have planted the factor: a password from then must not open the account while it waits.
  const asksPassword = !isEstablished(user)
  if (asksPassword && !password) throw invalid('Choose a new password.')
  const passwordHash = asksPassword ? await newPassword(ctx, user, { password: password! }) : null
  const { rt, config } = ctx.deps
  const id = newId()
  const due = new Date(now() + config.AUTH_FACTOR_RECOVERY_HOURS * HOUR_MS)
  const { recovery, ended } = await inTransaction(ctx.db, async (trx: Trx) => {
    const begun = await trx
      .insertInto('factor_recoveries')
      .values({
        id,
        user_id: user.id,
        session_id: session.id,
        stop_hash: hashToken(secretsOf(rt.vault, id).token),
        due_at: due,
        ip: ctx.ip,
        user_agent: ctx.userAgent,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!begun) return { recovery: await openRecovery(trx, user.id), ended: [] }
    if (passwordHash) await changeUser(trx, user.id, { password_hash: passwordHash })
    await audit(trx, ctx, user.id, 'factor_recovery_begun', { due_at: due.toISOString() })
    await tellEverywhere(trx, ctx, user, id, due)
    await publish(trx, identity.factorRecoveryBegun, user.id, { due_at: due.toISOString() })
    await enqueue(trx, identity.finishFactorRecovery, { recovery_id: id }, { userId: user.id, runAt: due })
    return { recovery: begun, ended: passwordHash ? await passwordChanged(trx, ctx, user, session.id, true) : [] }
  })
  await announceRevoked(ctx.deps, ended)
  if (!recovery) throw new DomainError('conflict')
  return { due_at: recovery.due_at.toISOString() }
}

/** A number that came with the thief must not stop it: only one that has been the account's for a month gets the link. */
async function tellEverywhere(trx: Trx, ctx: AuthCtx, user: User, recoveryId: string, due: Date): Promise<void> {
  const facts = { due: moment(due) }
  await announce(trx, ctx, { ...user, phone: null }, 'factor_recovery_begun', { ...facts, recoveryId })
  const ownsPhone = isOld(user.phone_confirmed_at)
  await announce(trx, ctx, { ...user, email: null }, 'factor_recovery_begun', { ...facts, recoveryId: ownsPhone ? recoveryId : null })
}

/** The session that asked for it, or one with a second factor that is old enough. */
const mayStop = (recovery: Recovery, user: User, session: Session) =>
  recovery.session_id === session.id || (session.aal === 'aal2' && isEstablished(user))

export async function stopRecovery(ctx: AuthCtx, _input: unknown): Promise<{ stopped: boolean }> {
  const { user, session } = await currentUser(ctx)
  const open = await openRecovery(ctx.db, user.id)
  if (!open) return { stopped: false }
  if (!mayStop(open, user, session)) throw new DomainError('recovery_not_stoppable')
  return { stopped: await inTransaction(ctx.db, (trx: Trx) => close(trx, ctx, user, open.id)) }
}

type Page = Parameters<typeof sendPage>[1]

/** The link of an announcement. Opening it changes nothing; its button stops the removal. */
export async function stopPage(ctx: AuthCtx, { token }: { token?: string | null | undefined }): Promise<Page> {
  await limitByAddress(ctx, 'verify', ctx.deps.config.LIMIT_VERIFY_PER_MINUTE)
  const product = ctx.deps.rt.kit.PRODUCT_NAME
  const found = await recoveryByToken(ctx, token)
  if (!found)
    return { product, title: 'There is nothing to stop', text: 'This was stopped or carried out before, or the link is mistyped.' }
  return {
    product,
    title: 'Keep your second factor',
    text: `Someone who can read the email of your ${product} account asked to remove it. It will be removed on ${moment(found.due_at)} unless you stop it.`,
    form: { action: auth.stopFactorRecovery.path, hidden: { token: token! }, button: 'Stop the removal' },
    after: 'If you asked for it yourself, close this page.',
  }
}

export async function stopByLink(ctx: AuthCtx, { token }: { token?: string | null | undefined }): Promise<Page> {
  await limitByAddress(ctx, 'verify', ctx.deps.config.LIMIT_VERIFY_PER_MINUTE)
  const product = ctx.deps.rt.kit.PRODUCT_NAME
  const found = await recoveryByToken(ctx, token)
  const user = found && (await findUser(ctx.db, { id: found.user_id }))
  const stopped = user && (await inTransaction(ctx.db, (trx: Trx) => close(trx, ctx, user, found.id)))
  if (!stopped)
    return { product, title: 'There is nothing to stop', text: 'This was stopped or carried out before, or the link is mistyped.' }
  return {
    product,
    title: 'Your second factor stays',
    text: 'The removal was stopped. If you did not ask for it, someone else can read your email: change its password now.',
  }
}

async function recoveryByToken(ctx: AuthCtx, token: string | null | undefined): Promise<Recovery | null> {
  if (!token) return null
  const row = await ctx.db
    .selectFrom('factor_recoveries')
    .selectAll()
    .where('stop_hash', '=', hashToken(token))
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

async function openRecovery(db: Db, userId: string): Promise<Recovery | null> {
  const row = await db
    .selectFrom('factor_recoveries')
    .selectAll()
    .where('user_id', '=', userId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

async function close(trx: Trx, ctx: AuthCtx, user: User, id: string): Promise<boolean> {
  const closed = await trx
    .updateTable('factor_recoveries')
    .set({ closed_at: new Date(now()), outcome: 'stopped' })
    .where('id', '=', id)
    .where('user_id', '=', user.id)
    .where('closed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!closed) return false
  await audit(trx, ctx, user.id, 'factor_recovery_stopped')
  await announce(trx, ctx, user, 'factor_recovery_stopped')
  return true
}

export const finishRecovery = (ctx: AuthCtx, { payload }: JobRun<{ recovery_id: string }>) => finish(ctx, payload.recovery_id)

/** Those whose job was lost. */
export async function finishDueRecoveries(ctx: AuthCtx): Promise<void> {
  const due = await ctx.db
    .selectFrom('factor_recoveries')
    .select('id')
    .where('closed_at', 'is', null)
    .where('due_at', '<=', new Date(now()))
    .orderBy('due_at')
    .limit(100)
    .execute()
  for (const { id } of due) await finish(ctx, id)
}

/** Every factor goes, and every session with them: whoever planted one may hold any of those. */
async function finish(ctx: AuthCtx, id: string): Promise<void> {
  const ended = await inTransaction(ctx.db, async (trx: Trx): Promise<Ended[]> => {
    const closed = await trx
      .updateTable('factor_recoveries')
      .set({ closed_at: new Date(now()), outcome: 'removed' })
      .where('id', '=', id)
      .where('closed_at', 'is', null)
      .where('due_at', '<=', new Date(now()))
      .returning(['user_id', 'ip', 'user_agent'])
      .executeTakeFirst()
    const user = closed && (await findUser(trx, { id: closed.user_id }))
    if (!user) return []
    const asker = { ...ctx, ip: closed.ip, userAgent: closed.user_agent }
    for (const table of ['factors', 'recovery_codes'] as const) await trx.deleteFrom(table).where('user_id', '=', user.id).execute()
    await changeUser(trx, user.id, {})
    await audit(trx, asker, user.id, 'factor_recovery_done')
    await announce(trx, asker, user, 'factor_recovery_done')
    await resetAccess(trx, ctx, user.id, 'factor_recovery')
    return endSessions(trx, user.id)
  })
  await announceRevoked(ctx.deps, ended)
}
