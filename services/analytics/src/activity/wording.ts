import * as ai from '@operon/contracts/ai-gateway/events'
import * as billing from '@operon/contracts/billing/events'
import type { Envelope, Event, Payload } from '@operon/contracts/contract'
import * as crm from '@operon/contracts/crm/events'
import * as identity from '@operon/contracts/identity/events'
import * as integrations from '@operon/contracts/integrations/events'
import type { Heard } from '../facts/record.ts'
import { appName, money, planName } from '../words.ts'

type Activity = { command: string; status?: string }
type Wording = { event: string; say: (heard: Heard) => Activity | null }
const when = <E extends Event>(event: E, say: (event: Envelope<Payload<E>> & Heard) => Activity | null): Wording => ({
  event: event.name,
  say: say as Wording['say'],
})

const MAX_COMMAND = 200

/** What each event is called in the list of recent activity. An event that is not here is nobody's activity. */
const wordings: Wording[] = [
  when(identity.signedUp, () => ({ command: 'Created the account' })),
  when(identity.roleAssigned, ({ payload }) => ({ command: `Joined as a ${payload.role}` })),
  when(billing.subscriptionChanged, (event) => (event.planChanged ? planActivity(event.payload) : null)),
  when(billing.paymentSucceeded, ({ payload }) => ({ command: `Paid ${money(payload)}` })),
  when(billing.paymentFailed, ({ payload }) => ({ command: `Payment of ${money(payload)}`, status: 'failed' })),
  when(billing.paymentRefunded, ({ payload }) => ({ command: `Refunded ${money(payload)}` })),
  when(ai.completionFinished, ({ payload: { command, status } }) => (command ? { command: command.slice(0, MAX_COMMAND), status } : null)),
  when(ai.comparisonFinished, ({ payload: { command, models, status } }) => ({
    command: `${command.slice(0, MAX_COMMAND)}\n${models.join(', ')}`,
    status,
  })),
  when(integrations.connectionChanged, ({ payload }) => ({
    command: `${payload.status === 'connected' ? 'Connected' : 'Disconnected'} ${appName(payload.service_name)}`,
  })),
  when(crm.leadCreated, () => ({ command: 'Added a lead' })),
  when(crm.appointmentBooked, () => ({ command: 'Booked an appointment' })),
  when(crm.campaignCreated, ({ payload }) => ({ command: `Created the campaign ${payload.name}` })),
]

const byEvent = new Map(wordings.map((wording) => [wording.event, wording.say]))
export const activityOf = (heard: Heard): Activity | null => byEvent.get(heard.name)?.(heard) ?? null

function planActivity({ tier, status }: Payload<typeof billing.subscriptionChanged>): Activity | null {
  if (status === 'trialing') return { command: 'Started the free trial' }
  if (status === 'active') return { command: `Subscribed to ${planName(tier)}` }
  if (status === 'past_due' || status === 'unpaid') return { command: 'Payment for the plan', status: 'failed' }
  return status === 'canceled' ? { command: 'Subscription ended' } : null
}
