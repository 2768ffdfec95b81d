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
import { onlyNews } from './states.ts'

export type Trx = Transaction<AnalyticsDb & KitDb>
/** An event of a person, with what it declares. */
export type Heard = { event: Event; envelope: Envelope<any> & { user_id: string } }

/** Keeps events of one name as facts, and tells their people what they mean to them. */
export async function recordFacts(rt: Runtime<AnalyticsDb>, trx: Trx, event: Event, envelopes: Envelope<any>[]): Promise<void> {
  const erased = await erasedAmong(trx, envelopes)
  const isOfNobody = ({ user_id }: Envelope) => user_id === null || erased.has(user_id)
  const facts = envelopes.map((envelope) => ({
    event_id: envelope.id,
    name: envelope.name,
    user_id: isOfNobody(envelope) ? null : envelope.user_id,
    at: envelope.at,
    payload: withoutPersonal(event.payload, envelope.payload),
  }))
  const { rows } = await sql<{ event_id: string }>`
    insert into facts (event_id, name, user_id, at, payload)
    select event_id, name, user_id, at, payload
    from jsonb_to_recordset(${JSON.stringify(facts)}) as fact (event_id uuid, name text, user_id uuid, at timestamptz, payload jsonb)
    on conflict do nothing returning event_id`.execute(trx)
  const kept = new Set(rows.map((row) => row.event_id))
  const heard = envelopes
    .filter((envelope) => kept.has(envelope.id) && !isOfNobody(envelope))
    .map((envelope) => ({ event, envelope: { ...envelope, user_id: envelope.user_id! } }))
  if (!heard.length) return
  const news = event.state ? await onlyNews(trx, event, heard) : heard
  await recordActivity(rt, trx, news)
  await raiseNotifications(rt, trx, news)
  const topic = event.live
  if (topic)
    for (const { envelope } of news)
      afterCommit(trx, () => tell(rt, eventTold, { user_id: envelope.user_id, topic, event: event.name, payload: envelope.payload }))
}

async function erasedAmong(trx: Trx, envelopes: Envelope[]): Promise<Set<string>> {
  const people = [...new Set(envelopes.flatMap(({ user_id }) => user_id ?? []))].sort()
  if (!people.length) return new Set()
  await lockPeople(trx, people, 'shared')
  const rows = await trx.selectFrom('erased_people').select('user_id').where('user_id', '=', sql<string>`any(${people})`).execute()
  return new Set(rows.map((row) => row.user_id))
}

/** A deletion waits for what is being recorded, and nothing slips in behind it. */
export async function lockPeople(trx: Trx, people: string[], how: 'shared' | 'alone'): Promise<void> {
  const lock = how === 'shared' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`
  await sql`select ${lock}(hashtextextended(person, 0)) from unnest(${people}::text[]) as person`.execute(trx)
}
