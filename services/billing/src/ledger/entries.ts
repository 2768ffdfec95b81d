import type { Account } from './chart.ts'

// Every movement of money as balanced lines: debits positive, credits negative, in one currency. Pure, so that random histories can be
// run through it by the hundred thousand.

export type Line = { account: Account; currency: string; amountCents: number }

const pair = (currency: string, amountCents: number, debit: Account, credit: Account): Line[] =>
  lines(currency, [debit, amountCents], [credit, -amountCents])

const lines = (currency: string, ...amounts: [Account, number][]): Line[] =>
  amounts.filter(([, amountCents]) => amountCents !== 0).map(([account, amountCents]) => ({ account, currency, amountCents }))

// The flows of today: subscriptions, and payments that nothing here was sold for
export type PaidFor = 'subscription' | 'unknown'
const earnedBy = (paidFor: PaidFor): Account => (paidFor === 'subscription' ? 'subscription_revenue' : 'suspense')
const givenBackBy = (paidFor: PaidFor): Account => (paidFor === 'subscription' ? 'refunds' : 'suspense')
const lostBy = (paidFor: PaidFor): Account => (paidFor === 'subscription' ? 'dispute_losses' : 'suspense')

export const charged = (currency: string, cents: number, paidFor: PaidFor = 'subscription') =>
  pair(currency, cents, 'provider_balance', earnedBy(paidFor))
export const feeTaken = (currency: string, cents: number) => pair(currency, cents, 'provider_fees', 'provider_balance')
export const refunded = (currency: string, cents: number, paidFor: PaidFor = 'subscription') =>
  pair(currency, cents, givenBackBy(paidFor), 'provider_balance')
/** The bank did not take a refund: the money is ours again, and owed to the customer. */
export const refundFailed = (currency: string, cents: number) => pair(currency, cents, 'provider_balance', 'suspense')
/** What the provider sent to our bank, or took for itself; what leaves our balance there is negative. */
export const balanceMoved = (currency: string, cents: number, to: 'bank' | 'provider_fees') => pair(currency, cents, 'provider_balance', to)
export const disputeOpened = (currency: string, cents: number) => pair(currency, cents, 'disputed', 'provider_balance')
export const disputeWon = (currency: string, cents: number) => pair(currency, cents, 'provider_balance', 'disputed')
export const disputeLost = (currency: string, cents: number, paidFor: PaidFor = 'subscription') =>
  pair(currency, cents, lostBy(paidFor), 'disputed')
/** A customer's balance moved at the provider, in its sign: credit is negative there as here. The other side is what it came from. */
export const creditMoved = (currency: string, cents: number, from: 'referral_credits' | 'subscription_revenue' | 'suspense') =>
  pair(currency, cents, 'customer_credit', from)
/** What is left of a credit when its account is deleted stays with us. */
export const creditForfeited = (currency: string, cents: number) => pair(currency, cents, 'customer_credit', 'forfeited_credit')

// The flows of the marketplace: a seller's share is held, then due, then paid out; what a refund takes beyond both, the seller owes.
export const SELLER_SHARE_PERCENT = 80
export type SellerBalance = { heldCents: number; dueCents: number; owesCents: number }
export const sellerShare = (cents: number) => Math.floor((cents * SELLER_SHARE_PERCENT) / 100)

/** A sale first settles what the seller owes; the rest of the share is held. */
export function sold(seller: string, currency: string, cents: number, { owesCents }: SellerBalance): Line[] {
  const share = sellerShare(cents)
  const settled = Math.min(share, owesCents)
  return lines(
    currency,
    ['provider_balance', cents],
    ['platform_fees', share - cents],
    [`seller_owes:${seller}`, -settled],
    [`seller_held:${seller}`, settled - share],
  )
}

/** What the hold window frees is never more than is still held. */
export function holdReleased(seller: string, currency: string, cents: number, { heldCents }: SellerBalance): Line[] {
  const freed = Math.min(cents, heldCents)
  return pair(currency, freed, `seller_held:${seller}`, `seller_due:${seller}`)
}

/** Each party gives back its share; the shares of all partial refunds of a sale add up to those of the sale, to the cent. */
export function saleRefunded(seller: string, currency: string, cents: number, returnedCents: number, balance: SellerBalance): Line[] {
  return lines(currency, ['provider_balance', -cents], ...takenBack(seller, cents, returnedCents, balance))
}

/** The provider holds a disputed amount until it is decided; nobody's share moves before. */
export const saleDisputed = disputeOpened
export const saleDisputeWon = disputeWon
export function saleDisputeLost(seller: string, currency: string, cents: number, returnedCents: number, balance: SellerBalance): Line[] {
  return lines(currency, ['disputed', -cents], ...takenBack(seller, cents, returnedCents, balance))
}

function takenBack(seller: string, cents: number, returnedCents: number, { heldCents, dueCents }: SellerBalance): [Account, number][] {
  // The share of all that is returned less that of what was returned before: rounding each part by itself would lose cents.
  const share = sellerShare(returnedCents + cents) - sellerShare(returnedCents)
  const fromHeld = Math.min(share, heldCents)
  const fromDue = Math.min(share - fromHeld, dueCents)
  return [
    ['platform_fees', cents - share],
    [`seller_held:${seller}`, fromHeld],
    [`seller_due:${seller}`, fromDue],
    [`seller_owes:${seller}`, share - fromHeld - fromDue],
  ]
}

export function paidOut(seller: string, currency: string, { dueCents }: SellerBalance): Line[] {
  return pair(currency, dueCents, `seller_due:${seller}`, 'provider_balance')
}
