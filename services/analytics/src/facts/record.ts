import { eventTold } from '@operon/contracts/analytics/events'
import type { Envelope, Event } from '@operon/contracts/contract'
import { withoutPersonal } from '@operon/contracts/marks'
import type { KitDb } from '@operon/kit/schema'
import type { Runtime } from '@operon/kit/service'
import { afterCommit } from '@operon/kit/tx'
import { sql, type Transaction } from 'kysely'
import { recordActivity } from '../activity/record.ts'
import { raiseNotifications } from '../notifications/raise.ts'
import type { AnalyticsDb } from '../schema.ts'
import { tell } from '../tell.ts'
import { isNews } from './states.ts'

export type Trx = Transaction<AnalyticsDb & KitDb>
/** An event of a person, with what it declares. */
export type Heard = { event: Event; envelope: Envelope<any> & { user_id: string } }

/** Keeps an event as a fact, and tells its person what it means to them. */
export async function recordFact(rt: Runtime<AnalyticsDb>, trx: Trx, event: Event, envelope: Envelope<any>): Promise<void> {
  const { id, name, user_id, at, payload } = envelope
  const erased = user_id !== null && (await isErased(trx, user_id))
  const fact = await trx
    .insertInto('facts')
    .values({
      event_id: id,
      name,
      user_id: erased ? null : user_id,
      at: new Date(at),
      payload: JSON.stringify(withoutPersonal(event.payload, payload)),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('event_id')
    .executeTakeFirst()
  if (!fact || !user_id || erased) return
  const heard = { event, envelope: { ...envelope, user_id } }
  if (event.state && !(await isNews(trx, heard))) return
  await recordActivity(rt, trx, heard)
  await raiseNotifications(rt, trx, heard)
  const topic = event.live
  if (topic) afterCommit(trx, () => tell(rt, eventTold, { user_id, topic, event: name, payload }))
}

async function isErased(trx: Trx, userId: string): Promise<boolean> {
  await lockPerson(trx, userId, 'shared')
  const row = await trx.selectFrom('erased_people').select('user_id').where('user_id', '=', userId).executeTakeFirst()
  return row !== undefined
}

/** A deletion waits for what is being recorded, and nothing slips in behind it. */
export async function lockPerson(trx: Trx, userId: string, how: 'shared' | 'alone'): Promise<void> {
  const key = sql`hashtextextended(${userId}, 0)`
  await (how === 'shared' ? sql`select pg_advisory_xact_lock_shared(${key})` : sql`select pg_advisory_xact_lock(${key})`).execute(trx)
}
