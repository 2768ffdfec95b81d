import type { Event } from '@operon/contracts/contract'
import { durableEvents } from '@operon/contracts/registry'
import type { Runtime } from '@operon/kit/service'
import { endSequences } from '../email/sequences/ends.ts'
import type { CrmDb } from '../schema.ts'
import { assertContact, type Trx } from './assert.ts'
import { addActivity, type Done } from './timeline.ts'

/** The timelines hear every event that says whose it is: a tool that joins the platform has no work here. */
export function contactConsumers(rt: Runtime<CrmDb>) {
  for (const event of durableEvents()) if (event.timeline) timelineOn(rt, event, event.timeline)
}

function timelineOn(rt: Runtime<CrmDb>, event: Event, tell: NonNullable<Event['timeline']>) {
  rt.on(event, `timeline-${event.name.replace(/^.*\./, '').replaceAll('_', '-')}`, async (trx, { id, at, user_id, payload }) => {
    const happened = user_id ? tell(payload) : null
    if (!happened || !user_id) return
    const { email, name, phone, kind, text } = happened
    const erased = await trx.selectFrom('erased_people').select('user_id').where('user_id', '=', user_id).executeTakeFirst()
    if (erased) return
    const contactId = await assertContact(trx, user_id, { email, name, phone, source: kind })
    await addHappened(trx, user_id, { contactId, kind, text, at: new Date(at), eventId: id })
  })
}

/** An act goes on the timeline of whoever did it, and may end the sequences they are in. */
export async function addHappened(trx: Trx, userId: string, done: Done): Promise<void> {
  if (await addActivity(trx, userId, done)) await endSequences(trx, userId, done)
}
