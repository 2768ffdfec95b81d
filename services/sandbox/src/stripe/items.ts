import type { Bank, Obj } from './bank.ts'
import { wrong } from './errors.ts'
import { int, mergeMetadata, type Params } from './form.ts'
import type { Line } from './invoices.ts'
import { periodEnd } from './periods.ts'

export function makeItem(bank: Bank, subscription: string, given: Params, at: number, trialEnd: number | null): Obj {
  const price = bank.find('prices', given.price, 'items[0][price]')
  if (!price.recurring)
    throw wrong(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      'items[0][price]',
    )
  return {
    id: `si_${bank.state.id('x', 14).slice(2)}`,
    object: 'subscription_item',
    billing_thresholds: null,
    created: at,
    current_period_end: trialEnd ?? periodEnd(at, price.recurring),
    current_period_start: at,
    current_trial: null,
    discounts: [],
    metadata: mergeMetadata({}, given.metadata),
    plan: planOf(price),
    price,
    quantity: int(given.quantity, 1),
    subscription,
    tax_rates: [],
  }
}

/** The older form of a price, which items still carry. */
export const planOf = (price: Obj) => ({
  id: price.id,
  object: 'plan',
  active: price.active,
  amount: price.unit_amount,
  amount_decimal: String(price.unit_amount),
  billing_scheme: 'per_unit',
  created: price.created,
  currency: price.currency,
  interval: price.recurring.interval,
  interval_count: price.recurring.interval_count,
  livemode: false,
  metadata: price.metadata,
  meter: null,
  nickname: price.nickname,
  product: price.product,
  tiers_mode: null,
  transform_usage: null,
  trial_period_days: null,
  usage_type: 'licensed',
})

export const nameOf = (bank: Bank, price: Obj) => bank.t.products.get(price.product)?.name ?? 'Subscription'

export function periodLine(bank: Bank, item: Obj, trial: boolean): Line {
  const name = nameOf(bank, item.price)
  const amount = item.price.unit_amount * item.quantity
  return {
    amount: trial ? 0 : amount,
    description: trial
      ? `Trial period for ${name}`
      : `${item.quantity} × ${name} (at $${(item.price.unit_amount / 100).toFixed(2)} / ${item.price.recurring.interval})`,
    price: item.price,
    quantity: item.quantity,
    period: { start: item.current_period_start, end: item.current_period_end },
    proration: false,
    item: item.id,
  }
}

// The cost of this period's use of a price, so that a credit never exceeds it. A new price in mid-period is worth its list price.
export const withNet = (item: Obj, before: Obj) => {
  const same = before.items.data.find(
    (each: Obj) => each.id === item.id && each.price.id === item.price.id && each.quantity === item.quantity,
  )
  return same ? item : { ...item, _net: item.price.unit_amount * item.quantity }
}

/** The items with what their period has really cost, after discounts. */
export function netItems(items: Obj[], invoice: Obj): Obj[] {
  return items.map((item) => {
    const line = invoice.lines.data.find((each: Obj) => {
      const details = each.parent.subscription_item_details
      return details?.subscription_item === item.id && !details.proration
    })
    const off = line?.discount_amounts.reduce((sum: number, each: { amount: number }) => sum + each.amount, 0) ?? 0
    return { ...item, _net: (line?.amount ?? 0) - off }
  })
}
