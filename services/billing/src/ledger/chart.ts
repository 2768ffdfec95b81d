/** The platform's own accounts. Each seller adds those of `sellerAccounts`, as `seller_held:<id>`. */
export const chart = {
  provider_balance: 'asset',
  /** The provider's payouts to us. */
  bank: 'asset',
  disputed: 'asset',
  receivable: 'asset',
  customer_credit: 'liability',
  /** Money that came in for something we do not know. Staff look into it. */
  suspense: 'liability',
  /** Sales tax collected, for the authorities. */
  sales_tax_payable: 'liability',
  /** Paid, and not earned by the end of the month that was closed last. */
  deferred_revenue: 'liability',
  /** Of top-ups paid, what is not used by the end of the month that was closed last. */
  deferred_top_ups: 'liability',
  subscription_revenue: 'income',
  top_up_revenue: 'income',
  platform_fees: 'income',
  forfeited_credit: 'income',
  refunds: 'expense',
  provider_fees: 'expense',
  dispute_losses: 'expense',
  referral_credits: 'expense',
  /** Credit that staff gave. */
  goodwill_credits: 'expense',
} as const

export const sellerAccounts = {
  seller_held: 'liability',
  seller_due: 'liability',
  /** Set aside while a bank decides about a sale that was due already. */
  seller_reserve: 'liability',
  /** In a payout that has begun and has not arrived. */
  seller_paying: 'liability',
  seller_owes: 'asset',
  /** Money moved to the seller's account at the provider, until it has reached their bank. */
  seller_connected: 'asset',
} as const

export type PlatformAccount = keyof typeof chart
export type SellerPart = keyof typeof sellerAccounts
export type SellerAccount = `${SellerPart}:${string}`
export type Account = PlatformAccount | SellerAccount

export const kindOf = (account: Account): 'asset' | 'liability' | 'income' | 'expense' =>
  account in chart ? chart[account as PlatformAccount] : sellerAccounts[account.split(':')[0] as SellerPart]
