import { notificationRaised } from '@operon/contracts/analytics/events'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { afterCommit } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Heard, Trx } from '../facts/record.ts'
import type { AnalyticsDb } from '../schema.ts'
import { tell } from '../tell.ts'

export async function raiseNotifications(rt: Runtime<AnalyticsDb>, trx: Trx, { event, envelope }: Heard): Promise<void> {
  const notices = event.notice?.(envelope.payload, rt.kit.PRODUCT_NAME) ?? []
  if (!notices.length) return
  const userId = envelope.user_id
  // A millisecond apart, so that their order in the inbox is theirs.
  const rows = notices.map(({ about, ...notice }, i) => ({
    ...notice,
    id: newId(),
    user_id: userId,
    about: about ?? envelope.id,
    created_at: new Date(Date.parse(envelope.at) + i),
  }))
  const raised = await trx
    .insertInto('notifications')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['user_id', 'about']).doNothing())
    .returning(['id', 'title', 'body', 'link', 'created_at'])
    .execute()
  if (!raised.length) return
  const unread = await unreadOf(trx, userId)
  afterCommit(trx, async () => {
    for (const row of raised)
      await tell(rt, notificationRaised, { ...row, user_id: userId, created_at: row.created_at.toISOString(), unread })
  })
}

export async function unreadOf(db: Pick<Trx, 'selectFrom'>, userId: string): Promise<number> {
  const { unread } = await db
    .selectFrom('notifications')
    .select(sql<number>`count(*)`.as('unread'))
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow()
  return unread
}
