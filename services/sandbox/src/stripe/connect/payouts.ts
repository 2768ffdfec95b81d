import type { Bank, Obj } from '../bank.ts'
import { wrong } from '../errors.ts'
import { int, mergeMetadata, type Params, text } from '../form.ts'
import { availableOf, balanceRow } from '../movements.ts'
import { change } from './accounts.ts'
import { insufficient } from './transfers.ts'

const DAY = 86_400
const ARRIVES_AFTER = 2 * DAY
const RETURNED_AFTER = 3 * DAY
const failures: Record<string, { code: string; message: string }> = {
  '000111111116': { code: 'no_account', message: 'The bank account could not be located.' },
  '000111111113': { code: 'account_closed', message: 'The bank account has been closed.' },
}
const RETURNS = '000999999991'

/** The platform's own bank takes what it is sent. */
const ownBank = { id: 'ba_platform', _number: '000123456789' }

/** From a balance to a bank. It is paid, fails, or comes back days after it was paid, as the number of a seller's bank says. */
export function createPayout(bank: Bank, params: Params): Obj {
  const account = bank.account ? bank.find('accounts', bank.account) : null
  const target = account ? (account.external_accounts.data as Obj[])[0] : ownBank
  if (!target || (account && !account.payouts_enabled))
    throw wrong('Cannot create payouts: this account has requirements that need to be met first.', undefined, 'payouts_not_allowed')
  const amount = int(params.amount)
  const { currency } = params
  if (amount < 1) throw wrong('Invalid positive integer', 'amount', 'parameter_invalid_integer')
  if (amount > availableOf(bank, bank.account, currency)) throw insufficient('account')
  const id = bank.id('payouts')
  const created = bank.now()
  const out = bank.t.balance_transactions.put(
    balanceRow(bank, {
      amount: -amount,
      fee: 0,
      currency,
      source: id,
      type: 'payout',
      account: bank.account,
      availableOn: created + ARRIVES_AFTER,
      spends: true,
    }),
  )
  const payout = bank.t.payouts.put({
    id,
    object: 'payout',
    amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: created + ARRIVES_AFTER,
    automatic: false,
    balance_transaction: out.id,
    created,
    currency,
    description: text(params.description),
    destination: target.id,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: false,
    metadata: mergeMetadata({}, params.metadata),
    method: 'standard',
    original_payout: null,
    payout_method: null,
    reconciliation_status: 'not_applicable',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: text(params.statement_descriptor),
    status: 'pending',
    trace_id: null,
    type: 'bank_account',
    _account: bank.account,
    _bank: target._number,
    _next_at: created + ARRIVES_AFTER,
  })
  bank.fact('payout', { payout: id, account: bank.account, amount, currency, metadata: payout.metadata })
  bank.emit('payout.created', payout)
  return payout
}

export function cancelPayout(bank: Bank, payout: Obj): Obj {
  if (payout.status !== 'pending') throw wrong(`Payouts can only be canceled while they are pending. This one is ${payout.status}.`)
  const canceled = bank.t.payouts.put({
    ...payout,
    status: 'canceled',
    _next_at: null,
    failure_balance_transaction: giveBack(bank, payout, 'payout_cancel').id,
  })
  bank.emit('payout.canceled', canceled)
  return canceled
}

export const payoutDue = (bank: Bank, payout: Obj) =>
  payout._next_at ? { at: payout._next_at as number, run: () => advance(bank, payout) } : undefined

function advance(bank: Bank, payout: Obj): Obj {
  const failure = failures[payout._bank]
  if (failure) return fail(bank, payout, failure)
  if (payout.status === 'paid') return fail(bank, payout, { code: 'could_not_process', message: 'The bank could not process this payout.' })
  const paid = bank.t.payouts.put({
    ...payout,
    status: 'paid',
    _next_at: payout._bank === RETURNS ? bank.now() + RETURNED_AFTER : null,
  })
  bank.fact('payout_paid', { payout: payout.id, account: payout._account, amount: payout.amount, currency: payout.currency })
  bank.emit('payout.paid', paid, { status: payout.status })
  return paid
}

/** Paid or not, the money is in the account again, and the bank is not asked once more until its details are new. */
function fail(bank: Bank, payout: Obj, { code, message }: { code: string; message: string }): Obj {
  const failed = bank.t.payouts.put({
    ...payout,
    status: 'failed',
    failure_balance_transaction: giveBack(bank, payout, 'payout_failure').id,
    failure_code: code,
    failure_message: message,
    _next_at: null,
  })
  bank.fact('payout_failed', { payout: payout.id, account: payout._account, amount: payout.amount, currency: payout.currency, code })
  bank.emit('payout.failed', failed, { status: payout.status })
  if (!payout._account) return failed
  const account = bank.find('accounts', payout._account)
  const data = (account.external_accounts.data as Obj[]).map((each) => ({ ...each, status: 'errored' }))
  change(bank, account, {
    payouts_enabled: false,
    external_accounts: { ...account.external_accounts, data },
    requirements: {
      ...account.requirements,
      currently_due: ['external_account'],
      past_due: ['external_account'],
      disabled_reason: 'requirements.past_due',
    },
  })
  return failed
}

const giveBack = (bank: Bank, { id, amount, currency, _account }: Obj, type: string): Obj =>
  bank.t.balance_transactions.put(
    balanceRow(bank, { amount, fee: 0, currency, source: id, type, account: _account, availableOn: bank.now() }),
  )
