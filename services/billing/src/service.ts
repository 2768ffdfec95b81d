import { revenue, subscriptionLive } from '@operon/contracts/billing/events'
import { keptOut, staffPeople } from '@operon/contracts/identity/events'
import { orderEvidence } from '@operon/contracts/marketplace/evidence'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { closedBy, meteredBy } from '@operon/contracts/top-ups'
import { sandboxIsOpen } from '@operon/kit/config'
import type { ServiceDefinition } from '@operon/kit/service'
import { Config } from './config.ts'
import { billingConsumers } from './consumers.ts'
import type { Deps } from './deps.ts'
import { earned } from './ledger/post.ts'
import { migrations } from './migrations/index.ts'
import { belongTo } from './provider-change.ts'
import { billingRoutes } from './routes.ts'
import type { BillingDb } from './schema.ts'
import { sellerConsumers, sellerRoutes } from './sellers/routes.ts'
import { planStaffRoutes } from './staff/routes.ts'
import { openProvider } from './stripe.ts'
import { openEndpoint } from './webhooks/endpoint.ts'
import { openIntake } from './webhooks/intake.ts'
import { openQueue } from './webhooks/queue.ts'
import { type Hearing, webhookRoutes } from './webhooks/routes.ts'

export const billingService: ServiceDefinition<BillingDb, Config> = {
  name: 'billing',
  config: Config,
  migrations,
  sandboxed: ({ STRIPE_SECRET_KEY }) => (STRIPE_SECRET_KEY ? [] : ['stripe']),
  async setup(rt) {
    const { STRIPE_TAX, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_CONNECT_WEBHOOK_SECRET, WEBHOOK_BASE_URL, TRIAL_ONCE_PER_CARD } =
      rt.config
    const provider = openProvider({
      secretKey: STRIPE_SECRET_KEY,
      watch: rt.providers,
      collectsTax: STRIPE_TAX === 'on',
      sandboxAddress: async () => (await rt.ask(sandboxAddress, { provider: 'stripe' })).url,
    })
    if ((await belongTo(rt.db, provider.mode)) === 'moved')
      rt.log.warn({ mode: provider.mode }, 'the payment provider has changed: every account starts over with the new one')
    const deps: Deps = {
      provider,
      hasProvider: Boolean(STRIPE_SECRET_KEY) || sandboxIsOpen(rt.kit),
      publicUrl: rt.kit.PUBLIC_URL,
      trialOncePerCard: TRIAL_ONCE_PER_CARD ?? provider.mode === 'live',
      staff: () => rt.ask(staffPeople, {}).then(({ ids }) => ids),
      keptOut: (after) => rt.ask(keptOut, { after }),
      orderEvidence: (reference) => rt.ask(orderEvidence, { reference }).then(({ order }) => order),
      closeTopUp: (topUp) => rt.ask(closedBy[meteredBy[topUp.unit]] as (typeof closedBy)['media'], topUp),
      tell: ({ user_id, tier, status }) =>
        void rt.broadcast(subscriptionLive, { user_id, tier, status }).catch((err) => rt.log.debug({ err }, 'no page could be told')),
    }
    const url = `${(WEBHOOK_BASE_URL ?? rt.kit.PUBLIC_URL).replace(/\/$/, '')}/webhooks/stripe`
    const secrets = STRIPE_SECRET_KEY ? [STRIPE_WEBHOOK_SECRET, STRIPE_CONNECT_WEBHOOK_SECRET].filter((each) => each !== undefined) : []
    const endpoint = openEndpoint({ provider, db: rt.db, vault: rt.vault, url, secrets })
    const hearing: Hearing = { endpoint, intake: openIntake(rt.db), events: openQueue(deps, rt.db, rt.log) }
    rt.answer(revenue, earned)
    billingRoutes(rt.app, deps, hearing)
    webhookRoutes(rt.app, hearing)
    billingConsumers(rt, deps, hearing)
    sellerRoutes(rt, deps)
    planStaffRoutes(rt.app, deps)
    sellerConsumers(rt, deps)
    rt.onStart(hearing.events.start)
    rt.onStop(hearing.events.stop)
    // The sandbox may start after us; the sweep tries again.
    rt.onStart(
      () =>
        deps.hasProvider &&
        void endpoint.ensure().catch((err) => rt.log.info({ err }, 'the webhook endpoint will be registered by the next sweep')),
    )
  },
}
