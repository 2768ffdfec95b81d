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
}

export function balanceRow(bank: Bank, { amount, fee, currency, source, type, clock, description }: Movement): Obj {
  const created = bank.now(clock)
  return {
    id: bank.id('balance_transactions'),
    object: 'balance_transaction',
    amount,
    available_on: created + 2 * 86400,
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
  }
}
