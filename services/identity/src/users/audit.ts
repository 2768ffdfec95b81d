import { DAY_MS, now } from '@operon/kit/clock'
import { runStatement, type Statement } from '@operon/kit/db'
import { newId } from '@operon/kit/ids'
import type { AuthCtx } from '../deps.ts'
import type { Trx } from './users.ts'

/** All recorded events. Those known to the auth protocol appear under its names in its own log; the rest keep ours. */
export const auditActions = {
  login: { kind: 'account' },
  login_failed: { kind: 'account' },
  logout: { kind: 'account' },
  session_revoked: { kind: 'account' },
  account_exported: { kind: 'account' },
  app_connected: { kind: 'account' },
  app_disconnected: { kind: 'account' },
  api_key_created: { kind: 'account' },
  api_key_revoked: { kind: 'account' },
  user_signedup: { kind: 'team' },
  user_created_by_admin: { kind: 'team', protocol: 'user_signedup' },
  user_invited: { kind: 'team' },
  account_deleted: { kind: 'team', protocol: 'user_deleted' },
  staff_read_erasures: { kind: 'team' },
  token_reused: { kind: 'token', protocol: 'token_revoked' },
  user_confirmation_requested: { kind: 'user' },
  user_repeated_signup: { kind: 'user' },
  user_verified: { kind: 'user' },
  user_recovery_requested: { kind: 'user' },
  user_reauthenticate_requested: { kind: 'user' },
  user_modified: { kind: 'user' },
  user_banned: { kind: 'user', protocol: 'user_modified' },
  user_updated_password: { kind: 'user' },
  unproven_access_removed: { kind: 'user', protocol: 'user_modified' },
  identity_linked: { kind: 'user' },
  identity_unlinked: { kind: 'user' },
  link_generated: { kind: 'user' },
  role_assigned: { kind: 'user' },
  factor_enrolled: { kind: 'factor', protocol: 'factor_in_progress' },
  factor_challenged: { kind: 'factor', protocol: 'challenge_created' },
  factor_verified: { kind: 'factor', protocol: 'verification_attempted' },
  factor_removed: { kind: 'factor', protocol: 'factor_unenrolled' },
  factor_updated: { kind: 'factor' },
  factor_recovery_begun: { kind: 'factor' },
  factor_recovery_stopped: { kind: 'factor' },
  factor_recovery_done: { kind: 'factor' },
  passkey_added: { kind: 'factor' },
  passkey_removed: { kind: 'factor' },
  recovery_codes_created: { kind: 'factor' },
  recovery_code_used: { kind: 'factor' },
} satisfies Record<string, { kind: 'account' | 'team' | 'token' | 'user' | 'factor'; protocol?: string }>
export type AuditAction = keyof typeof auditActions

const FAILED: Statement = {
  name: 'identity_note_failed_sign_in',
  text: `insert into audit_log (id, user_id, action, actor, ip, user_agent, detail)
    select $1, u.id, 'login_failed', 'user', $3, $4, jsonb_build_object('method', $5::text, 'last', seen.count = $7::int - 1)
    from users u, lateral (
      select count(*) as count from (
        select from audit_log a where a.user_id = u.id and a.id > $6::uuid and a.action = 'login_failed' limit $7::int) counted) seen
    where u.id = $2::uuid and u.deleted_at is null and seen.count < $7::int`,
}
const FAILED_A_DAY = 20

/**
 * A sign-in that failed, for the owner to see. So many a day and no more, so that nobody fills the log with them.
 * Beside the answer, which must not take longer where the account exists.
 */
export function noteFailedSignIn(ctx: AuthCtx, userId: string | null, method: 'password' | 'second factor'): Promise<void> {
  const dayAgo = firstIdAt(now() - DAY_MS)
  const values = [newId(), userId, ctx.ip, ctx.userAgent, method, dayAgo, FAILED_A_DAY]
  return runStatement(ctx.deps.rt.db, FAILED, values)
    .then(() => {})
    .catch((err) => ctx.log.warn({ err }, 'a failed sign-in is missing from the log of its account'))
}

/** The lowest id that can have been given at that time. */
const firstIdAt = (ms: number): string => {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** Records an event of an account for its owner, in the transaction of the change. */
export async function audit(
  trx: Trx,
  ctx: Pick<AuthCtx, 'ip' | 'userAgent' | 'actor'>,
  userId: string,
  action: AuditAction,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const actor = ctx.actor.kind === 'service' ? 'service' : 'user'
  await trx
    .insertInto('audit_log')
    .values({ id: newId(), user_id: userId, action, actor, ip: ctx.ip, user_agent: ctx.userAgent, detail: JSON.stringify(detail) })
    .execute()
}
