import { now } from '@operon/kit/clock'
import { firstIdOf } from '@operon/kit/ids'
import { forgetSlots } from '@operon/kit/mail/paces'
import { deleteInPieces } from '@operon/kit/pieces'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AuthCtx } from '../deps.ts'
import { finishDueRecoveries } from '../factors/recovery.ts'
import { resealAll } from '../keys/reseal.ts'
import { chaseErasures } from './erasures.ts'
import { sweepExports } from './export.ts'

const DAY_MS = 24 * 3_600_000

/** Takes out what has run its time: tokens, flows, ended sessions, anonymous accounts that nobody came back to. */
export async function sweepAccounts(ctx: AuthCtx, _run: unknown): Promise<void> {
  const { db, signal } = ctx
  const ago = (days: number) => new Date(now() - days * DAY_MS)
  const began = (days: number) => sql<boolean>`id < ${firstIdOf(now() - days * DAY_MS)}`
  const sweep = (table: string, where: RawBuilder<SqlBool>) => deleteInPieces(db, table, where, { signal })
  await sweep('one_time_tokens', sql`expires_at < ${ago(1)}`)
  await sweep('flows', sql`expires_at < ${ago(1)}`)
  await sweep('factor_challenges', sql`expires_at < ${ago(1)}`)
  await sweep('passkey_challenges', sql`expires_at < ${ago(1)}`)
  await sweep('factors', sql`status = 'unverified' and created_at < ${ago(1)}`)
  await sweep('sessions', sql`revoked_at < ${ago(30)}`)
  await sweep('ended_sessions', sql`at < ${ago(30)}`)
  await sweep('sessions', sql`${began(180)} and refreshed_at < ${ago(180)}`)
  await sweep('audit_log', sql`${began(730)} and at < ${ago(730)}`)
  await sweep('erasures', sql`erased_at < ${ago(730)}`)
  await sweep('ai_keys', sql`revoked_at < ${ago(730)}`)
  await sweep('oauth_requests', sql`expires_at < ${ago(1)}`)
  await sweep('oauth_grants', sql`revoked_at < ${ago(30)}`)
  await sweep('oauth_grants', sql`refreshed_at < ${ago(90)}`)
  await sweep('oauth_clients', sql`used_at is null and created_at < ${ago(1)}`)
  await forgetSlots(db)
  await finishDueRecoveries(ctx)
  await sweep('factor_recoveries', sql`closed_at < ${ago(730)}`)
  await sweepExports(ctx)
  await chaseErasures(ctx)
  await resealAll(ctx)
}
