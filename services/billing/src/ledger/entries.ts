import type { Account } from './chart.ts'

// Every movement of money as balanced lines: debits positive, credits negative, in one currency. Pure, so that random histories can be
// run through it by the hundred thousand.

export type Line = { account: Account; currency: string; amountCents: number }

export const pair = (currency: string, amountCents: number, debit: Account, credit: Account): Line[] =>
  lines(currency, [debit, amountCents], [credit, -amountCents])

export const lines = (currency: string, ...amounts: [Account, number][]): Line[] =>
  amounts.filter(([, amountCents]) => amountCents !== 0).map(([account, amountCents]) => ({ account, currency, amountCents }))

// Subscriptions, top-ups, and payments that nothing here was sold for. What sellers are paid for: selling.ts.
export type PaidFor = 'subscription' | 'top_up' | 'sale' | 'unknown'
type Revenue = 'subscription_revenue' | 'top_up_revenue'
const isOurs = (paidFor: PaidFor) => paidFor === 'subscription' || paidFor === 'top_up'
export const revenueOf = (paidFor: PaidFor): Revenue => (paidFor === 'top_up' ? 'top_up_revenue' : 'subscription_revenue')
const earnedBy = (paidFor: PaidFor): Account => (isOurs(paidFor) ? revenueOf(paidFor) : 'suspense')
const givenBackBy = (paidFor: PaidFor): Account => (isOurs(paidFor) ? 'refunds' : 'suspense')
const lostBy = (paidFor: PaidFor): Account => (isOurs(paidFor) ? 'dispute_losses' : 'suspense')

export const charged = (currency: string, cents: number, paidFor: PaidFor = 'subscription') =>
  pair(currency, cents, 'provider_balance', earnedBy(paidFor))
/** The tax in what was paid for a plan or a top-up, and the tax that goes back with a refund. */
export const taxDue = (currency: string, cents: number, from: Revenue = 'subscription_revenue') =>
  pair(currency, cents, from, 'sales_tax_payable')
export const taxReturned = (currency: string, cents: number, from: 'refunds' | 'dispute_losses') =>
  pair(currency, cents, 'sales_tax_payable', from)
export const feeTaken = (currency: string, cents: number) => pair(currency, cents, 'provider_fees', 'provider_balance')
export const refunded = (currency: string, cents: number, paidFor: PaidFor = 'subscription') =>
  pair(currency, cents, givenBackBy(paidFor), 'provider_balance')
/** The bank did not take a refund: the money is ours again, and owed to the customer. */
export const refundFailed = (currency: string, cents: number) => pair(currency, cents, 'provider_balance', 'suspense')
/** The provider's payouts to our bank and its own fees; amounts that leave our balance there are negative. */
export const balanceMoved = (currency: string, cents: number, to: 'bank' | 'provider_fees') => pair(currency, cents, 'provider_balance', to)
export const disputeOpened = (currency: string, cents: number) => pair(currency, cents, 'disputed', 'provider_balance')
export const disputeWon = (currency: string, cents: number) => pair(currency, cents, 'provider_balance', 'disputed')
export const disputeLost = (currency: string, cents: number, paidFor: PaidFor = 'subscription') =>
  pair(currency, cents, lostBy(paidFor), 'disputed')
/** A customer's balance moved at the provider, in its sign: credit is negative there as here. The other side is what it came from. */
export const creditMoved = (
  currency: string,
  cents: number,
  from: 'referral_credits' | 'goodwill_credits' | 'subscription_revenue' | 'suspense',
) => pair(currency, cents, 'customer_credit', from)
/** The credit left when its account is deleted stays with us. */
export const creditForfeited = (currency: string, cents: number) => pair(currency, cents, 'customer_credit', 'forfeited_credit')
