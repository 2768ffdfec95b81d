import type { Envelope, Payload } from '@operon/contracts/contract'
import { demoAppointments, demoCampaigns, demoContacts } from '@operon/contracts/crm/demo'
import type { demoCreated } from '@operon/contracts/identity/events'
import { DAY_MS } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Transaction } from 'kysely'
import type { CrmDb } from '../schema.ts'

/** The contacts, appointments and campaigns of a visitor's demo. Nothing is sent, and no event tells of them: analytics counts them itself. */
export async function seedDemo(
  trx: Transaction<CrmDb & KitDb>,
  { user_id, at, payload }: Envelope<Payload<typeof demoCreated>>,
): Promise<void> {
  if (!user_id || payload.portal !== 'seller') return
  const days = (count: number) => new Date(Date.parse(at) + count * DAY_MS)
  await trx
    .insertInto('leads')
    .values(demoContacts.map(({ daysAgo, ...contact }) => ({ id: newId(), user_id, ...contact, created_at: days(-daysAgo) })))
    .execute()
  await trx
    .insertInto('appointments')
    .values(
      demoAppointments.map(({ title, inDays, daysAgo }) => ({
        id: newId(),
        user_id,
        title,
        starts_at: days(inDays),
        created_at: days(-daysAgo),
      })),
    )
    .execute()
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
