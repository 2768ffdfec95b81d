import { stripeWebhook } from '@operon/contracts/billing/api'
import { serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Endpoint } from './endpoint.ts'
import type { Intake } from './intake.ts'
import type { EventQueue } from './queue.ts'

/** The provider's way in: the door, the storing of its events, and their handling. */
export type Hearing = { endpoint: Endpoint; intake: Intake; events: EventQueue }

/** Answers once the event is on disk; what it is about is fetched and kept after that. */
export function webhookRoutes(app: Runtime['app'], { endpoint, intake, events }: Hearing) {
  serveRaw(app, stripeWebhook, async (_ctx, body, reply, request) => {
    const event = await endpoint.read(body as Buffer, String(request.headers['stripe-signature'] ?? ''))
    const isNew = await intake(event)
    if (isNew) events.offer(event)
    return reply.send({ received: true, duplicate: !isNew })
  })
}
