import { now } from '@operon/kit/clock'
import { forgetSlots } from '@operon/kit/mail/paces'
import type { AuthCtx } from '../deps.ts'
import { finishDueRecoveries } from '../factors/recovery.ts'
import { resealAll } from '../keys/reseal.ts'
import { chaseErasures } from './erasures.ts'

const DAY_MS = 24 * 3_600_000

/** Takes out what has run its time: tokens, flows, ended sessions, anonymous accounts that nobody came back to. */
export async function sweepAccounts(ctx: AuthCtx, _run: unknown): Promise<void> {
  const { db } = ctx
  const ago = (days: number) => new Date(now() - days * DAY_MS)
  await db.deleteFrom('one_time_tokens').where('expires_at', '<', ago(1)).execute()
  await db.deleteFrom('flows').where('expires_at', '<', ago(1)).execute()
  await db.deleteFrom('factor_challenges').where('expires_at', '<', ago(1)).execute()
  await db.deleteFrom('factors').where('status', '=', 'unverified').where('created_at', '<', ago(1)).execute()
  await db.deleteFrom('sessions').where('revoked_at', '<', ago(30)).execute()
  await db.deleteFrom('ended_sessions').where('at', '<', ago(30)).execute()
  await db.deleteFrom('sessions').where('refreshed_at', '<', ago(180)).execute()
  await db.deleteFrom('audit_log').where('at', '<', ago(730)).execute()
  await db.deleteFrom('erasures').where('erased_at', '<', ago(730)).execute()
  await db.deleteFrom('ai_keys').where('revoked_at', '<', ago(730)).execute()
  await db.deleteFrom('oauth_requests').where('expires_at', '<', ago(1)).execute()
  await db.deleteFrom('oauth_grants').where('revoked_at', '<', ago(30)).execute()
  await db.deleteFrom('oauth_grants').where('refreshed_at', '<', ago(90)).execute()
  await db.deleteFrom('oauth_clients').where('used_at', 'is', null).where('created_at', '<', ago(1)).execute()
  await forgetSlots(db)
  await finishDueRecoveries(ctx)
  await db.deleteFrom('factor_recoveries').where('closed_at', '<', ago(730)).execute()
  await chaseErasures(ctx)
  await resealAll(ctx)
}
