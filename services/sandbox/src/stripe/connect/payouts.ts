import type { Bank, Obj } from '../bank.ts'
import { wrong } from '../errors.ts'
import { int, mergeMetadata, type Params, text } from '../form.ts'
import { availableOf, currenciesOf, move, readyAt } from '../movements.ts'
import { failures, markErrored, RETURNS } from './banks.ts'
import { askForBank } from './requirements.ts'
import { insufficient } from './transfers.ts'

const DAY = 86_400
const ARRIVES_AFTER = 2 * DAY
const RETURNED_AFTER = 3 * DAY

/** The platform's own bank takes what it is sent. */
const ownBank = { id: 'ba_platform', _number: '000123456789' }

/** From a balance to a bank. It is paid, fails, or comes back days after it was paid, as the number of a seller's bank says. */
export const createPayout = (bank: Bank, params: Params): Obj =>
  sendPayout(bank, bank.account ? bank.find('accounts', bank.account) : null, params)

function sendPayout(bank: Bank, account: Obj | null, params: Params, automatic = false): Obj {
  const target = account ? (account.external_accounts.data as Obj[])[0] : ownBank
  if (!target || (account && !account.payouts_enabled))
    throw wrong('Cannot create payouts: this account has requirements that need to be met first.', undefined, 'payouts_not_allowed')
  const amount = int(params.amount)
  const currency = String(params.currency).toLowerCase()
  const own = { account: account?.id ?? null, clock: account?._clock ?? null }
  if (amount < 1) throw wrong('Invalid positive integer', 'amount', 'parameter_invalid_integer')
  if (amount > availableOf(bank, own.account, currency)) throw insufficient('account')
  const id = bank.id('payouts')
  const created = bank.now(own.clock)
  const arrives = { availableOn: created + ARRIVES_AFTER, spends: true }
  const out = move(bank, { amount: -amount, currency, source: id, type: 'payout', ...arrives, ...own })
  const payout = bank.t.payouts.put({
    id,
    object: 'payout',
    amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: created + ARRIVES_AFTER,
    automatic,
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
    reconciliation_status: automatic ? 'completed' : 'not_applicable',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: text(params.statement_descriptor),
    status: 'pending',
    trace_id: null,
    type: 'bank_account',
    _account: own.account,
    _clock: own.clock,
    _bank: target._number,
    _next_at: created + ARRIVES_AFTER,
  })
  bank.fact('payout', { payout: id, account: own.account, amount, currency, automatic, metadata: payout.metadata })
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
  bank.fact('payout_canceled', { payout: payout.id, account: payout._account, amount: payout.amount, currency: payout.currency })
  bank.emit('payout.canceled', canceled)
  return canceled
}

/** An account that nobody set to `manual` pays out whatever it has, at the next midnight. */
export function automaticPayoutDue(bank: Bank, account: Obj) {
  if (account.deleted || !account.payouts_enabled || account.settings?.payouts.schedule.interval !== 'daily') return undefined
  for (const currency of currenciesOf(bank, account.id)) {
    const ready = readyAt(bank, account.id, currency)
    if (ready === null) continue
    const midnight = Math.ceil((Math.max(ready, bank.now(account._clock)) + 1) / DAY) * DAY
    const run = () => {
      const amount = availableOf(bank, account.id, currency)
      if (amount > 0) sendPayout(bank, bank.find('accounts', account.id), { amount, currency }, true)
    }
    return { at: midnight, run }
  }
  return undefined
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
    _next_at: payout._bank === RETURNS ? bank.now(payout._clock) + RETURNED_AFTER : null,
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
  const kind = payout.status === 'paid' ? 'payout_returned' : 'payout_failed'
  bank.fact(kind, { payout: payout.id, account: payout._account, amount: payout.amount, currency: payout.currency, code })
  bank.emit('payout.failed', failed, { status: payout.status })
  if (payout._account) askForBank(bank, markErrored(bank, bank.find('accounts', payout._account)))
  return failed
}

const giveBack = (bank: Bank, { id, amount, currency, _account, _clock }: Obj, type: string): Obj => {
  const own = { account: _account, clock: _clock }
  return move(bank, { amount, currency, source: id, type, availableOn: bank.now(_clock), ...own })
}
