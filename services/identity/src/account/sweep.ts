import { DAY_MS, now } from '@operon/kit/clock'
import { firstIdOf } from '@operon/kit/ids'
import { forgetSlots } from '@operon/kit/mail/paces'
import { deleteInPieces } from '@operon/kit/pieces'
import { forgetByPlan, idDaysAgo } from '@operon/kit/retention'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AuthCtx } from '../deps.ts'
import { finishDueRecoveries } from '../factors/recovery.ts'
import { resealAll } from '../keys/reseal.ts'
import { chaseErasures } from './erasures.ts'
import { sweepAnswers } from './export.ts'
import { sweepExports } from './exports.ts'

/** Expired rows by table: tokens, flows, ended sessions, logs. Long logs are found by their ids, which rise with time. */
export function overdue(): [table: string, where: RawBuilder<SqlBool>][] {
  const ago = (days: number) => new Date(now() - days * DAY_MS)
  const began = (days: number) => sql<boolean>`id < ${firstIdOf(now() - days * DAY_MS)}`
  return [
    ['one_time_tokens', sql`expires_at < ${ago(1)}`],
    ['flows', sql`expires_at < ${ago(1)}`],
    ['factor_challenges', sql`expires_at < ${ago(1)}`],
    ['passkey_challenges', sql`expires_at < ${ago(1)}`],
    ['factors', sql`status = 'unverified' and created_at < ${ago(1)}`],
    ['factor_recoveries', sql`closed_at < ${ago(730)}`],
    ['sessions', sql`revoked_at < ${ago(30)}`],
    ['ended_sessions', sql`at < ${ago(30)}`],
    ['sessions', sql`${began(180)} and refreshed_at < ${ago(180)}`],
    ['erasures', sql`erased_at < ${ago(730)}`],
    ['ai_keys', sql`revoked_at < ${ago(730)}`],
    ['oauth_requests', sql`expires_at < ${ago(1)}`],
    ['oauth_grants', sql`revoked_at < ${ago(30)}`],
    ['oauth_grants', sql`refreshed_at < ${ago(90)}`],
    ['oauth_clients', sql`used_at is null and created_at < ${ago(1)}`],
  ]
}

/** Takes out what has run its time, and finishes what a lost job left. */
export async function sweepAccounts(ctx: AuthCtx, _run: unknown): Promise<void> {
  const { db, signal } = ctx
  for (const [table, where] of overdue()) await deleteInPieces(db, table, where, { signal })
  await forgetSlots(db)
  await finishDueRecoveries(ctx)
  await sweepExports(ctx)
  await sweepAnswers(ctx)
  await chaseErasures(ctx)
  await resealAll(ctx)
}

/** The account log, for as long as each plan keeps it. */
export async function forgetLog({ db, signal }: AuthCtx, _run: unknown): Promise<void> {
  await forgetByPlan(db, { table: 'audit_log', column: 'id', ago: idDaysAgo }, { signal })
}
