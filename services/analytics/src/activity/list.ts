import type { listActivity as contract } from '@operon/contracts/analytics/api'
import type { Input, Output } from '@operon/contracts/contract'
import { type Ctx, signedIn } from '@operon/kit/context'
import { olderThan, pageOf } from '../pages.ts'
import type { AnalyticsDb } from '../schema.ts'

export async function listActivity(ctx: Ctx<AnalyticsDb>, { limit, cursor }: Input<typeof contract>): Promise<Output<typeof contract>> {
  const found = await ctx.db
    .selectFrom('activity_logs')
    .select(['id', 'command', 'status', 'link', 'created_at'])
    .where('user_id', '=', signedIn(ctx).id)
    .where(olderThan(cursor))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = pageOf(found, limit)
  return { activity: page.rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })), cursor: page.cursor }
}
