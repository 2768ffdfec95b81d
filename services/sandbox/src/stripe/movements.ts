import type { Bank, Obj } from './bank.ts'

export const feeOf = (amount: number) => Math.round(amount * 0.029) + 30

type Movement = {
  amount: number
  fee: number
  currency: string
  source: string
  type: string
  clock?: string | null
  description?: string | null
  /** Whose balance it moves: a connected account's, or the platform's. */
  account?: string | null
  availableOn?: number
  /** Takes from what is available already, whenever it arrives. */
  spends?: boolean
}

export function balanceRow(
  bank: Bank,
  { amount, fee, currency, source, type, clock, description, account, availableOn, spends }: Movement,
): Obj {
  const created = bank.now(clock)
  return {
    id: bank.id('balance_transactions'),
    object: 'balance_transaction',
    amount,
    available_on: availableOn ?? (amount < 0 ? created : created + 2 * 86400),
    balance_type: 'payments',
    created,
    currency,
    description: description ?? null,
    exchange_rate: null,
    fee,
    fee_details: fee === 0 ? [] : [{ amount: fee, application: null, currency, description: 'Stripe processing fees', type: 'stripe_fee' }],
    net: amount - fee,
    reporting_category: type === 'adjustment' ? 'dispute' : type,
    source,
    status: 'pending',
    type,
    _clock: clock ?? null,
    _account: account ?? null,
    _spends: spends ?? false,
  }
}

/** What can be sent on or paid out now. */
export const availableOf = (bank: Bank, account: string | null, currency: string): number =>
  bank.t.balance_transactions
    .all()
    .filter((row) => (row._account ?? null) === account && row.currency === currency && isAvailable(bank, row))
    .reduce((sum, { net }) => sum + net, 0)

export const isAvailable = (bank: Bank, row: Obj): boolean => row._spends || row.available_on <= bank.now(row._clock)
