import { newId } from '@operon/kit/ids'
import type { AuthCtx } from '../deps.ts'
import type { Trx } from './users.ts'

/** What happened to an account, kept for its owner, in the transaction of the change. */
export async function audit(
  trx: Trx,
  ctx: Pick<AuthCtx, 'ip' | 'userAgent' | 'actor'>,
  userId: string,
  action: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const actor = ctx.actor.kind === 'service' ? 'service' : 'user'
  await trx
    .insertInto('audit_log')
    .values({ id: newId(), user_id: userId, action, actor, ip: ctx.ip, user_agent: ctx.userAgent, detail: JSON.stringify(detail) })
    .execute()
}
