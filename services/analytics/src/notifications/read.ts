import type { notificationsRead } from '@operon/contracts/analytics/api'
import { notificationsWereRead } from '@operon/contracts/analytics/events'
import type { Input, Output } from '@operon/contracts/contract'
import { type Ctx, signedIn } from '@operon/kit/context'
import type { Runtime } from '@operon/kit/service'
import { afterCommit, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { AnalyticsDb } from '../schema.ts'
import { tell } from '../tell.ts'
import { unreadOf } from './raise.ts'

export const markRead =
  (rt: Runtime<AnalyticsDb>) =>
  async (ctx: Ctx<AnalyticsDb>, input: Input<typeof notificationsRead>): Promise<Output<typeof notificationsRead>> => {
    const { id: userId } = signedIn(ctx)
    const ids = input?.ids
    return inTransaction(ctx.db, async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('notifications')
        .set({ read_at: sql`now()` })
        .where('user_id', '=', userId)
        .where('read_at', 'is', null)
        .$if(ids !== undefined, (update) => update.where('id', '=', sql<string>`any(${ids})`))
        .executeTakeFirst()
      const unread = await unreadOf(trx, userId)
      if (numUpdatedRows > 0n) afterCommit(trx, () => tell(rt, notificationsWereRead, { user_id: userId, unread }))
      return { read: Number(numUpdatedRows), unread }
    })
  }
