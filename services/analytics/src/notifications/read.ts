import type { notificationsRead, notificationsUnread } from '@operon/contracts/analytics/api'
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
      // In milliseconds, as an answer tells it.
      const marked = await trx
        .updateTable('notifications')
        .set({ read_at: sql`date_trunc('milliseconds', now())` })
        .where('user_id', '=', userId)
        .where('read_at', 'is', null)
        .$if(ids !== undefined, (update) => update.where('id', '=', sql<string>`any(${ids})`))
        .returning('read_at')
        .execute()
      const unread = await unreadOf(trx, userId)
      if (marked.length) afterCommit(trx, () => tell(rt, notificationsWereRead, { user_id: userId, unread }))
      return { read: marked.length, unread, read_at: marked[0]?.read_at?.toISOString() ?? null }
    })
  }

/** Undoes "mark as read" for all notices that were marked together. */
export const markUnread =
  (rt: Runtime<AnalyticsDb>) =>
  async (ctx: Ctx<AnalyticsDb>, { read_at }: Input<typeof notificationsUnread>): Promise<Output<typeof notificationsUnread>> => {
    const { id: userId } = signedIn(ctx)
    return inTransaction(ctx.db, async (trx) => {
      // Where nothing was marked there is nothing to take back.
      if (!read_at) return { unread: await unreadOf(trx, userId) }
      const { numUpdatedRows } = await trx
        .updateTable('notifications')
        .set({ read_at: null })
        .where('user_id', '=', userId)
        .where('read_at', '=', new Date(read_at))
        .executeTakeFirst()
      const unread = await unreadOf(trx, userId)
      if (numUpdatedRows > 0n) afterCommit(trx, () => tell(rt, notificationsWereRead, { user_id: userId, unread }))
      return { unread }
    })
  }
