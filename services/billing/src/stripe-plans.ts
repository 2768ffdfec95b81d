import type { Period, PlanId } from '@operon/contracts/plans'
import { type Prices, priceKey, referralCoupon } from './stripe-catalogue.ts'
import { ignoreExisting, ignoreRefused } from './stripe-errors.ts'
import type { Call } from './stripe-money.ts'
import { date, taxIn } from './stripe-shapes.ts'

// Changes of a running plan at the provider: another plan, another period, and what follows the one that runs.

const UNUSED = 'Unused part of your monthly plan'

type Chosen = { subscription: string; item: string; plan: PlanId; period: Period }
/**
 * `now`: the difference for the rest of the period. `anew`: a period of its own begins, less what is unused of the one before. `next invoice`:
 * only the price changes. `afterwards`: the paid period stays as it is, and this follows it.
 */
export type SwitchRequest = Chosen & {
  charge: 'now' | 'anew' | 'next invoice' | 'afterwards'
  /** The unused part of the period before. */
  credit?: { cents: number; name: string }
  /** The first payment is still to come, and is cheaper: by a share of one month. */
  isReferred?: boolean
}

export function plansOf(call: Call, pricesOf: () => Promise<Prices>, collectsTax: boolean) {
  const priceOf = async ({ plan, period }: Chosen) => (await pricesOf())[priceKey(plan, period)]

  /** The credit is a discount of the one invoice, so that a declined card leaves nothing behind. */
  async function discountsOf(request: SwitchRequest) {
    const { plan, period, charge, credit, isReferred = false } = request
    if (charge === 'anew' && credit && credit.cents > 0) {
      const id = `operon-unused-${credit.name}-${credit.cents}`
      const off = { amount_off: credit.cents, currency: 'usd', duration: 'once' as const, max_redemptions: 1, name: UNUSED }
      await call((stripe) => stripe.coupons.create({ id, ...off })).catch(ignoreExisting)
      return { discounts: [{ coupon: id }] }
    }
    // A discount by the month is none of a year's.
    if (charge === 'anew') return { discounts: '' as const }
    if (charge !== 'next invoice' || !isReferred) return {}
    return { discounts: [{ coupon: await call((stripe) => referralCoupon(stripe, plan, period)) }] }
  }

  return {
    /** Lines, what is due, and until when that pays. */
    async previewSwitch(customer: string, request: SwitchRequest) {
      const price = await priceOf(request)
      const discounts = await discountsOf(request)
      const invoice = await call((stripe) =>
        stripe.invoices.createPreview(
          request.charge === 'afterwards'
            ? { customer, subscription_details: { items: [{ price }] }, ...(collectsTax && { automatic_tax: { enabled: true } }) }
            : {
                ...{ customer, subscription: request.subscription, ...discounts },
                subscription_details: { items: [{ id: request.item, price }], proration_behavior: prorationOf(request) },
              },
        ),
      )
      const lines = invoice.lines.data.map((line) => ({ description: line.description ?? '', amount_cents: line.amount }))
      const off = (invoice.total_discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0)
      if (off > 0) lines.push({ description: request.credit ? UNUSED : 'Discount', amount_cents: -off })
      const tax = taxIn(invoice)
      if (tax !== 0) lines.push({ description: 'Tax', amount_cents: tax })
      const ends = invoice.lines.data.map(({ period }) => period.end)
      return { amountDueCents: invoice.amount_due, currency: invoice.currency, lines, paidUntil: date(Math.max(...ends)) }
    },

    async switchPlan(request: SwitchRequest, key: string) {
      const price = await priceOf(request)
      if (request.charge === 'afterwards') return planNext(request, price!, key)
      const discounts = await discountsOf(request)
      const isPaidNow = request.charge === 'now' || request.charge === 'anew'
      await call((stripe) =>
        stripe.subscriptions.update(
          request.subscription,
          {
            ...{ items: [{ id: request.item, price: price! }], ...discounts, proration_behavior: prorationOf(request) },
            ...(isPaidNow && { payment_behavior: 'error_if_incomplete' as const }),
            metadata: { plan: request.plan },
          },
          { idempotencyKey: key },
        ),
      )
    },

    /** Takes back what was to follow. */
    async keepPlan(schedule: string) {
      await call((stripe) => stripe.subscriptionSchedules.release(schedule)).catch(ignoreRefused)
    },

    /** The amount really paid for the period that runs, without tax. */
    async paidForPeriod(subscription: string, periodEnd: Date): Promise<number> {
      const { data } = await call((stripe) => stripe.invoices.list({ subscription, status: 'paid', limit: 100 }))
      const lines = data.flatMap((invoice) => invoice.lines.data)
      const ofPeriod = lines.filter(({ period }) => date(period.end).getTime() === periodEnd.getTime())
      const offOf = (amounts: { amount: number }[] | null) => (amounts ?? []).reduce((sum, { amount }) => sum + amount, 0)
      return ofPeriod.reduce((sum, { amount, discount_amounts }) => sum + amount - offOf(discount_amounts), 0)
    },
  }

  /** The running phase is written down as it is, and one of the new price after it. A plan for the same subscription is changed. */
  async function planNext({ subscription, plan, period }: Chosen, price: string, key: string) {
    const found = await call((stripe) => stripe.subscriptions.retrieve(subscription, { expand: ['schedule'] }))
    const known = found.schedule && typeof found.schedule === 'object' && found.schedule.status === 'active' ? found.schedule : null
    const schedule =
      known ??
      (await call((stripe) => stripe.subscriptionSchedules.create({ from_subscription: subscription }, { idempotencyKey: `${key}-plan` })))
    const running = schedule.phases.find(({ start_date }) => start_date === schedule.current_phase?.start_date) ?? schedule.phases[0]!
    const items = running.items.map((each) => ({
      price: typeof each.price === 'string' ? each.price : each.price.id,
      quantity: each.quantity ?? 1,
    }))
    await call((stripe) =>
      stripe.subscriptionSchedules.update(schedule.id, {
        end_behavior: 'release',
        proration_behavior: 'none',
        metadata: { plan, period },
        phases: [
          { items, start_date: running.start_date, end_date: running.end_date },
          { items: [{ price, quantity: 1 }], duration: { interval: period, interval_count: 1 }, proration_behavior: 'none' },
        ],
      }),
    )
  }
}

/** Nothing is credited for what is paid until the period's end, since it stays until then. */
const prorationOf = ({ charge }: SwitchRequest) => (charge === 'now' ? ('always_invoice' as const) : ('none' as const))
