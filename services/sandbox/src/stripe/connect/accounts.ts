import { type Bank, list, type Obj } from '../bank.ts'
import { wrong } from '../errors.ts'
import { mergeMetadata, type Params, text, yes } from '../form.ts'

// Accounts of sellers. What Stripe asks of them stands in `requirements`, and moves with the clock.

const DAY = 86_400
const VERIFIED_AFTER_SECONDS = 60
const DOCUMENT_WITHIN = 14 * DAY
const ASKED_FIRST = ['business_type', 'external_account', 'individual.first_name', 'individual.last_name', 'tos_acceptance.date']
const DOCUMENT = 'individual.verification.document'

/** What the person meets in the hosted onboarding. */
export const outcomes = {
  complete: 'Everything is in order',
  more: 'A document is asked for later',
  refused: 'The account is refused',
} as const
export type Outcome = keyof typeof outcomes

export function createAccount(bank: Bank, params: Params): Obj {
  const created = bank.now()
  const id = bank.id('accounts').replace('acct_', 'acct_1').slice(0, 21)
  const requested = Object.entries((params.capabilities ?? {}) as Record<string, Params>).filter(([, each]) => yes(each.requested))
  const account = bank.t.accounts.put({
    id,
    object: 'account',
    business_type: text(params.business_type),
    capabilities: Object.fromEntries(requested.map(([name]) => [name, 'inactive'])),
    charges_enabled: false,
    country: params.country ?? 'US',
    created,
    default_currency: params.default_currency ?? 'usd',
    details_submitted: false,
    email: text(params.email),
    external_accounts: banksOf(id, []),
    metadata: mergeMetadata({}, params.metadata),
    payouts_enabled: false,
    requirements: requirementsOf({ currently_due: ASKED_FIRST, disabled_reason: 'requirements.past_due', past_due: ASKED_FIRST }),
    type: params.type ?? 'express',
  })
  bank.fact('account', { account: id, email: account.email, metadata: account.metadata })
  return account
}

export function updateAccount(bank: Bank, account: Obj, params: Params): Obj {
  return change(bank, account, {
    metadata: mergeMetadata(account.metadata, params.metadata),
    ...(params.email !== undefined && { email: text(params.email) }),
    ...(params.business_type !== undefined && { business_type: text(params.business_type) }),
  })
}

export function deleteAccount(bank: Bank, account: Obj) {
  const left = bank.t.balance_transactions.all().filter((row) => row._account === account.id)
  if (left.reduce((sum, { net }) => sum + net, 0) !== 0)
    throw wrong(`This account has a balance that is not zero, so it cannot be deleted.`, undefined, 'account_invalid')
  bank.t.accounts.put({ ...account, deleted: true })
  return { id: account.id, object: 'account', deleted: true }
}

export function createAccountLink(bank: Bank, params: Params) {
  const account = bank.find('accounts', params.account, 'account')
  const created = bank.now()
  const link = bank.t.account_links.put({
    id: bank.id('account_links'),
    object: 'account_link',
    created,
    expires_at: created + 300,
    _account: account.id,
    _return_url: params.return_url,
    _refresh_url: params.refresh_url,
  })
  const { object, expires_at } = link
  return { object, created, expires_at, url: `${bank.publicUrl}/sandbox/stripe/onboarding/${link.id}` }
}

/** The last button of the onboarding. What Stripe makes of it shows a minute later. */
export function submitDetails(bank: Bank, account: Obj, { outcome, number }: { outcome: Outcome; number: string }): Obj {
  const bankAccount = bankAccountOf(bank, account, number)
  return change(bank, account, {
    business_type: account.business_type ?? 'individual',
    details_submitted: true,
    external_accounts: banksOf(account.id, [bankAccount]),
    requirements: requirementsOf({ disabled_reason: 'requirements.pending_verification', pending_verification: ['individual.id_number'] }),
    capabilities: all(account, 'pending'),
    _outcome: outcome,
    _decided_at: bank.now() + VERIFIED_AFTER_SECONDS,
  })
}

/** What time brings to an account: it is verified, asked for more, stopped for what is missing, or refused. */
export function accountDue(bank: Bank, account: Obj): { at: number; run: () => unknown } | undefined {
  if (account.deleted) return undefined
  if (account._decided_at) return { at: account._decided_at, run: () => decide(bank, account) }
  if (account.requirements.current_deadline)
    return {
      at: account.requirements.current_deadline,
      run: () => stop(bank, account, 'requirements.past_due', account.requirements.currently_due),
    }
  return undefined
}

function decide(bank: Bank, account: Obj): Obj {
  const { _outcome: outcome } = account
  if (outcome === 'refused') return stop(bank, { ...account, _decided_at: null }, 'rejected.other', [])
  const asks = outcome === 'more'
  return change(bank, account, {
    _decided_at: null,
    capabilities: all(account, 'active'),
    charges_enabled: 'card_payments' in account.capabilities,
    payouts_enabled: true,
    requirements: requirementsOf(
      asks ? { currently_due: [DOCUMENT], eventually_due: [DOCUMENT], current_deadline: bank.now() + DOCUMENT_WITHIN } : {},
    ),
  })
}

const stop = (bank: Bank, account: Obj, reason: string, pastDue: string[]): Obj =>
  change(bank, account, {
    _decided_at: null,
    capabilities: all(account, 'inactive'),
    charges_enabled: false,
    payouts_enabled: false,
    requirements: requirementsOf({ disabled_reason: reason, currently_due: pastDue, past_due: pastDue }),
  })

const all = ({ capabilities }: Obj, status: string) => Object.fromEntries(Object.keys(capabilities).map((name) => [name, status]))

export function change(bank: Bank, account: Obj, fields: Params): Obj {
  const changed = bank.t.accounts.put({ ...account, ...fields })
  bank.emit('account.updated', changed)
  return changed
}

const requirementsOf = (given: Params) => ({
  alternatives: [],
  current_deadline: null,
  currently_due: [],
  disabled_reason: null,
  errors: [],
  eventually_due: given.currently_due ?? [],
  past_due: [],
  pending_verification: [],
  ...given,
})

const banksOf = (account: string, accounts: Obj[]) => ({
  ...list(`/v1/accounts/${account}/external_accounts`, accounts),
  total_count: accounts.length,
})

/** Test numbers of banks: what becomes of a payout to them. */
export const banks = {
  '000123456789': 'Takes payouts',
  '000111111116': 'Refuses payouts: no such account',
  '000111111113': 'Refuses payouts: the account is closed',
  '000999999991': 'Takes payouts and returns them three days later',
} as const

function bankAccountOf(bank: Bank, account: Obj, typed: string): Obj {
  const number = typed.replace(/[\s-]/g, '')
  if (!(number in banks))
    throw wrong('Only the test account numbers listed on this page are taken.', 'external_account', 'account_number_invalid')
  return {
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
    _number: number,
  } as unknown as Obj
}
