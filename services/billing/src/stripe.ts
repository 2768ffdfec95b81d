import type { Period, PlanId } from '@operon/contracts/plans'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { Circuit } from '@operon/kit/fetch'
import type { ProviderWatch } from '@operon/kit/providers'
import Stripe from 'stripe'
import { ensurePrices, type Prices, portalConfiguration, referralCoupon } from './stripe-catalogue.ts'
import { checkoutsOf } from './stripe-checkouts.ts'
import { connectOf } from './stripe-connect.ts'
import { askAgain, ignoreMissing, ignoreRefused, isOutage, isRefusal } from './stripe-errors.ts'
import { moneyOf } from './stripe-money.ts'
import { plansOf } from './stripe-plans.ts'
import { salesOf } from './stripe-sales.ts'
import { date, eventOf, idOf, type ProviderEvent, type ProviderSubscription, seconds, subscriptionOf } from './stripe-shapes.ts'
import { staffOf } from './stripe-staff.ts'
import { topUpsOf } from './stripe-top-ups.ts'

// The one place that calls the provider's SDK (what is on sale there: stripe-catalogue.ts; what moved there: stripe-money.ts).

export type Mode = 'sandbox' | 'test' | 'live'

type Options = {
  secretKey?: string | undefined
  sandboxAddress: () => Promise<string>
  watch?: ProviderWatch | undefined
  collectsTax?: boolean
}
export type Provider = ReturnType<typeof openProvider>

const ANSWER_MS = 12_000
const leftAlone = () => new DomainError('unavailable', askAgain)

export function openProvider({ secretKey, sandboxAddress, watch, collectsTax = true }: Options) {
  const mode: Mode = !secretKey ? 'sandbox' : secretKey.includes('_live_') ? 'live' : 'test'
  const circuit = new Circuit({ coolMs: 5000, counts: isOutage, refusal: leftAlone })
  watch?.circuit('stripe', circuit)
  const making = new Map<string, Promise<unknown>>()
  let client: Stripe | null = null
  let prices: Prices | null = null

  async function stripe(): Promise<Stripe> {
    const common = { maxNetworkRetries: 2, timeout: 10_000, telemetry: false, appInfo: { name: 'operon' } }
    client ??= secretKey
      ? new Stripe(secretKey, common)
      : new Stripe('sk_test_sandbox', { ...common, ...addressOf(await sandboxAddress()) })
    return client
  }

  async function call<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    return circuit.run(async () => {
      try {
        const asked = await stripe()
        const answer = () => within(ANSWER_MS, work(asked))
        return await (watch ? watch.call('stripe', answer) : answer())
      } catch (error) {
        // The sandbox may have come back at another address.
        if (!secretKey && error instanceof Stripe.errors.StripeConnectionError) client = null
        throw error
      }
    })
  }

  /**
   * One request for all callers that want the same now. Each waits in its own name: the circuit counts them, and a caller that comes while
   * it is open is told so instead of joining the others.
   */
  function callTogether<T>(what: string, work: (stripe: Stripe) => Promise<T>): Promise<T> {
    return call((stripe) => {
      const made = (making.get(what) as Promise<T> | undefined) ?? work(stripe).finally(() => making.delete(what))
      making.set(what, made)
      return made
    })
  }

  /** Made at first use, once. */
  async function pricesOf(): Promise<Prices> {
    prices ??= await callTogether('prices', ensurePrices)
    return prices
  }

  /** The cards that have refused to pay an invoice; Stripe asks them again by itself. */
  async function triedCards(invoice: string): Promise<string[]> {
    const { payments } = await call((stripe) => stripe.invoices.retrieve(invoice, { expand: ['payments.data.payment.payment_intent'] }))
    return (payments?.data ?? []).flatMap(({ payment }) => {
      const intent = payment.payment_intent
      return typeof intent === 'object' ? (intent.last_payment_error?.payment_method?.id ?? []) : []
    })
  }

  return {
    mode,

    async createCustomer(person: { userId: string; email: string | null; name: string | null }, key: string): Promise<string> {
      const { email, name, userId } = person
      const customer = await callTogether(key, (stripe) =>
        stripe.customers.create({ metadata: { user_id: userId }, ...(email && { email }), ...(name && { name }) }, { idempotencyKey: key }),
      )
      return customer.id
    },

    /** For a call that was begun longer ago than the provider remembers keys. */
    async findCustomer(userId: string, email: string | null): Promise<string | null> {
      if (!email) return null
      const found = await call((stripe) => stripe.customers.list({ email, limit: 100 }))
      return found.data.find((customer) => customer.metadata.user_id === userId)?.id ?? null
    },

    async updateCustomer(id: string, person: { email?: string | null; name?: string | null }) {
      await call((stripe) =>
        stripe.customers.update(id, { ...(person.email && { email: person.email }), ...(person.name && { name: person.name }) }),
      )
    },

    async deleteCustomer(id: string) {
      await call((stripe) => stripe.customers.del(id)).catch(ignoreMissing)
    },

    async createPortal(customer: string, returnUrl: string, configuration?: string): Promise<string> {
      const session = await call((stripe) =>
        stripe.billingPortal.sessions.create({ customer, return_url: returnUrl, ...(configuration && { configuration }) }),
      )
      return session.url
    },

    /** A customer's choices in the portal: change the card, see invoices, cancel at the period's end. Plans are switched here. */
    async createPortalConfiguration(publicUrl: string): Promise<string> {
      const configuration = await call((stripe) => stripe.billingPortal.configurations.create(portalConfiguration(publicUrl)))
      return configuration.id
    },

    /** All that a customer has and had, newest first. */
    async listSubscriptions(customer: string): Promise<ProviderSubscription[]> {
      const list = await call((stripe) =>
        stripe.subscriptions.list({ customer, status: 'all', limit: 20, expand: ['data.schedule'] }),
      ).catch(ignoreMissing)
      return (list?.data ?? []).map(subscriptionOf)
    },

    async setCancelAtPeriodEnd(subscription: string, cancel: boolean) {
      await call((stripe) => stripe.subscriptions.update(subscription, { cancel_at_period_end: cancel }))
    },

    /** Nothing of it is credited. */
    async endNow(subscription: string, comment?: string) {
      const why = comment && { cancellation_details: { comment } }
      await call((stripe) => stripe.subscriptions.cancel(subscription, { prorate: false, invoice_now: false, ...why })).catch(ignoreRefused)
    },

    /** One that was paid for beside another: the payment goes back to the card it came from. */
    async undoSubscription(id: string) {
      const { latest_invoice: invoice } = await call((stripe) => stripe.subscriptions.retrieve(id, { expand: ['latest_invoice.payments'] }))
      const paid = invoice && typeof invoice === 'object' && invoice.amount_paid > 0 ? invoice.payments?.data : []
      for (const { payment, status } of paid ?? []) {
        const intent = idOf(payment.payment_intent)
        if (status !== 'paid' || !intent) continue
        const refund = { payment_intent: intent, reason: 'duplicate' as const }
        await call((stripe) => stripe.refunds.create(refund, { idempotencyKey: `duplicate-${intent}` })).catch(ignoreRefused)
      }
      await this.endNow(id)
    },

    /** Ends it when the period that a payment began, which has gone back whole, is the one that runs. True when it did. */
    async endPeriod(id: string, periodEnd: Date): Promise<boolean> {
      const found = await call((stripe) => stripe.subscriptions.retrieve(id)).catch(ignoreMissing)
      const runs = found?.status !== 'canceled' && found?.items.data.some(({ current_period_end: end }) => end === seconds(periodEnd))
      if (runs) await this.endNow(id)
      return runs ?? false
    },

    /** Whether any money was ever taken for it. */
    async hasPaid(subscription: string): Promise<boolean> {
      const { data } = await call((stripe) => stripe.invoices.list({ subscription, status: 'paid', limit: 100 }))
      return data.some(({ amount_paid }) => amount_paid > 0)
    },

    /** Asks the card that is there now for what is overdue, once a card. False when there is nothing to pay, or it was declined. */
    async payOverdue(subscription: string): Promise<boolean> {
      const expand = ['latest_invoice', 'customer']
      const found = await call((stripe) => stripe.subscriptions.retrieve(subscription, { expand }))
      const { latest_invoice: invoice, customer } = found
      if (!invoice || typeof invoice === 'string' || invoice.status !== 'open') return false
      const ofCustomer = typeof customer === 'object' && !customer.deleted ? customer.invoice_settings.default_payment_method : null
      const card = idOf(found.default_payment_method ?? ofCustomer)
      if (!card || (await triedCards(invoice.id)).includes(card)) return false
      const idempotencyKey = `pay-${invoice.id}-${card}`
      return call((stripe) => stripe.invoices.pay(invoice.id, {}, { idempotencyKey })).then(
        ({ status }) => status === 'paid',
        (error) => (isRefusal(error) ? false : Promise.reject(error)),
      )
    },

    async pauseForDispute(subscription: string) {
      const pause = { pause_collection: { behavior: 'void' as const }, metadata: { paused_for: 'dispute' } }
      await call((stripe) => stripe.subscriptions.update(subscription, pause)).catch(ignoreRefused)
    },

    async resumeAfterDispute(subscription: string) {
      const resume = { pause_collection: '' as const, metadata: { paused_for: '' } }
      await call((stripe) => stripe.subscriptions.update(subscription, resume)).catch(ignoreRefused)
    },

    async discountReferred(subscription: string, plan: PlanId, period: Period, key: string) {
      const coupon = await call((stripe) => referralCoupon(stripe, plan, period))
      await call((stripe) => stripe.subscriptions.update(subscription, { discounts: [{ coupon }] }, { idempotencyKey: key }))
    },

    async setTrialEnd(subscription: string, trialEnd: Date | 'now', key: string) {
      const trial_end = trialEnd === 'now' ? trialEnd : seconds(trialEnd)
      await call((stripe) => stripe.subscriptions.update(subscription, { trial_end, proration_behavior: 'none' }, { idempotencyKey: key }))
    },

    /** The bank's name for the card, the same for every customer who uses it. */
    async cardOf(subscription: string): Promise<string | null> {
      const { default_payment_method: method } = await call((stripe) =>
        stripe.subscriptions.retrieve(subscription, { expand: ['default_payment_method'] }),
      )
      return method && typeof method === 'object' ? (method.card?.fingerprint ?? null) : null
    },

    async listInvoices(customer: string) {
      const list = await call((stripe) => stripe.invoices.list({ customer, limit: 50 }))
      const invoices = list.data.map((invoice) => ({
        id: invoice.id,
        number: invoice.number,
        createdAt: date(invoice.created),
        amountCents: invoice.total,
        currency: invoice.currency,
        status: invoice.status ?? 'draft',
        hostedUrl: invoice.hosted_invoice_url ?? null,
        pdfUrl: invoice.invoice_pdf ?? null,
      }))
      return { invoices, more: list.has_more }
    },

    /** Newest first, back to `since`. */
    async *eventsSince(since: Date): AsyncGenerator<ProviderEvent> {
      for (let after: string | undefined; ; ) {
        const page = await call((stripe) => stripe.events.list({ limit: 100, ...(after && { starting_after: after }) }))
        for (const event of page.data) {
          if (date(event.created) < since) return
          yield eventOf(event)
        }
        after = page.data.at(-1)?.id
        if (!page.has_more || !after) return
      }
    },

    async getEvent(id: string): Promise<ProviderEvent | null> {
      const event = await call((stripe) => stripe.events.retrieve(id)).catch(ignoreMissing)
      return event ? eventOf(event) : null
    },

    /** `sellers`: what happens in the accounts of sellers, which the provider tells an endpoint of its own. */
    async ensureWebhook(url: string, known: string | null, sellers = false): Promise<{ id: string; secret: string } | null> {
      const endpoint = known && (await call((stripe) => stripe.webhookEndpoints.retrieve(known)).catch(ignoreMissing))
      if (endpoint && endpoint.url === url) return null
      if (endpoint) await call((stripe) => stripe.webhookEndpoints.del(endpoint.id))
      const made = await call((stripe) => stripe.webhookEndpoints.create({ url, enabled_events: ['*'], ...(sellers && { connect: true }) }))
      return { id: made.id, secret: made.secret! }
    },

    /** The event of a signed body, or null where signature or age are not right. */
    async readWebhook(body: Buffer, signature: string, secret: string): Promise<ProviderEvent | null> {
      const { webhooks } = await stripe()
      // The SDK breaks on a part without a value, and on letters of two bytes, instead of refusing them.
      if (!/^\w+=[\w-]*(,\w+=[\w-]*)*$/.test(signature)) return null
      try {
        return eventOf(webhooks.constructEvent(body, signature, secret, undefined, undefined, now()))
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError || error instanceof SyntaxError) return null
        throw error
      }
    },

    ...moneyOf(call),
    ...salesOf(call, collectsTax),
    ...checkoutsOf(call, pricesOf, collectsTax),
    ...topUpsOf(call, collectsTax),
    ...connectOf(call),
    ...staffOf(call),
    ...plansOf(call, pricesOf, collectsTax),

    eventFrom: (raw: unknown): ProviderEvent => eventOf(raw as Stripe.Event),
  }
}

/** Nobody waits longer, whatever is tried again meanwhile: the key is kept, so asking once more continues where this ended. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(leftAlone()), ms).unref()
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

function addressOf(address: string) {
  const { hostname, port, protocol } = new URL(address)
  return { host: hostname, port: Number(port), protocol: protocol === 'https:' ? ('https' as const) : ('http' as const) }
}
