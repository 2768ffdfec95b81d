import type Stripe from 'stripe'
import { ignoreMissing } from './stripe-errors.ts'
import {
  chargeOf,
  creditOf,
  date,
  idOf,
  type ProviderCharge,
  type ProviderCredit,
  type ProviderInvoice,
  type ProviderMoney,
  type ProviderTax,
  REFERRAL,
  REFERRAL_BACK,
  REFERRAL_THANKS,
  taxOfInvoice,
} from './stripe-shapes.ts'

export type Call = <T>(work: (stripe: Stripe) => Promise<T>) => Promise<T>

/** Money that the provider holds, took and gave back: the books are made of it and compared with it. */
export function moneyOf(call: Call) {
  /** The purpose of a payment: null when no invoice asked for it. */
  async function invoiceOf(intent: string | null): Promise<Stripe.Invoice | null> {
    if (!intent) return null
    const payment = { type: 'payment_intent' as const, payment_intent: intent }
    const paid = await call((stripe) => stripe.invoicePayments.list({ payment, limit: 1, expand: ['data.invoice'] }))
    const invoice = paid.data[0]?.invoice
    return invoice && typeof invoice === 'object' && !invoice.deleted ? invoice : null
  }

  /** Tax that the payment page added, and the buyer's place. */
  async function taxOfPage(intent: string): Promise<ProviderTax | null> {
    const sessions = await call((stripe) => stripe.checkout.sessions.list({ payment_intent: intent, limit: 1 }))
    const session = sessions.data[0]
    const { address, tax_ids } = session?.customer_details ?? {}
    if (!session?.automatic_tax.enabled || !address?.country) return null
    const cents = session.total_details?.amount_tax ?? 0
    const number = tax_ids?.find(({ value }) => value)
    return {
      ...{
        cents,
        netCents: (session.amount_total ?? 0) - cents,
        country: address.country,
        state: address.state ?? null,
        reference: session.id,
      },
      taxId: number?.value ?? null,
      isReverseCharge: cents === 0 && number !== undefined,
    }
  }

  return {
    async getInvoice(id: string): Promise<ProviderInvoice> {
      const invoice = await call((stripe) => stripe.invoices.retrieve(id))
      return {
        id,
        customer: idOf(invoice.customer),
        currency: invoice.currency,
        dueCents: invoice.amount_due,
        reason: invoice.billing_reason,
        retryAt: invoice.next_payment_attempt ? date(invoice.next_payment_attempt) : null,
        tax: taxOfInvoice(invoice),
        isOfPlan: Boolean(invoice.parent?.subscription_details),
        paidAt: invoice.status_transitions.paid_at ? date(invoice.status_transitions.paid_at) : null,
      }
    },

    /** How a customer's balance moved, newest first. */
    async listCredits(customer: string): Promise<ProviderCredit[]> {
      const list = await call((stripe) => stripe.customers.listBalanceTransactions(customer, { limit: 100 })).catch(ignoreMissing)
      return (list?.data ?? []).map(creditOf)
    },

    async getCharge(id: string): Promise<ProviderCharge> {
      const expand = ['balance_transaction', 'refunds.data.balance_transaction', 'refunds.data.failure_balance_transaction']
      const charge = await call((stripe) => stripe.charges.retrieve(id, { expand }))
      const refunds = charge.refunds?.has_more
        ? await call((stripe) =>
            stripe.refunds.list({
              charge: id,
              limit: 100,
              expand: ['data.balance_transaction', 'data.failure_balance_transaction'],
            }),
          )
        : charge.refunds
      const disputes = charge.disputed ? await call((stripe) => stripe.disputes.list({ charge: id, limit: 10 })) : null
      const intent = idOf(charge.payment_intent)
      const ofPage = charge.metadata.kind === 'sale' || charge.metadata.kind === 'top_up'
      const shaped = chargeOf(charge, refunds?.data ?? [], disputes?.data ?? [], ofPage ? null : await invoiceOf(intent))
      return ofPage && intent ? { ...shaped, tax: await taxOfPage(intent) } : shaped
    },

    async refund(
      request: { charge: string; amountCents?: number | undefined },
      key: string,
    ): Promise<{ id: string; amountCents: number; currency: string }> {
      const refund = await call((stripe) =>
        stripe.refunds.create(
          { charge: request.charge, reason: 'requested_by_customer', ...(request.amountCents && { amount: request.amountCents }) },
          { idempotencyKey: key },
        ),
      )
      return { id: refund.id, amountCents: refund.amount, currency: refund.currency }
    },

    /** All that is ours there, free to use or not yet. */
    async balance(): Promise<ProviderMoney> {
      const { available, pending } = await call((stripe) => stripe.balance.retrieve())
      return sumBy([...available, ...pending].map(({ currency, amount }) => [currency, amount]))
    },

    /** Amounts that banks hold until they decide. */
    async disputedMoney(): Promise<ProviderMoney> {
      const held: [string, number][] = []
      for await (const page of pagesOf((after) => call((stripe) => stripe.disputes.list({ limit: 100, ...after }))))
        for (const { status, currency, balance_transactions: moved } of page)
          if (status !== 'won' && status !== 'lost') held.push([currency, -moved.reduce((sum, { amount }) => sum + amount, 0)])
      return sumBy(held)
    },

    /** Each customer with a balance there, and those whose currency is known. */
    async *customerBalances(): AsyncGenerator<{ customer: string; currency: string; cents: number }[]> {
      for await (const page of pagesOf((after) => call((stripe) => stripe.customers.list({ limit: 100, ...after }))))
        yield page.flatMap(({ id, currency, balance }) => (currency ? [{ customer: id, currency, cents: balance }] : []))
    },

    /** Movements of our balance after a known one; all of them where none is known. Later pages are newer, or older without one. */
    async *movements(after: string | null): AsyncGenerator<ProviderBalanceMove[]> {
      const list = (at: object) => call((stripe) => stripe.balanceTransactions.list({ limit: 100, ...at }))
      if (!after) {
        for await (const page of pagesOf(list)) yield page.map(balanceMoveOf)
        return
      }
      for (let known = after; ; ) {
        const { data, has_more } = await list({ ending_before: known })
        if (data.length > 0) yield data.map(balanceMoveOf)
        known = data[0]?.id ?? known
        if (!has_more) return
      }
    },

    async creditLeft(customer: string, currency: string): Promise<number> {
      const found = await call((stripe) => stripe.customers.retrieve(customer))
      return found.deleted || (found.currency && found.currency !== currency) ? 0 : Math.max(0, -found.balance)
    },

    /** Money that the next invoices use up, for a referral; a negative amount takes it back. */
    async creditReferral(customer: string, referred: string, amountCents: number, currency: string, key: string) {
      const isBack = amountCents < 0
      const description = isBack ? 'The referred payment was refunded' : REFERRAL_THANKS
      const metadata = { kind: isBack ? REFERRAL_BACK! : REFERRAL!, referred }
      const change = { amount: -amountCents, currency, description, metadata }
      const made = await call((stripe) => stripe.customers.createBalanceTransaction(customer, change, { idempotencyKey: key }))
      return creditOf(made)
    },
  }
}

export type ProviderBalanceMove = {
  id: string
  source: string
  type: string
  currency: string
  netCents: number
  feeCents: number
  movedAt: Date
}
const balanceMoveOf = ({ id, source, type, currency, net, fee, created }: Stripe.BalanceTransaction): ProviderBalanceMove => ({
  ...{ id, type, currency, netCents: net, feeCents: fee },
  source: idOf(source) ?? id,
  movedAt: date(created),
})

type After = { starting_after?: string }

/** A list of the provider's page by page; no more than one is held. */
async function* pagesOf<T extends { id: string }>(list: (after: After) => Promise<{ data: T[]; has_more: boolean }>): AsyncGenerator<T[]> {
  for (let after: After = {}; ; ) {
    const { data, has_more } = await list(after)
    if (data.length > 0) yield data
    const last = data.at(-1)?.id
    if (!has_more || !last) return
    after = { starting_after: last }
  }
}

function sumBy(amounts: [string, number][]): ProviderMoney {
  const sums: ProviderMoney = {}
  for (const [currency, amount] of amounts) sums[currency] = (sums[currency] ?? 0) + amount
  return sums
}
