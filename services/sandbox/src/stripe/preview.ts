import type { Bank, Obj } from './bank.ts'
import { AUTHENTICATION, behaviourOf, cardError } from './cards.ts'
import { type Cart, cartOf, redeemable } from './discounts.ts'
import { required } from './errors.ts'
import { int, type Params, yes } from './form.ts'
import { draftInvoice, type Line, methodFor } from './invoices.ts'
import { makeItem, periodLine } from './items.ts'
import { periodEnd, trialEndOf } from './periods.ts'
import { pending, plannedItems } from './prorations.ts'
import { activeDiscounts } from './renewals.ts'
import { demandLocated } from './tax/lines.ts'

/** With `error_if_incomplete` nothing changes unless the card pays: what would be due is known before anything is written. */
export function demandPayable(bank: Bank, subscription: Obj, params: Params) {
  const { items, proration_behavior, proration_date, discounts } = params
  const due = previewInvoice(bank, {
    subscription: subscription.id,
    subscription_details: { items, proration_behavior, proration_date },
    ...(discounts && { discounts }),
  })
  const method = bank.t.payment_methods.get(due.amount_due > 0 ? (methodFor(bank, due) ?? '') : '')
  const { charge, action } = behaviourOf(method)
  const refusal = action === 'always' ? AUTHENTICATION : charge
  if (!refusal) return
  bank.fact('switch_declined', { subscription: subscription.id, code: refusal.code, amount: due.amount_due })
  throw cardError(refusal)
}

/** `POST /v1/invoices/create_preview`: what an update, or the next renewal, would cost. */
export function previewInvoice(bank: Bank, params: Params): Obj {
  const details = (params.subscription_details ?? {}) as Params
  const subscription = params.subscription ? bank.find('subscriptions', params.subscription, 'subscription') : null
  const chosen = subscription?.customer ?? params.customer
  if (!chosen && !params.customer_details) throw required('customer')
  const customer = chosen ? bank.find('customers', chosen, 'customer') : stranger(params.customer_details)
  const at = bank.now(customer.test_clock)
  const id = `upcoming_in_${subscription?.id.slice(4) ?? customer.id.slice(4)}`
  const given = (params.discounts || []) as Params[]
  const taxed = params.automatic_tax ? yes(params.automatic_tax.enabled) : Boolean(subscription?.automatic_tax.enabled)
  const place = taxed ? demandLocated(bank, customer, params.customer_details) : null
  if (!subscription) {
    const trialEnd = trialEndOf(details, at)
    const items = ((details.items ?? []) as Params[]).map((item) => makeItem(bank, 'sub_preview', item, at, trialEnd))
    if (items.length === 0) throw required('subscription_details[items]')
    const lines = items.map((item) => ({ ...periodLine(bank, item, Boolean(trialEnd)), item: null }))
    return previewOf(
      bank,
      {
        customer,
        subscription: null,
        lines,
        reason: 'upcoming',
        discounts: previewDiscounts(bank, given, customer.id, cartOf(items), at),
        at,
        place,
      },
      id,
    )
  }
  const when = int(details.proration_date, at)
  const { items, lines: prorations } = plannedItems(bank, subscription, details.items, when)
  const wanted = details.proration_behavior === 'none' || yes(details.cancel_now) ? [] : prorations
  const waiting = pending(bank, subscription).map((each) => each._line as Line)
  const end = subscription.items.data[0].current_period_end
  const next = items.map((item) =>
    periodLine(
      bank,
      { ...item, current_period_start: end, current_period_end: periodEnd(end, item.price.recurring, subscription.billing_cycle_anchor) },
      false,
    ),
  )
  const changed = intervalOf(items[0]) !== intervalOf(subscription.items.data[0]) && subscription.status !== 'trialing'
  const now = details.proration_behavior === 'always_invoice' || changed
  const ending = subscription.cancel_at_period_end && !details.items
  // Another interval begins a new period at once: it is due whole, less what is left of the old one.
  const begun = items.map((item) =>
    periodLine(bank, { ...item, current_period_start: when, current_period_end: periodEnd(when, item.price.recurring) }, false),
  )
  const lines = changed
    ? [...waiting, ...wanted.filter((line) => line.amount < 0), ...begun]
    : now
      ? [...waiting, ...wanted]
      : [...waiting, ...wanted, ...(ending ? [] : next)]
  const discounts =
    given.length > 0
      ? previewDiscounts(bank, given, customer.id, cartOf(items), at)
      : now && !changed
        ? []
        : activeDiscounts(bank, subscription, changed ? when : end)
  return previewOf(
    bank,
    { customer, subscription, lines, reason: now ? 'subscription_update' : 'upcoming', discounts, at: now ? when : end, place },
    id,
  )
}

/** A preview for somebody who is no customer yet, by their address alone. */
const stranger = ({ address = null, tax_exempt = 'none' }: Params): Obj => ({
  id: 'cus_upcoming',
  object: 'customer',
  created: 0,
  address,
  balance: 0,
  currency: null,
  email: null,
  name: null,
  phone: null,
  tax_exempt,
  test_clock: null,
})

const intervalOf = (item: Obj | undefined) => `${item?.price.recurring.interval}${item?.price.recurring.interval_count}`

const previewOf = (bank: Bank, draft: Parameters<typeof draftInvoice>[1], id: string) => ({
  ...draftInvoice(bank, draft, id),
  next_payment_attempt: draft.at,
})

/** A coupon is shown in a preview without being redeemed: a discount that lives only as long as this answer. */
function previewDiscounts(bank: Bank, given: Params[], customer: string, cart: Cart, at: number): string[] {
  return given.map((each) => {
    if (each.discount) return each.discount
    const { coupon, promotion } = redeemable(bank, each, customer, cart, at)
    const id = `di_preview_${coupon.id}`
    bank.t.discounts.put({
      id,
      object: 'discount',
      created: at,
      customer,
      end: null,
      start: at,
      subscription: null,
      source: { type: 'coupon', coupon: coupon.id },
      promotion_code: promotion?.id ?? null,
      _once: true,
    })
    return id
  })
}
