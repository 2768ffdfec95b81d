import type { Period, PlanId } from '@operon/contracts/plans'
import { type Prices, priceKey, referralCoupon } from './stripe-catalogue.ts'
import { ignoreMissing, ignoreRefused } from './stripe-errors.ts'
import type { Call } from './stripe-money.ts'
import { taxOf } from './stripe-sales.ts'
import { type CheckoutState, idOf, openedOf, type ProviderSubscription, stateOf, subscriptionOf } from './stripe-shapes.ts'

// Payment pages for plans.

export type CheckoutRequest = {
  customer: string
  userId: string
  plan: PlanId
  period: Period
  trialDays: number
  referral: boolean
  /** The provider's id of a promotion code. */
  promotion?: string
  successUrl: string
  cancelUrl: string
}
type ProviderCheckout = {
  status: CheckoutState
  userId: string | null
  customer: string | null
  plan: string | null
  subscription: ProviderSubscription | null
}

export function checkoutsOf(call: Call, pricesOf: () => Promise<Prices>, collectsTax: boolean) {
  return {
    async createCheckout(request: CheckoutRequest, key: string): Promise<{ id: string; url: string }> {
      const price = (await pricesOf())[priceKey(request.plan, request.period)]!
      const coupon = request.referral ? await call((stripe) => referralCoupon(stripe, request.plan, request.period)) : null
      const metadata = { user_id: request.userId, plan: request.plan }
      const session = await call((stripe) =>
        stripe.checkout.sessions.create(
          {
            mode: 'subscription',
            customer: request.customer,
            client_reference_id: request.userId,
            line_items: [{ price, quantity: 1 }],
            payment_method_collection: 'always',
            ...(collectsTax && taxOf(request.customer)),
            subscription_data: { metadata, ...(request.trialDays > 0 && { trial_period_days: request.trialDays }) },
            // A page takes one discount. What staff made for months is not to be entered for a year, so a page for a year has no field for it.
            ...(coupon
              ? { discounts: [{ coupon }] }
              : request.promotion
                ? { discounts: [{ promotion_code: request.promotion }] }
                : request.period === 'month' && { allow_promotion_codes: true }),
            metadata,
            success_url: request.successUrl,
            cancel_url: request.cancelUrl,
          },
          { idempotencyKey: key },
        ),
      )
      return openedOf(session)
    },

    async getCheckout(id: string): Promise<ProviderCheckout | null> {
      const session = await call((stripe) => stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] })).catch(ignoreMissing)
      if (!session) return null
      const { subscription } = session
      return {
        status: stateOf(session),
        userId: session.client_reference_id,
        customer: idOf(session.customer),
        plan: session.metadata?.plan ?? null,
        subscription: subscription && typeof subscription === 'object' ? subscriptionOf(subscription) : null,
      }
    },

    async expireCheckout(id: string) {
      await call((stripe) => stripe.checkout.sessions.expire(id)).catch(ignoreRefused)
    },
  }
}
