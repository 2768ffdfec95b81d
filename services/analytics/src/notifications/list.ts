import type { listNotifications as contract } from '@operon/contracts/analytics/api'
import type { Input, Output } from '@operon/contracts/contract'
import { type Ctx, signedIn } from '@operon/kit/context'
import { olderThan, pageOf } from '../pages.ts'
import type { AnalyticsDb } from '../schema.ts'
import { unreadOf } from './raise.ts'

export async function notificationsOf(
  ctx: Ctx<AnalyticsDb>,
  { limit, cursor, unread = false }: Input<typeof contract>,
): Promise<Output<typeof contract>> {
  const { id: userId } = signedIn(ctx)
  const found = await ctx.db
    .selectFrom('notifications')
    .select(['id', 'title', 'body', 'link', 'created_at', 'read_at'])
    .where('user_id', '=', userId)
    .$if(unread, (query) => query.where('read_at', 'is', null))
    .where(olderThan(cursor))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = pageOf(found, limit)
  return {
    notifications: page.rows.map((row) => ({
      ...row,
      created_at: row.created_at.toISOString(),
      read_at: row.read_at?.toISOString() ?? null,
    })),
    unread: await unreadOf(ctx.db, userId),
    cursor: page.cursor,
  }
}
