import { notificationRaised } from '@operon/contracts/analytics/events'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { afterCommit } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Heard, Trx } from '../facts/record.ts'
import type { AnalyticsDb } from '../schema.ts'
import { tell } from '../tell.ts'

export async function raiseNotifications(rt: Runtime<AnalyticsDb>, trx: Trx, heard: Heard[]): Promise<void> {
  const notices = heard.flatMap(({ event, envelope: { id, user_id, at, payload } }) =>
    // A millisecond apart, so that their order in the inbox is theirs.
    (event.notice?.(payload, rt.kit.PRODUCT_NAME) ?? []).map(({ about, ...notice }, i) => ({
      ...notice,
      id: newId(),
      user_id,
      about: about ?? id,
      created_at: new Date(Date.parse(at) + i),
    })),
  )
  if (!notices.length) return
  // Two batches that raise the same wait for each other in one direction.
  const rows = notices.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const inserted = await trx
    .insertInto('notifications')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['user_id', 'about']).doNothing())
    .returning('id')
    .execute()
  const raised = new Set(inserted.map(({ id }) => id))
  if (!raised.size) return
  const unread = await unreadOfMany(trx, [...new Set(rows.map(({ user_id }) => user_id))])
  afterCommit(trx, async () => {
    for (const { id, user_id, title, body, link, created_at } of notices.filter((notice) => raised.has(notice.id)))
      await tell(rt, notificationRaised, {
        ...{ id, user_id, title, body, link },
        created_at: created_at.toISOString(),
        unread: unread.get(user_id) ?? 0,
      })
  })
}

const keyOf = ({ user_id, about }: { user_id: string; about: string }) => `${user_id} ${about}`

async function unreadOfMany(trx: Trx, people: string[]): Promise<Map<string, number>> {
  const rows = await trx
    .selectFrom('notifications')
    .select(['user_id', sql<number>`count(*)`.as('unread')])
    .where('user_id', '=', sql<string>`any(${people})`)
    .where('read_at', 'is', null)
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ user_id, unread }) => [user_id, unread]))
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
