import type { Bank, Obj } from './bank.ts'
import { wrong } from './errors.ts'
import { int, type Params, yes } from './form.ts'
import type { Line } from './invoices.ts'
import { makeItem, nameOf, planOf } from './items.ts'

/** The subscription with the items that an update asks for, and the lines that settle the difference. */
export function plannedItems(bank: Bank, subscription: Obj, given: Params[] | undefined, at: number): { items: Obj[]; lines: Line[] } {
  const current: Obj[] = subscription.items.data
  if (!given) return { items: current, lines: [] }
  let items = [...current]
  const changed: { from: Obj | null; to: Obj | null }[] = []
  for (const each of given) {
    const from = each.id ? items.find((item) => item.id === each.id) : undefined
    if (each.id && !from) throw wrong(`No such subscription item: '${each.id}'`, 'items[0][id]', 'resource_missing')
    if (from && yes(each.deleted)) {
      items = items.filter((item) => item !== from)
      changed.push({ from, to: null })
      continue
    }
    const base = from ?? makeItem(bank, subscription.id, each, at, current[0]?.current_period_end ?? null)
    const price = each.price ? bank.find('prices', each.price, 'items[0][price]') : base.price
    const to = { ...base, price, plan: planOf(price), quantity: int(each.quantity, base.quantity) }
    items = from ? items.map((item) => (item === from ? to : item)) : [...items, to]
    if (!from || from.price.id !== to.price.id || from.quantity !== to.quantity) changed.push({ from: from ?? null, to })
  }
  return { items, lines: subscription.status === 'trialing' ? [] : prorate(bank, subscription, changed, at) }
}

/** Credit for the unused time of the old price, at what was really paid for it, and the rest of the period at the new one. */
export function prorate(bank: Bank, subscription: Obj, changed: { from: Obj | null; to: Obj | null }[], at: number): Line[] {
  const all = changed.length > 0 ? changed : (subscription.items.data as Obj[]).map((from) => ({ from, to: null }))
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(at * 1000)
  return all.flatMap(({ from, to }) => {
    const { current_period_start: start, current_period_end: end } = (from ?? to)!
    const share = Math.max(0, Math.min(1, (end - at) / (end - start)))
    const line = (item: Obj, amount: number, description: string): Line => ({
      amount,
      description,
      price: item.price,
      quantity: item.quantity,
      period: { start: at, end },
      proration: true,
      item: item.id,
    })
    const paid = from ? (from._net ?? from.price.unit_amount * from.quantity) : 0
    return [
      ...(from ? [line(from, -Math.round(paid * share), `Unused time on ${nameOf(bank, from.price)} after ${day}`)] : []),
      ...(to
        ? [line(to, Math.round(to.price.unit_amount * to.quantity * share), `Remaining time on ${nameOf(bank, to.price)} after ${day}`)]
        : []),
    ]
  })
}

export const pending = (bank: Bank, subscription: Obj) =>
  ((subscription._pending ?? []) as string[]).flatMap((id) => bank.t.invoiceitems.get(id) ?? [])

export function queueLines(bank: Bank, subscription: Obj, lines: Line[]) {
  const ids = lines.map((line) => {
    const id = bank.id('invoiceitems')
    bank.t.invoiceitems.put({
      id,
      object: 'invoiceitem',
      created: bank.now(subscription._clock),
      date: bank.now(subscription._clock),
      amount: line.amount,
      currency: line.price.currency,
      customer: subscription.customer,
      customer_account: null,
      description: line.description,
      discountable: false,
      discounts: [],
      invoice: null,
      livemode: false,
      metadata: {},
      parent: { subscription_details: { subscription: subscription.id, subscription_item: line.item }, type: 'subscription_details' },
      period: line.period,
      pricing: {
        price_details: { price: line.price.id, product: line.price.product },
        type: 'price_details',
        unit_amount_decimal: String(line.price.unit_amount),
      },
      proration: true,
      quantity: line.quantity,
      quantity_decimal: String(line.quantity),
      tax_rates: [],
      test_clock: subscription.test_clock,
      _line: line,
    })
    return id
  })
  subscription._pending = [...(subscription._pending ?? []), ...ids]
  bank.t.subscriptions.put(subscription)
}

/** Takes the waiting prorations off the subscription, as lines for an invoice. */
export function takePending(bank: Bank, subscription: Obj): Line[] {
  const waiting = pending(bank, subscription)
  bank.t.subscriptions.put({ ...bank.find('subscriptions', subscription.id), _pending: [] })
  return waiting.map((each) => ({ ...each._line, invoiceItem: each.id }))
}
