import type Stripe from 'stripe'
import type { Call } from './stripe-money.ts'
import { creditOf, date, GOODWILL, type ProviderCredit, seconds } from './stripe-shapes.ts'

// Calls that staff make to the provider beside refunds: credit and promotion codes.

export type NewCoupon = {
  code: string
  percentOff?: number | undefined
  amountOffCents?: number | undefined
  duration: 'once' | 'repeating' | 'forever'
  months?: number | undefined
  yearly: boolean
  mostUses?: number | undefined
  expiresAt?: Date | undefined
}
type ProviderCoupon = {
  id: string
  code: string
  percent_off: number | null
  amount_off_cents: number | null
  currency: string | null
  duration: 'once' | 'repeating' | 'forever'
  months: number | null
  yearly: boolean
  used: number
  most_uses: number | null
  expires_at: string | null
  active: boolean
}

export function staffOf(call: Call) {
  return {
    async creditCustomer(customer: string, amountCents: number, currency: string, key: string): Promise<ProviderCredit> {
      const change = { amount: -amountCents, currency, description: 'Credit', metadata: { kind: GOODWILL } }
      return creditOf(await call((stripe) => stripe.customers.createBalanceTransaction(customer, change, { idempotencyKey: key })))
    },

    async listCoupons(after: string | undefined, limit: number): Promise<{ coupons: ProviderCoupon[]; more: boolean }> {
      const list = await call((stripe) =>
        stripe.promotionCodes.list({ limit, expand: ['data.promotion.coupon'], ...(after && { starting_after: after }) }),
      )
      return { coupons: list.data.map(couponOf), more: list.has_more }
    },

    /** The discount is a coupon, which the code leads to. A try whose answer was lost finds both again by their keys. */
    async createCoupon(wanted: NewCoupon, currency: string, key: string): Promise<ProviderCoupon> {
      const { code, percentOff, amountOffCents, duration, months, yearly, mostUses, expiresAt } = wanted
      const coupon = await call((stripe) =>
        stripe.coupons.create(
          {
            name: code,
            duration,
            ...(months && { duration_in_months: months }),
            ...(percentOff ? { percent_off: percentOff } : { amount_off: amountOffCents!, currency }),
          },
          { idempotencyKey: `${key}-coupon` },
        ),
      )
      const made = await call((stripe) =>
        stripe.promotionCodes.create(
          {
            promotion: { type: 'coupon', coupon: coupon.id },
            code,
            expand: ['promotion.coupon'],
            ...(yearly && { metadata: { yearly: 'true' } }),
            ...(mostUses && { max_redemptions: mostUses }),
            ...(expiresAt && { expires_at: seconds(expiresAt) }),
          },
          { idempotencyKey: key },
        ),
      )
      return couponOf(made)
    },

    async findCoupon(code: string): Promise<ProviderCoupon | null> {
      const list = await call((stripe) => stripe.promotionCodes.list({ code, active: true, limit: 1, expand: ['data.promotion.coupon'] }))
      return list.data[0] ? couponOf(list.data[0]) : null
    },

    async endCoupon(id: string): Promise<ProviderCoupon> {
      return couponOf(await call((stripe) => stripe.promotionCodes.update(id, { active: false, expand: ['promotion.coupon'] })))
    },
  }
}

function couponOf({
  id,
  code,
  promotion,
  metadata,
  times_redeemed,
  max_redemptions,
  expires_at,
  active,
}: Stripe.PromotionCode): ProviderCoupon {
  const coupon = promotion.coupon && typeof promotion.coupon === 'object' ? promotion.coupon : null
  return {
    ...{ id, code, active },
    percent_off: coupon?.percent_off ?? null,
    amount_off_cents: coupon?.amount_off ?? null,
    currency: coupon?.currency ?? null,
    duration: (coupon?.duration as ProviderCoupon['duration'] | undefined) ?? 'once',
    months: coupon?.duration_in_months ?? null,
    yearly: metadata?.yearly === 'true',
    used: times_redeemed,
    most_uses: max_redemptions,
    expires_at: expires_at ? date(expires_at).toISOString() : null,
  }
}
