import type { Bank, Obj } from '../bank.ts'
import type { Params } from '../form.ts'

// Stripe's requirements of a seller, and its decisions on the answers. They move with the seller's own clock.

const DAY = 86_400
const VERIFIED_AFTER_SECONDS = 60
const DOCUMENT_WITHIN = 14 * DAY
export const ASKED_FIRST = ['business_type', 'external_account', 'individual.first_name', 'individual.last_name', 'tos_acceptance.date']
const DOCUMENT = 'individual.verification.document'

/** The person's choices in the hosted onboarding. */
export const outcomes = {
  complete: 'Everything is in order',
  more: 'A document is asked for later',
  refused: 'The account is refused',
} as const
export type Outcome = keyof typeof outcomes

export function change(bank: Bank, account: Obj, fields: Params): Obj {
  const changed = bank.t.accounts.put({ ...account, ...fields })
  bank.emit('account.updated', changed)
  return changed
}

/** The last button of the onboarding. What Stripe makes of it shows a minute later; whoever was verified before is paid meanwhile. */
export function submitted(bank: Bank, account: Obj, outcome: Outcome): Obj {
  const isFirst = !account.details_submitted || account.capabilities.transfers !== 'active'
  const asked: string[] = account.requirements.currently_due
  return change(bank, account, {
    business_type: account.business_type ?? 'individual',
    details_submitted: true,
    tos_acceptance: { date: account.tos_acceptance.date ?? bank.now(account._clock) },
    requirements: requirementsOf({
      disabled_reason: isFirst ? 'requirements.pending_verification' : null,
      pending_verification: asked.includes(DOCUMENT) ? [DOCUMENT] : isFirst ? ['individual.id_number'] : [],
    }),
    ...(isFirst ? { capabilities: all(account, 'pending') } : { payouts_enabled: true }),
    _outcome: outcome,
    _decided_at: bank.now(account._clock) + VERIFIED_AFTER_SECONDS,
  })
}

/** Changes of an account over time: it is verified, asked for more, stopped for missing data, or refused. */
export function accountDue(bank: Bank, account: Obj): { at: number; run: () => unknown } | undefined {
  if (account.deleted) return undefined
  if (account._decided_at) return { at: account._decided_at, run: () => decide(bank, account, account._outcome) }
  if (account.requirements.current_deadline)
    return {
      at: account.requirements.current_deadline,
      run: () => stop(bank, account, 'requirements.past_due', account.requirements.currently_due),
    }
  return undefined
}

export function decide(bank: Bank, account: Obj, outcome: Outcome): Obj {
  if (outcome === 'refused') return stop(bank, account, 'rejected.other', [])
  const asks = outcome === 'more'
  return change(bank, account, {
    _decided_at: null,
    capabilities: all(account, 'active'),
    charges_enabled: 'card_payments' in account.capabilities,
    payouts_enabled: true,
    requirements: requirementsOf(
      asks ? { currently_due: [DOCUMENT], eventually_due: [DOCUMENT], current_deadline: bank.now(account._clock) + DOCUMENT_WITHIN } : {},
    ),
  })
}

export function stop(bank: Bank, account: Obj, reason: string, pastDue: string[]): Obj {
  bank.fact('account_stopped', { account: account.id, reason })
  return change(bank, account, {
    _decided_at: null,
    capabilities: all(account, 'inactive'),
    charges_enabled: false,
    payouts_enabled: false,
    requirements: requirementsOf({ disabled_reason: reason, currently_due: pastDue, past_due: pastDue }),
  })
}

/** After a payout came back: everything stands but the bank. */
export const askForBank = (bank: Bank, account: Obj): Obj =>
  change(bank, account, {
    payouts_enabled: false,
    requirements: {
      ...account.requirements,
      currently_due: ['external_account'],
      past_due: ['external_account'],
      disabled_reason: 'requirements.past_due',
    },
  })

const all = ({ capabilities }: Obj, status: string) => Object.fromEntries(Object.keys(capabilities).map((name) => [name, status]))

export const requirementsOf = (given: Params) => ({
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
