import type { Envelope, Payload } from '@operon/contracts/contract'
import { demoAppointments, demoCampaigns, demoContacts } from '@operon/contracts/crm/demo'
import type { demoCreated } from '@operon/contracts/identity/events'
import { DAY_MS } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Transaction } from 'kysely'
import { insertBooking, rangeOf } from '../calendar/bookings.ts'
import { addActivity } from '../contacts/timeline.ts'
import type { CrmDb } from '../schema.ts'

/** The contacts, appointments and campaigns of a visitor's demo. Nothing is sent, and no event tells of them: analytics counts them itself. */
export async function seedDemo(
  trx: Transaction<CrmDb & KitDb>,
  { user_id, at, payload }: Envelope<Payload<typeof demoCreated>>,
): Promise<void> {
  if (!user_id || payload.portal !== 'seller') return
  const days = (count: number) => new Date(Date.parse(at) + count * DAY_MS)
  const contacts = demoContacts.map((contact) => ({ id: newId(), ...contact }))
  await trx
    .insertInto('leads')
    .values(
      contacts.map(({ daysAgo, did, ...contact }) => ({
        user_id,
        ...contact,
        created_at: days(-daysAgo),
        last_activity_at: days(-daysAgo),
      })),
    )
    .execute()
  await trx
    .insertInto('contact_emails')
    .values(contacts.map(({ id, email }) => ({ id: newId(), user_id, email, contact_id: id })))
    .execute()
  for (const { id, daysAgo, did } of contacts)
    for (const { kind, text } of did) await addActivity(trx, user_id, { contactId: id, kind, text, at: days(-daysAgo) })
  for (const { title, inDays, daysAgo } of demoAppointments) {
    const [starts_at, ends_at] = [days(inDays), new Date(days(inDays).getTime() + 3_600_000)]
    await insertBooking(trx, {
      ...{ id: newId(), user_id, title, starts_at, ends_at, state: 'confirmed', blocks: false, created_at: days(-daysAgo) },
      during: rangeOf(starts_at, ends_at),
    })
  }
  await trx
    .insertInto('email_campaigns')
    .values(
      demoCampaigns.map(({ name, sent, daysAgo }) => ({
        id: newId(),
        user_id,
        name,
        status: 'sent',
        sent_count: sent,
        created_at: days(-daysAgo),
      })),
    )
    .execute()
}
