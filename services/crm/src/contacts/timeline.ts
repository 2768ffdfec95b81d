import { type ActivityKind, heatPoints } from '@operon/contracts/crm/heat'
import { newId } from '@operon/kit/ids'
import { sql } from 'kysely'
import type { Trx } from './assert.ts'

export type Done = { contactId: string; kind: ActivityKind; text: string; at: Date; eventId?: string | null }

/** Adds to a contact's timeline and warms it, once for an event. False where the event was there before, or the contact is gone. */
export async function addActivity(trx: Trx, userId: string, { contactId, kind, text, at, eventId = null }: Done): Promise<string | null> {
  const id = newId(at.getTime())
  const points = heatPoints[kind]
  const { rows } = await sql`
    with added as (
      insert into activities (id, user_id, contact_id, kind, text, points, event_id, at)
      select ${id}, ${userId}, id, ${kind}, ${text.slice(0, 4000)}, ${points}, ${eventId}, ${at} from leads
      where id = ${contactId} and user_id = ${userId}
      on conflict do nothing returning contact_id
    )
    update leads set last_activity_at = greatest(last_activity_at, ${at}),
      hot_until = case when ${points} > 0 then warmed(hot_until, ${points}, ${at}) else hot_until end
    from added where leads.id = added.contact_id and leads.user_id = ${userId} returning leads.id`.execute(trx)
  return rows.length ? id : null
}
