/** The platform's own accounts. Each seller adds `seller_held:<id>`, `seller_due:<id>` and `seller_owes:<id>`. */
export const chart = {
  provider_balance: 'asset',
  /** What the provider has paid out to us. */
  bank: 'asset',
  disputed: 'asset',
  receivable: 'asset',
  customer_credit: 'liability',
  /** Money that came in for something we do not know. Staff look into it. */
  suspense: 'liability',
  subscription_revenue: 'income',
  platform_fees: 'income',
  forfeited_credit: 'income',
  refunds: 'expense',
  provider_fees: 'expense',
  dispute_losses: 'expense',
  referral_credits: 'expense',
} as const

export type PlatformAccount = keyof typeof chart
export type SellerAccount = `${'seller_held' | 'seller_due' | 'seller_owes'}:${string}`
export type Account = PlatformAccount | SellerAccount

export const kindOf = (account: Account): 'asset' | 'liability' | 'income' | 'expense' =>
  account in chart ? chart[account as PlatformAccount] : account.startsWith('seller_owes:') ? 'asset' : 'liability'
