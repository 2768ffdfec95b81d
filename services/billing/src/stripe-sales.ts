import { ignoreMissing } from './stripe-errors.ts'
import type { Call } from './stripe-money.ts'
import { type CheckoutState, idOf, openedOf, stateOf } from './stripe-shapes.ts'

// Payment pages for what sellers sell.

export type SaleCheckoutRequest = {
  checkout: string
  kind: string
  reference: string
  seller: string
  customer: string | null
  email: string | null
  currency: string
  lines: { title: string; amountCents: number }[]
  successUrl: string
  cancelUrl: string
}
type ProviderSaleCheckout = {
  checkout: string | null
  status: CheckoutState
  intent: string | null
  url: string | null
}

/**
 * Tax by the address that the page asks for, on top of the price; a business gives its number there. A known customer keeps both, so that
 * renewals are taxed as well.
 */
export const taxOf = (customer: string | null) => ({
  automatic_tax: { enabled: true },
  tax_id_collection: { enabled: true },
  billing_address_collection: 'required' as const,
  ...(customer && { customer_update: { address: 'auto' as const, name: 'auto' as const } }),
})
/** Software and other goods that come over the network. */
const DIGITAL_GOODS = 'txcd_10000000'

const SAMPLE_CENTS = 100_00
const nameOf = (type: string | null) => ({ vat: 'VAT', gst: 'GST', hst: 'HST', jct: 'Consumption tax' })[type ?? ''] ?? 'Sales tax'

export function salesOf(call: Call, collectsTax: boolean) {
  return {
    /** The purchase is named on each object that comes of it: the charge leads back to the checkout by itself. */
    async createSaleCheckout(request: SaleCheckoutRequest, key: string): Promise<{ id: string; url: string }> {
      const { checkout, kind, reference, seller, customer, email, currency, lines } = request
      const metadata = { kind: 'sale', checkout, sold: kind, reference, seller }
      const session = await call((stripe) =>
        stripe.checkout.sessions.create(
          {
            mode: 'payment',
            ...(customer ? { customer } : email ? { customer_email: email } : {}),
            client_reference_id: reference,
            line_items: lines.map(({ title, amountCents }) => ({
              quantity: 1,
              price_data: {
                ...{ currency, unit_amount: amountCents, tax_behavior: 'exclusive' },
                product_data: { name: title, tax_code: DIGITAL_GOODS },
              },
            })),
            payment_intent_data: {
              metadata,
              description: lines.map(({ title }) => title).join(', '),
              ...(email && { receipt_email: email }),
            },
            ...(collectsTax && taxOf(customer)),
            metadata,
            success_url: request.successUrl,
            cancel_url: request.cancelUrl,
          },
          { idempotencyKey: key },
        ),
      )
      return openedOf(session)
    },

    async getSaleCheckout(id: string): Promise<ProviderSaleCheckout | null> {
      const session = await call((stripe) => stripe.checkout.sessions.retrieve(id)).catch(ignoreMissing)
      if (!session) return null
      return {
        checkout: session.metadata?.kind === 'sale' ? (session.metadata.checkout ?? null) : null,
        status: stateOf(session),
        intent: idOf(session.payment_intent),
        url: session.url,
      }
    },

    /** The tax on a price for a private person in this country; null where nothing is collected. */
    async saleTaxIn(country: string): Promise<{ name: string; percent: number } | null> {
      if (!collectsTax) return null
      const calculation = await call((stripe) =>
        stripe.tax.calculations.create({
          currency: 'usd',
          line_items: [{ amount: SAMPLE_CENTS, reference: 'rate', tax_behavior: 'exclusive', tax_code: DIGITAL_GOODS }],
          customer_details: { address: { country }, address_source: 'billing' },
        }),
      )
      const details = calculation.tax_breakdown.map(({ tax_rate_details }) => tax_rate_details)
      const percent = details.reduce((sum, { percentage_decimal }) => sum + Number(percentage_decimal), 0)
      return calculation.tax_amount_exclusive > 0 ? { name: nameOf(details[0]?.tax_type ?? null), percent } : null
    },

    async chargeOfIntent(id: string): Promise<string | null> {
      return idOf((await call((stripe) => stripe.paymentIntents.retrieve(id))).latest_charge)
    },
  }
}
