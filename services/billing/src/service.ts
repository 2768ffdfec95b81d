import { subscriptionLive } from '@operon/contracts/billing'
import { sandboxAddress } from '@operon/contracts/sandbox'
import type { ServiceDefinition } from '@operon/kit/service'
import { Config } from './config.ts'
import { billingConsumers } from './consumers.ts'
import type { Deps } from './deps.ts'
import { migrations } from './migrations/index.ts'
import { billingRoutes } from './routes.ts'
import type { BillingDb } from './schema.ts'
import { openProvider } from './stripe.ts'
import { openEndpoint } from './webhooks/endpoint.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export const billingService: ServiceDefinition<BillingDb, Config> = {
  name: 'billing',
  config: Config,
  migrations,
  setup(rt) {
    const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, WEBHOOK_BASE_URL, TRIAL_ONCE_PER_CARD } = rt.config
    const provider = openProvider({
      secretKey: STRIPE_SECRET_KEY,
      sandboxAddress: async () => (await rt.ask(sandboxAddress, { provider: 'stripe' })).url,
    })
    const deps: Deps = {
      provider,
      publicUrl: rt.kit.PUBLIC_URL,
      trialOncePerCard: TRIAL_ONCE_PER_CARD ?? provider.mode === 'live',
      tell: ({ user_id, tier, status }) =>
        void rt.broadcast(subscriptionLive, { user_id, tier, status }).catch((err) => rt.log.debug({ err }, 'no page could be told')),
    }
    const url = `${(WEBHOOK_BASE_URL ?? rt.kit.PUBLIC_URL).replace(/\/$/, '')}/webhooks/stripe`
    const endpoint = openEndpoint({ provider, db: rt.db, vault: rt.vault, url, secret: STRIPE_SECRET_KEY && STRIPE_WEBHOOK_SECRET })
    billingRoutes(rt.app, deps)
    webhookRoutes(rt.app, deps, endpoint)
    billingConsumers(rt, deps, endpoint)
    // The sandbox may start after us; the sweep tries again.
    rt.onStart(
      () => void endpoint.ensure().catch((err) => rt.log.info({ err }, 'the webhook endpoint will be registered by the next sweep')),
    )
  },
}
