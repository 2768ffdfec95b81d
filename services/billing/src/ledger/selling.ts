import type { SellerAccount, SellerPart } from './chart.ts'
import { disputeOpened, disputeWon, type Line, lines, pair } from './entries.ts'

// The money of sellers, as balanced lines. The platform takes the payment; a seller's share is held, then due, then paid out through their
// account at the provider. What a refund or a lost dispute takes beyond all of that, the seller owes.

export type SellerBalance = {
  heldCents: number
  dueCents: number
  reservedCents: number
  payingCents: number
  owedCents: number
  connectedCents: number
}
/** The terms agreed at the sale. */
export type Terms = { seller: string; currency: string; grossCents: number; taxCents: number; shareCents: number }
/** The rest of the share in the hold and in the reserve, and the money that went back to the buyer so far. */
export type SaleMoney = { heldCents: number; reservedCents: number; returnedCents: number }

const of = (part: SellerPart, seller: string): SellerAccount => `${part}:${seller}`

/** A sale first settles what the seller owes; the rest of the share is held. */
export function sold({ seller, currency, grossCents, taxCents, shareCents }: Terms, { owedCents }: SellerBalance) {
  const settled = Math.min(shareCents, owedCents)
  const heldCents = shareCents - settled
  const booked = lines(
    currency,
    ['provider_balance', grossCents],
    ['sales_tax_payable', -taxCents],
    ['platform_fees', shareCents + taxCents - grossCents],
    [of('seller_owes', seller), -settled],
    [of('seller_held', seller), -heldCents],
  )
  return { lines: booked, heldCents }
}

/** Money that becomes free settles the seller's debt before any of it is due. */
const freed = (from: SellerPart, seller: string, currency: string, cents: number, { owedCents }: SellerBalance): Line[] => {
  const settled = Math.min(cents, owedCents)
  return lines(currency, [of(from, seller), cents], [of('seller_owes', seller), -settled], [of('seller_due', seller), settled - cents])
}
export const holdReleased = (seller: string, currency: string, sale: SaleMoney, balance: SellerBalance) =>
  freed('seller_held', seller, currency, sale.heldCents, balance)

export type Returned = {
  taxCents: number
  feeCents: number
  shareCents: number
  fromHeld: number
  fromReserve: number
  fromDue: number
  owed: number
  beyond: number
}

/**
 * Shares a refund or a lost dispute out among those who pay for it. Each part is that of all that is returned less that of what was returned before:
 * rounding each by itself would lose cents. What goes beyond the sale is the platform's loss.
 */
export function returnedOf(
  { grossCents, taxCents, shareCents }: Terms,
  sale: SaleMoney,
  cents: number,
  { dueCents }: Pick<SellerBalance, 'dueCents'>,
): Returned {
  const within = Math.min(cents, grossCents - sale.returnedCents)
  const partOf = (whole: number) =>
    Math.floor((whole * (sale.returnedCents + within)) / grossCents) - Math.floor((whole * sale.returnedCents) / grossCents)
  const [tax, share] = [partOf(taxCents), partOf(shareCents)]
  const fromReserve = Math.min(share, sale.reservedCents)
  const fromHeld = Math.min(share - fromReserve, sale.heldCents)
  const fromDue = Math.min(share - fromReserve - fromHeld, dueCents)
  const owed = share - fromReserve - fromHeld - fromDue
  return { taxCents: tax, feeCents: within - tax - share, shareCents: share, fromHeld, fromReserve, fromDue, owed, beyond: cents - within }
}

const takenBack = (seller: string, currency: string, source: 'provider_balance' | 'disputed', cents: number, parts: Returned) =>
  lines(
    currency,
    [source, -cents],
    ['sales_tax_payable', parts.taxCents],
    ['platform_fees', parts.feeCents],
    [of('seller_held', seller), parts.fromHeld],
    [of('seller_reserve', seller), parts.fromReserve],
    [of('seller_due', seller), parts.fromDue],
    [of('seller_owes', seller), parts.owed],
    ['dispute_losses', parts.beyond],
  )
export const saleRefunded = (terms: Terms, cents: number, parts: Returned) =>
  takenBack(terms.seller, terms.currency, 'provider_balance', cents, parts)
export const saleDisputeLost = (terms: Terms, cents: number, parts: Returned) =>
  takenBack(terms.seller, terms.currency, 'disputed', cents, parts)

/** The provider holds a disputed amount until it is decided. What of the share was due already is set aside. */
export const saleDisputed = disputeOpened
export const saleDisputeWon = disputeWon
export const setAside = (seller: string, currency: string, cents: number) =>
  pair(currency, cents, of('seller_due', seller), of('seller_reserve', seller))
export const reserveFreed = (seller: string, currency: string, cents: number, balance: SellerBalance) =>
  freed('seller_reserve', seller, currency, cents, balance)

/** Of the share of a sale, what its dispute sets aside: the part of it that is neither held nor returned, as far as it is still due. */
export const reserveFor = ({ grossCents, shareCents }: Terms, sale: SaleMoney, { dueCents }: SellerBalance) => {
  const left = shareCents - Math.floor((shareCents * sale.returnedCents) / grossCents)
  return Math.max(0, Math.min(dueCents, left - sale.heldCents - sale.reservedCents))
}

export const payoutStarted = (seller: string, currency: string, cents: number) =>
  pair(currency, cents, of('seller_due', seller), of('seller_paying', seller))
export const transferred = (seller: string, currency: string, cents: number) =>
  pair(currency, cents, of('seller_connected', seller), 'provider_balance')
export const payoutPaid = (seller: string, currency: string, cents: number) =>
  pair(currency, cents, of('seller_paying', seller), of('seller_connected', seller))
/** The bank sent back what it had taken. */
export const payoutReturned = (seller: string, currency: string, cents: number) =>
  pair(currency, cents, of('seller_connected', seller), of('seller_paying', seller))
export const transferReversed = (seller: string, currency: string, cents: number) =>
  pair(currency, cents, 'provider_balance', of('seller_connected', seller))
export const payoutRestored = (seller: string, currency: string, cents: number, balance: SellerBalance) =>
  freed('seller_paying', seller, currency, cents, balance)
