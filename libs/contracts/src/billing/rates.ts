// A seller's share of a sale, and when it is paid. No service decides these figures by itself. No zod here: the web app may ship it.

/** Of the price without tax. */
export const SELLER_SHARE_PERCENT = 80
/** From the delivery on. */
export const HOLD_DAYS = 7
/** A smaller balance waits for the next Friday. */
export const SMALLEST_PAYOUT_CENTS = 5_000
/** Below it, the card's fee would be more than the platform's share. */
export const SMALLEST_PRICE_CENTS = 200
export const LARGEST_PRICE_CENTS = 99_999_999

export const sellerShare = (cents: number): number => Math.floor((cents * SELLER_SHARE_PERCENT) / 100)
