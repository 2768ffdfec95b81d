import type { Bank, Obj } from './bank.ts'

export const feeOf = (amount: number) => Math.round(amount * 0.029) + 30

type Movement = {
  amount: number
  fee?: number
  currency: string
  source: string
  type: string
  clock?: string | null
  description?: string | null
  /** The balance that it moves: a connected account's, or the platform's. */
  account?: string | null
  created?: number
  availableOn?: number
  /** Takes from what is available already, whenever it arrives. */
  spends?: boolean
}

const categories: Record<string, string> = {
  adjustment: 'dispute',
  payment: 'charge',
  payment_refund: 'refund',
  transfer_refund: 'transfer_reversal',
  payout_failure: 'payout_reversal',
  payout_cancel: 'payout_reversal',
  refund_failure: 'refund_failure',
}

/** A row of somebody's balance at Stripe: the platform's, or a connected account's. */
export function move(
  bank: Bank,
  { amount, fee = 0, currency, source, type, clock, description, account, created = bank.now(clock), availableOn, spends }: Movement,
): Obj {
  const row = bank.t.balance_transactions.put({
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
    reporting_category: categories[type] ?? type,
    source,
    status: 'pending',
    type,
    _clock: clock ?? null,
    _account: account ?? null,
    _spends: spends ?? false,
  })
  put(bank, row)
  return row
}

type Purse = { settled: number; pending: Set<Obj> }
// A payout run reads a balance for each seller: rows that are available once are summed up, so that none is read twice.
const purses = new WeakMap<Bank, Map<string, Map<string, Purse>>>()

/** After the rows of an account were moved to another clock. */
export const forgetPurses = (bank: Bank) => void purses.delete(bank)

/** The balances of an account by currency, with what has become available by now summed up. */
function pursesOf(bank: Bank, account: string | null): Map<string, Purse> {
  if (!purses.has(bank)) {
    purses.set(bank, new Map())
    for (const row of bank.t.balance_transactions.all()) put(bank, row)
  }
  const mine = purses.get(bank)!.get(account ?? '') ?? new Map<string, Purse>()
  for (const purse of mine.values())
    for (const row of purse.pending)
      if (isAvailable(bank, row)) {
        purse.settled += row.net
        purse.pending.delete(row)
      }
  return mine
}

function put(bank: Bank, row: Obj) {
  const all = purses.get(bank)
  if (!all) return
  const account = row._account ?? ''
  const mine = all.get(account) ?? new Map<string, Purse>()
  const purse = mine.get(row.currency) ?? { settled: 0, pending: new Set() }
  all.set(account, mine.set(row.currency, purse))
  purse.pending.add(row)
}

const sum = (rows: Iterable<Obj>, keep: (row: Obj) => boolean = () => true) => {
  let total = 0
  for (const row of rows) if (keep(row)) total += row.net
  return total
}

/** The balance available now, or at a later moment that somebody's own clock has reached. */
export function availableOf(bank: Bank, account: string | null, currency: string, moment = 0): number {
  const purse = pursesOf(bank, account).get(currency)
  return purse ? purse.settled + sum(purse.pending, (row) => row.available_on <= moment) : 0
}

/** Available or not. */
export function wholeOf(bank: Bank, account: string | null, currency: string): number {
  const purse = pursesOf(bank, account).get(currency)
  return purse ? purse.settled + sum(purse.pending) : 0
}

/** From when on there is something to pay out; null while nothing is on its way. */
export function readyAt(bank: Bank, account: string, currency: string): number | null {
  const purse = pursesOf(bank, account).get(currency)
  if (!purse) return null
  if (purse.settled > 0) return 0
  const coming = [...purse.pending].filter(({ net }) => net > 0)
  return coming.length === 0 ? null : Math.min(...coming.map((row) => row.available_on))
}

export const currenciesOf = (bank: Bank, account: string | null): string[] => [...pursesOf(bank, account).keys()]

/** `GET /v1/balance`. */
export function balanceOf(bank: Bank) {
  const mine = pursesOf(bank, bank.account)
  const sums = (amountOf: (purse: Purse) => number) =>
    [...new Set(['usd', ...mine.keys()])].map((currency) => {
      const purse = mine.get(currency)
      const amount = purse ? amountOf(purse) : 0
      return { amount, currency, source_types: { card: amount } }
    })
  return {
    object: 'balance',
    livemode: false,
    available: sums(({ settled }) => settled),
    pending: sums(({ pending }) => sum(pending)),
    ...(!bank.account && { connect_reserved: sums(() => 0) }),
  }
}

const isAvailable = (bank: Bank, row: Obj): boolean => row._spends || row.available_on <= bank.now(row._clock)
