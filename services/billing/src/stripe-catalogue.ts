import { billCentsOf, type Period, type PlanId, periods, plans, REFERRAL_PERCENT_OFF, referralOffCents } from '@operon/contracts/plans'
import type Stripe from 'stripe'
import { ignoreExisting, ignoreMissing } from './stripe-errors.ts'

// The catalogue at the provider: products, prices, the coupon of a referral, and what its portal offers.

export type Prices = Record<string, string>
export const priceKey = (plan: PlanId, period: Period) => `${plan} ${period}`

export const REFERRAL_COUPON = `operon-referral-${REFERRAL_PERCENT_OFF}-once`
/** Software as a service, for business use. */
export const SOFTWARE = 'txcd_10103001'
export const productId = (plan: PlanId) => `operon_${plan}`

/** Products and prices are made from the one plan table; a price is named by what it costs, so that a new price is a new one. */
export async function ensurePrices(stripe: Stripe): Promise<Prices> {
  const wanted = plans.flatMap((plan) =>
    periods.map((period) => {
      const cents = billCentsOf(plan.id, period)
      return { plan, period, cents, key: `operon_${plan.id}_${period}_${plan.currency}_${cents}` }
    }),
  )
  const found = await stripe.prices.list({ lookup_keys: wanted.map(({ key }) => key), active: true, limit: 100 })
  const known = new Map(found.data.map((price) => [price.lookup_key, price.id]))
  const made = wanted.map(async ({ plan, period, cents, key }) => {
    if (known.has(key)) return [priceKey(plan.id, period), known.get(key)!]
    await stripe.products
      .create({ id: productId(plan.id), name: plan.name, description: plan.description, tax_code: SOFTWARE, metadata: { plan: plan.id } })
      .catch(ignoreExisting)
    const price = await stripe.prices.create(
      {
        product: productId(plan.id),
        currency: plan.currency,
        unit_amount: cents,
        tax_behavior: 'exclusive',
        recurring: { interval: period },
        lookup_key: key,
        // One that was archived keeps its key otherwise.
        transfer_lookup_key: true,
        metadata: { plan: plan.id },
      },
      { idempotencyKey: key },
    )
    return [priceKey(plan.id, period), price.id]
  })
  return Object.fromEntries(await Promise.all(made))
}

/** Of a month it takes a share, of a year the same amount. */
export async function referralCoupon(stripe: Stripe, plan: PlanId, period: Period): Promise<string> {
  const off = referralOffCents(plan)
  const id = period === 'month' ? REFERRAL_COUPON : `operon-referral-${off}-year-once`
  if (await stripe.coupons.retrieve(id).catch(ignoreMissing)) return id
  const taken = period === 'month' ? { percent_off: REFERRAL_PERCENT_OFF } : { amount_off: off, currency: 'usd' }
  await stripe.coupons
    .create({ id, ...taken, duration: 'once', name: `${REFERRAL_PERCENT_OFF}% off the first month` })
    .catch(ignoreExisting)
  return id
}

export function portalConfiguration(publicUrl: string): Stripe.BillingPortal.ConfigurationCreateParams {
  const links = { terms_of_service_url: `${publicUrl}/terms-of-service`, privacy_policy_url: `${publicUrl}/privacy-policy` }
  return {
    // Addresses that only this machine can open are not taken.
    ...(publicUrl.startsWith('https:') && { business_profile: links }),
    features: {
      customer_update: { enabled: true, allowed_updates: ['email', 'name', 'address', 'tax_id'] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      // Its proration credits time and knows nothing of what was used.
      subscription_update: { enabled: false },
    },
  }
}
