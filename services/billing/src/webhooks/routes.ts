import { stripeWebhook } from '@operon/contracts/billing'
import { DomainError } from '@operon/kit/errors'
import { serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Deps } from '../deps.ts'
import type { Endpoint } from './endpoint.ts'
import { receive } from './receive.ts'

export function webhookRoutes(app: Runtime['app'], deps: Deps, endpoint: Endpoint) {
  serveRaw(app, stripeWebhook, async (ctx, body, reply, request) => {
    const event = await endpoint.read(body as Buffer, String(request.headers['stripe-signature'] ?? ''))
    try {
      const outcome = await receive(deps, ctx.db, event)
      return reply.send({ received: true, duplicate: outcome === 'duplicate' })
    } catch (error) {
      ctx.log.warn({ err: error, event: event.id, type: event.type }, 'a provider event failed and waits to be replayed')
      // Not 2xx: the provider sends it again.
      throw new DomainError('unavailable', { cause: error })
    }
  })
}
