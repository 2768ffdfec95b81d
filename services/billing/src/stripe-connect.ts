import type Stripe from 'stripe'
import { ignoreMissing } from './stripe-errors.ts'
import type { Call } from './stripe-money.ts'
import { date, type ProviderMoney } from './stripe-shapes.ts'

// Sellers' accounts at the provider: what is asked of them, what is sent to them, and what their banks make of it.

export type ProviderSeller = {
  id: string
  submitted: boolean
  canBePaid: boolean
  currentlyDue: string[]
  pending: boolean
  deadline: Date | null
  disabledReason: string | null
  bankLast4: string | null
}
export type ProviderPayout = {
  id: string
  status: 'pending' | 'paid' | 'failed'
  arrivesAt: Date
  /** The bank's reason. */
  failure: string | null
}
type Sending = { payout: string; account: string; amountCents: number; currency: string }

export function connectOf(call: Call) {
  return {
    async createSeller(seller: { userId: string; email: string | null; country: string }, key: string): Promise<string> {
      const { userId, email, country } = seller
      const account = await call((stripe) =>
        stripe.accounts.create(
          {
            type: 'express',
            country,
            ...(email && { email }),
            capabilities: { transfers: { requested: true } },
            // By itself Stripe pays out each day.
            settings: { payouts: { schedule: { interval: 'manual' } } },
            metadata: { user_id: userId },
          },
          { idempotencyKey: key },
        ),
      )
      return account.id
    },

    async onboardingLink(account: string, urls: { refresh: string; back: string }): Promise<string> {
      const link = await call((stripe) =>
        stripe.accountLinks.create({ account, refresh_url: urls.refresh, return_url: urls.back, type: 'account_onboarding' }),
      )
      return link.url
    },

    async getSeller(id: string): Promise<ProviderSeller | null> {
      const account = await call((stripe) => stripe.accounts.retrieve(id)).catch(ignoreMissing)
      return account && sellerOf(account)
    },

    /** One for a payout of ours, whatever key it was asked with. */
    async findTransfer(payout: string): Promise<string | null> {
      const found = await call((stripe) => stripe.transfers.list({ transfer_group: payout, limit: 1 }))
      return found.data[0]?.id ?? null
    },

    async transfer({ payout, account, amountCents, currency }: Sending, key: string): Promise<string> {
      const made = await call((stripe) =>
        stripe.transfers.create(
          { amount: amountCents, currency, destination: account, transfer_group: payout, metadata: { kind: 'payout', payout } },
          { idempotencyKey: key },
        ),
      )
      return made.id
    },

    async findPayout(payout: string, account: string): Promise<ProviderPayout | null> {
      const found = await call((stripe) => stripe.payouts.list({ limit: 100 }, { stripeAccount: account }))
      const mine = found.data.find(({ metadata }) => metadata?.payout === payout)
      return mine ? payoutOf(mine) : null
    },

    async payOut({ payout, account, amountCents, currency }: Sending, key: string): Promise<ProviderPayout> {
      const made = await call((stripe) =>
        stripe.payouts.create(
          { amount: amountCents, currency, metadata: { kind: 'payout', payout } },
          { stripeAccount: account, idempotencyKey: key },
        ),
      )
      return payoutOf(made)
    },

    async getPayout(id: string, account: string): Promise<ProviderPayout> {
      return payoutOf(await call((stripe) => stripe.payouts.retrieve(id, {}, { stripeAccount: account })))
    },

    async findReversal(transfer: string): Promise<string | null> {
      return (await call((stripe) => stripe.transfers.listReversals(transfer, { limit: 1 }))).data[0]?.id ?? null
    },

    async reverseTransfer(transfer: string, key: string): Promise<string> {
      return (await call((stripe) => stripe.transfers.createReversal(transfer, {}, { idempotencyKey: key }))).id
    },

    /** All that is a seller's there: in their balance, and on its way to their bank. */
    async connectedMoney(account: string): Promise<ProviderMoney> {
      const options = { stripeAccount: account }
      const { available, pending } = await call((stripe) => stripe.balance.retrieve({}, options))
      const sums: ProviderMoney = {}
      const add = ({ currency, amount }: { currency: string; amount: number }) => {
        sums[currency] = (sums[currency] ?? 0) + amount
      }
      for (const each of [...available, ...pending]) add(each)
      const sent = await call((stripe) => stripe.payouts.list({ limit: 100 }, options))
      for (const each of sent.data) if (each.status === 'pending' || each.status === 'in_transit') add(each)
      return sums
    },

    async submitEvidence(dispute: string, evidence: Stripe.DisputeUpdateParams.Evidence, send: boolean, key: string): Promise<void> {
      await call((stripe) => stripe.disputes.update(dispute, { evidence, submit: send }, { idempotencyKey: key }))
    },
  }
}

function sellerOf({
  id,
  details_submitted,
  payouts_enabled,
  capabilities,
  requirements,
  external_accounts,
}: Stripe.Account): ProviderSeller {
  const bank = external_accounts?.data[0]
  return {
    id,
    submitted: details_submitted ?? false,
    canBePaid: Boolean(payouts_enabled) && capabilities?.transfers === 'active',
    currentlyDue: requirements?.currently_due ?? [],
    pending: (requirements?.pending_verification ?? []).length > 0,
    deadline: requirements?.current_deadline ? date(requirements.current_deadline) : null,
    disabledReason: requirements?.disabled_reason ?? null,
    bankLast4: bank && 'last4' in bank ? (bank.last4 ?? null) : null,
  }
}

function payoutOf({ id, status, arrival_date, failure_message }: Stripe.Payout): ProviderPayout {
  const stands = status === 'paid' ? 'paid' : status === 'failed' || status === 'canceled' ? 'failed' : 'pending'
  return {
    id,
    status: stands,
    arrivesAt: date(arrival_date),
    failure: failure_message ?? (status === 'canceled' ? 'It was called off.' : null),
  }
}
