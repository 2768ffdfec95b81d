import { newId } from '@operon/kit/ids'
import type { AuthCtx } from '../deps.ts'
import type { Trx } from './users.ts'

/** Everything that is kept. What the auth protocol has a name and a kind for answers to these in its own log; the rest keeps our name. */
export const auditActions = {
  login: { kind: 'account' },
  logout: { kind: 'account' },
  session_revoked: { kind: 'account' },
  account_exported: { kind: 'account' },
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
  recovery_codes_created: { kind: 'factor' },
  recovery_code_used: { kind: 'factor' },
} satisfies Record<string, { kind: 'account' | 'team' | 'token' | 'user' | 'factor'; protocol?: string }>
export type AuditAction = keyof typeof auditActions

/** What happened to an account, kept for its owner, in the transaction of the change. */
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
