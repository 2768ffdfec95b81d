import { userIdOf } from '@operon/kit/context'
import { newId } from '@operon/kit/ids'
import type { BillingCtx } from '../deps.ts'

/** Every staff call leaves who, what and why, before it acts. */
export async function log(ctx: BillingCtx, action: string, reason: string, userId: string | null, detail: object) {
  await ctx.db
    .insertInto('staff_actions')
    .values({ id: newId(), staff_user_id: userIdOf(ctx.actor), action, user_id: userId, reason, detail: JSON.stringify(detail) })
    .execute()
}
