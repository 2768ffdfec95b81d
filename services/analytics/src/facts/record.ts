import type { Envelope } from '@operon/contracts/contract'
import type { KitDb } from '@operon/kit/schema'
import type { Runtime } from '@operon/kit/service'
import { sql, type Transaction } from 'kysely'
import { recordActivity } from '../activity/record.ts'
import { raiseNotifications } from '../notifications/raise.ts'
import { notePlan } from '../plans.ts'
import type { AnalyticsDb } from '../schema.ts'

export type Trx = Transaction<AnalyticsDb & KitDb>
/** An event with what analytics knows beside it. */
export type Heard = Envelope<any> & { planChanged: boolean }

/** Keeps an event as a fact, and tells its person what it means to them. */
export async function recordFact(rt: Runtime<AnalyticsDb>, trx: Trx, envelope: Envelope<any>): Promise<void> {
  const { id, name, user_id, at, payload } = envelope
  const erased = user_id !== null && (await isErased(trx, user_id))
  const fact = await trx
    .insertInto('facts')
    .values({ event_id: id, name, user_id: erased ? null : user_id, at: new Date(at), payload: JSON.stringify(withoutThePerson(payload)) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('event_id')
    .executeTakeFirst()
  if (!fact || !user_id || erased) return
  const heard = { ...envelope, planChanged: await notePlan(trx, envelope) }
  await recordActivity(rt, trx, heard)
  await raiseNotifications(rt, trx, heard)
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

const personal = new Set(['email', 'name', 'phone', 'command', 'referral_code', 'session_id'])
const withoutThePerson = (payload: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(payload).filter(([key]) => !personal.has(key)))
