import { type Bank, list, type Obj } from '../bank.ts'
import { wrong } from '../errors.ts'
import { change } from './requirements.ts'

/** Test numbers of banks: what becomes of a payout to them. */
export const banks = {
  '000123456789': 'Takes payouts',
  '000111111116': 'Refuses payouts: no such account',
  '000111111113': 'Refuses payouts: the account is closed',
  '000222222227': 'Refuses payouts: not enough is in it',
  '000999999991': 'Takes payouts and returns them three days later',
} as const

export const failures: Record<string, { code: string; message: string }> = {
  '000111111116': { code: 'no_account', message: 'The bank account could not be located.' },
  '000111111113': { code: 'account_closed', message: 'The bank account has been closed.' },
  '000222222227': { code: 'insufficient_funds', message: 'The bank account has too little in it.' },
}
export const RETURNS = '000999999991'

export const banksOf = (account: string, accounts: Obj[]) => ({
  ...list(`/v1/accounts/${account}/external_accounts`, accounts),
  total_count: accounts.length,
})

export function demandTestNumber(typed: string): string {
  const number = typed.replace(/[\s-]/g, '')
  if (number in banks) return number
  throw wrong('Only the test account numbers listed on this page are taken.', 'external_account', 'account_number_invalid')
}

/** The bank that payouts of an account go to. It takes the place of the one before. */
export function setBank(bank: Bank, account: Obj, number: string): Obj {
  for (const before of account.external_accounts.data as Obj[]) bank.t.bank_accounts.put({ ...before, deleted: true })
  const made = bank.t.bank_accounts.put({
    id: bank.id('bank_accounts'),
    object: 'bank_account',
    account: account.id,
    account_holder_name: null,
    account_holder_type: 'individual',
    account_type: null,
    available_payout_methods: ['standard'],
    bank_name: 'STRIPE TEST BANK',
    country: account.country,
    currency: account.default_currency,
    default_for_currency: true,
    fingerprint: number.slice(-8),
    last4: number.slice(-4),
    metadata: {},
    routing_number: '110000000',
    status: 'new',
    _account: account.id,
    _clock: account._clock,
    _number: number,
  } as unknown as Obj)
  bank.emit('account.external_account.created', made)
  return change(bank, account, { external_accounts: banksOf(account.id, [made]) })
}

/** A bank that refused a payout is asked for no other until its details are new. */
export function markErrored(bank: Bank, account: Obj): Obj {
  const data = (account.external_accounts.data as Obj[]).map((each) => bank.t.bank_accounts.put({ ...each, status: 'errored' }))
  for (const each of data) bank.emit('account.external_account.updated', each)
  return { ...account, external_accounts: banksOf(account.id, data) }
}
