import type { Bank, Obj } from './bank.ts'
import { wrong } from './errors.ts'
import type { Params } from './form.ts'
import { periodEnd } from './periods.ts'

/** The order a discount applies to: its lines, and the other conditions of a promotion code. */
export type Cart = { currency: string; lines: { amount: number; product: string }[] }
export const cartOf = (items: Params[]): Cart => ({
  currency: items[0]?.price.currency ?? 'usd',
  lines: items.map((item) => ({ amount: item.price.unit_amount * item.quantity, product: item.price.product })),
})

type Holder = { customer: string | null; subscription?: string; checkout_session?: string }

/** Checks and counts a redemption; answers what it takes off. */
export function redeem(bank: Bank, given: Params, holder: Holder, cart: Cart, at: number): Obj {
  const { coupon, promotion } = redeemable(bank, given, holder.customer, cart, at)
  count(bank, coupon, promotion)
  const discount = bank.t.discounts.put({
    id: bank.id('discounts'),
    object: 'discount',
    created: at,
    checkout_session: holder.checkout_session ?? null,
    customer: holder.customer,
    customer_account: null,
    end: coupon.duration === 'repeating' ? periodEnd(at, { interval: 'month', interval_count: coupon.duration_in_months }) : null,
    invoice: null,
    invoice_item: null,
    promotion_code: promotion?.id ?? null,
    source: { type: 'coupon', coupon: coupon.id },
    start: at,
    subscription: holder.subscription ?? null,
    subscription_item: null,
    _once: coupon.duration === 'once',
  })
  bank.emit('customer.discount.created', discount)
  return discount
}

/** One more, until it is the last. */
export function count(bank: Bank, coupon: Obj, promotion: Obj | undefined) {
  const times_redeemed = coupon.times_redeemed + 1
  bank.t.coupons.put({ ...coupon, times_redeemed, valid: coupon.max_redemptions === null || times_redeemed < coupon.max_redemptions })
  if (!promotion) return
  const spent = promotion.max_redemptions !== null && promotion.times_redeemed + 1 >= promotion.max_redemptions
  bank.t.promotion_codes.put({ ...promotion, times_redeemed: promotion.times_redeemed + 1, ...(spent && { active: false }) })
}

/** The coupon that is meant, if it may be used for this by this customer now. */
export function redeemable(bank: Bank, given: Params, customer: string | null, cart: Cart, at: number) {
  const promotion = given.promotion_code ? bank.find('promotion_codes', given.promotion_code, 'discounts[0][promotion_code]') : undefined
  const coupon = bank.find('coupons', promotion?.promotion.coupon ?? given.coupon, 'discounts[0][coupon]')
  const spent = (each: Obj) => each.max_redemptions !== null && each.times_redeemed >= each.max_redemptions
  if (!coupon.valid || spent(coupon) || (coupon.redeem_by && coupon.redeem_by < at))
    throw wrong('This coupon cannot be redeemed.', 'discounts', 'coupon_expired')
  if (coupon.currency && coupon.currency !== cart.currency)
    throw wrong(`The currency of the coupon (${coupon.currency}) is not the one of what is bought (${cart.currency}).`, 'discounts')
  if (!cart.lines.some((line) => appliesTo(coupon, line.product)))
    throw wrong('This coupon does not apply to anything that is bought.', 'discounts', 'coupon_applies_to_nothing')
  if (promotion) demandPromotion(bank, promotion, customer, cart, at, spent(promotion))
  return { coupon, promotion }
}

function demandPromotion(bank: Bank, promotion: Obj, customer: string | null, cart: Cart, at: number, isSpent: boolean) {
  const refuse = (why: string, code = 'promotion_code_expired') =>
    wrong(`This promotion code cannot be redeemed because ${why}.`, 'discounts', code)
  if (
    !promotion.active ||
    isSpent ||
    (promotion.expires_at && promotion.expires_at < at) ||
    (promotion.customer && promotion.customer !== customer)
  )
    throw refuse('it is not valid for this customer or has been used up')
  const { first_time_transaction, minimum_amount, minimum_amount_currency } = promotion.restrictions
  if (first_time_transaction && customer && hasPaid(bank, customer))
    throw refuse('the associated customer has prior transactions', 'promotion_code_customer_not_first_time')
  const whole = cart.lines.reduce((sum, { amount }) => sum + amount, 0)
  if (minimum_amount && (minimum_amount_currency !== cart.currency || whole < minimum_amount))
    throw refuse('the minimum amount is not reached', 'promotion_code_minimum_amount_not_met')
}

const hasPaid = (bank: Bank, customer: string) =>
  bank.t.charges.all().some((each) => each.customer === customer && each.status === 'succeeded')

const appliesTo = (coupon: Obj, product: string): boolean => !coupon._products || coupon._products.includes(product)

export type Taken = { discount: string; amount: number }
/** The discount of each line, coupon by coupon: a percentage of each, an amount spread over all, never more than the line. */
export function takenOff(
  lines: { amount: number; product: string; discountable: boolean }[],
  coupons: { discount: string; coupon: Obj | undefined }[],
): Taken[][] {
  const left = lines.map((line) => (line.discountable ? Math.max(line.amount, 0) : 0))
  const taken: Taken[][] = lines.map(() => [])
  for (const { discount, coupon } of coupons) {
    const open = left.map((amount, index) => (coupon && appliesTo(coupon, lines[index]!.product) ? amount : 0))
    const offs = coupon?.percent_off
      ? open.map((amount) => Math.round((amount * coupon.percent_off) / 100))
      : spread(coupon?.amount_off ?? 0, open)
    for (const [index, amount] of offs.entries()) {
      left[index]! -= amount
      taken[index]!.push({ discount, amount })
    }
  }
  return taken
}

/** Cent by cent, so that the parts come to the whole. */
function spread(amount: number, over: number[]): number[] {
  const whole = over.reduce((sum, each) => sum + each, 0)
  const off = Math.min(amount, whole)
  let seen = 0
  let given = 0
  return over.map((each) => {
    seen += each
    const until = whole === 0 ? 0 : Math.round((off * seen) / whole)
    const mine = until - given
    given = until
    return mine
  })
}

export const sumOff = (taken: Taken[]) => taken.reduce((sum, { amount }) => sum + amount, 0)

/** The coupons behind discounts that were redeemed. */
export const couponsOf = (bank: Bank, discounts: string[]) =>
  discounts.map((discount) => ({ discount, coupon: bank.t.coupons.get(bank.t.discounts.get(discount)?.source.coupon) }))
