import { SOFTWARE } from './stripe-catalogue.ts'
import { ignoreMissing } from './stripe-errors.ts'
import type { Call } from './stripe-money.ts'
import { taxOf } from './stripe-sales.ts'
import { type CheckoutState, idOf, openedOf, stateOf } from './stripe-shapes.ts'

// Payment pages for units beside a plan.

type TopUpRequest = {
  topUp: string
  customer: string
  userId: string
  title: string
  currency: string
  amountCents: number
  successUrl: string
  cancelUrl: string
}

export function topUpsOf(call: Call, collectsTax: boolean) {
  return {
    /** The purchase is named on the charge that comes of it. */
    async createTopUpCheckout(request: TopUpRequest, key: string): Promise<{ id: string; url: string }> {
      const { topUp, customer, userId, title, currency, amountCents } = request
      const metadata = { kind: 'top_up', top_up: topUp, user_id: userId }
      const product_data = { name: title, tax_code: SOFTWARE }
      const price_data = { currency, unit_amount: amountCents, tax_behavior: 'exclusive' as const, product_data }
      const session = await call((stripe) =>
        stripe.checkout.sessions.create(
          {
            mode: 'payment',
            customer,
            client_reference_id: userId,
            line_items: [{ quantity: 1, price_data }],
            payment_intent_data: { metadata, description: title },
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

    async getTopUpCheckout(id: string): Promise<{ status: CheckoutState; charge: string | null } | null> {
      const session = await call((stripe) => stripe.checkout.sessions.retrieve(id)).catch(ignoreMissing)
      if (!session) return null
      const intent = idOf(session.payment_intent)
      const paid = intent ? await call((stripe) => stripe.paymentIntents.retrieve(intent)) : null
      return { status: stateOf(session), charge: idOf(paid?.latest_charge) }
    },
  }
}
