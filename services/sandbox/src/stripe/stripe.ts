import type { State } from '../core/state.ts'
import type { Truth } from '../core/truth.ts'
import type { Handler, Route, WireRequest } from '../core/wire.ts'
import { accountsIn } from './accounts.ts'
import { stripeApi } from './api.ts'
import { type Heard, openBank } from './bank.ts'
import { catchUp, runningClocks } from './clock.ts'
import { connectPages } from './connect/pages.ts'
import { controlPages } from './control.ts'
import { checkoutPages } from './pages-checkout.ts'
import { invoicePages } from './pages-invoice.ts'
import { portalPages } from './pages-portal.ts'
import { startWebhooks } from './webhooks.ts'

const TICK_MS = 5000
type Options = { state: State; truth: Truth; publicUrl: string; now: () => number; onError: (error: unknown) => void; heard: Heard }

/** The Stripe stand-in: its API for servers, its pages for people, its webhooks, and a clock that goes on by itself. */
export function createStripe({ state, truth, publicUrl, now, onError, heard }: Options): {
  api: Handler
  accountsOf: (request: WireRequest) => string[]
  pages: Route[]
  start: () => void
  stop: () => Promise<void>
} {
  const bank = openBank({ state, truth, publicUrl, now, heard })
  const webhooks = startWebhooks(bank)
  let ticking: NodeJS.Timeout | undefined

  function tick() {
    try {
      state.together(() => {
        catchUp(bank, null, bank.now())
        for (const { id } of runningClocks(bank)) catchUp(bank, id, bank.now(id))
      })
    } catch (error) {
      onError(error)
    }
  }

  return {
    api: stripeApi(bank, webhooks, onError),
    accountsOf: (request) => accountsIn(bank, request),
    pages: [...checkoutPages(bank), ...connectPages(bank), ...portalPages(bank), ...invoicePages(bank), ...controlPages(bank, webhooks)],
    start() {
      webhooks.start()
      ticking = setInterval(tick, TICK_MS).unref()
    },
    async stop() {
      clearInterval(ticking)
      await webhooks.stop()
    },
  }
}
