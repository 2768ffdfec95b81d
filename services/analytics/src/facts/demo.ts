import type { Envelope, Payload } from '@operon/contracts/contract'
import { demoAppointments, demoCampaigns, demoContacts } from '@operon/contracts/crm/demo'
import * as crm from '@operon/contracts/crm/events'
import type { demoCreated } from '@operon/contracts/identity/events'
import { DAY_MS } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import type { Trx } from './record.ts'

const MINUTE_MS = 60_000

const done = [
  { command: 'Draft three ad variations for the spring offer', status: 'completed', minutesAgo: 12 },
  { command: 'Compared: How should a small agency open its pricing page?', status: 'completed', minutesAgo: 26 },
  { command: 'Write the welcome email for new leads', status: 'completed', minutesAgo: 64 },
  { command: 'Find eight names for the coaching program', status: 'completed', minutesAgo: 190 },
  { command: 'Summarize this week of sales', status: 'completed', minutesAgo: 310 },
]

/** Facts for a demo's dashboard. They are marked, so that they are deleted with the demo instead of staying without a person. */
export async function seedDemo(trx: Trx, { user_id, at, payload }: Envelope<Payload<typeof demoCreated>>): Promise<void> {
  if (!user_id || payload.portal !== 'seller') return
  const ago = (ms: number) => new Date(Date.parse(at) - ms)
  const fact = (name: string, daysAgo: number, more: object = {}) => ({
    event_id: newId(),
    name,
    user_id,
    at: ago(daysAgo * DAY_MS),
    payload: JSON.stringify({ demo: true, ...more }),
  })
  await trx
    .insertInto('facts')
    .values([
      ...demoContacts.map(({ daysAgo }) => fact(crm.leadCreated.name, daysAgo)),
      ...demoAppointments.map(({ daysAgo }) => fact(crm.appointmentBooked.name, daysAgo)),
      ...demoCampaigns.map(({ daysAgo }) => fact(crm.campaignCreated.name, daysAgo)),
      ...demoCampaigns.map(({ daysAgo, sent }) => fact(crm.campaignSent.name, daysAgo, { sent })),
    ])
    .execute()
  await trx
    .insertInto('activity_logs')
    .values(
      done.map(({ minutesAgo, ...line }) => ({
        id: newId(),
        user_id,
        event_id: newId(),
        link: null,
        ...line,
        created_at: ago(minutesAgo * MINUTE_MS),
      })),
    )
    .execute()
}
