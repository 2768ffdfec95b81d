import { clockOfPerson } from '../accounts.ts'
import type { Bank, Obj } from '../bank.ts'
import { wrong } from '../errors.ts'
import { int, mergeMetadata, type Params, text, yes } from '../form.ts'
import { currenciesOf, wholeOf } from '../movements.ts'
import { banksOf } from './banks.ts'
import { ASKED_FIRST, change, requirementsOf, stop } from './requirements.ts'

export function createAccount(bank: Bank, params: Params): Obj {
  const id = bank.id('accounts').replace('acct_', 'acct_1').slice(0, 21)
  const metadata = mergeMetadata({}, params.metadata)
  const email = text(params.email)
  const clock = clockOfPerson(bank, metadata.user_id)
  const requested = Object.entries((params.capabilities ?? {}) as Record<string, Params>).filter(([, each]) => yes(each.requested))
  if (requested.length === 0)
    throw wrong('When creating an account you must request at least one capability, for example `transfers`.', 'capabilities')
  const account = bank.t.accounts.put({
    id,
    object: 'account',
    business_profile: businessOf({}, params.business_profile),
    business_type: text(params.business_type),
    capabilities: Object.fromEntries(requested.map(([name]) => [name, 'inactive'])),
    charges_enabled: false,
    country: params.country ?? 'US',
    created: bank.now(clock),
    default_currency: params.default_currency ?? 'usd',
    details_submitted: false,
    email,
    external_accounts: banksOf(id, []),
    metadata,
    payouts_enabled: false,
    requirements: requirementsOf({ currently_due: ASKED_FIRST, disabled_reason: 'requirements.past_due', past_due: ASKED_FIRST }),
    settings: settingsOf(params.settings),
    tos_acceptance: { date: null },
    type: params.type ?? 'express',
    _clock: clock,
  })
  bank.fact('account', { account: id, email, metadata })
  return account
}

export function updateAccount(bank: Bank, account: Obj, params: Params): Obj {
  return change(bank, account, {
    metadata: mergeMetadata(account.metadata, params.metadata),
    business_profile: businessOf(account.business_profile, params.business_profile),
    ...(params.settings !== undefined && { settings: settingsOf(params.settings, account.settings.payouts) }),
    ...(params.email !== undefined && { email: text(params.email) }),
    ...(params.business_type !== undefined && { business_type: text(params.business_type) }),
  })
}

const businessOf = (before: Params, given: Params | undefined) => ({
  mcc: null,
  minority_owned_business_designation: null,
  name: null,
  product_description: null,
  specified_commercial_transactions_act_url: null,
  support_address: null,
  support_email: null,
  support_phone: null,
  support_url: null,
  url: null,
  ...before,
  ...Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [name, text(value)])),
})

/** Stripe pays out each day by itself, unless the platform says `manual`. */
function settingsOf(given: Params | undefined, before: Params = {}) {
  const { interval = before.schedule?.interval ?? 'daily', delay_days } = (given?.payouts?.schedule ?? {}) as Params
  if (!['daily', 'manual'].includes(interval))
    throw wrong(`Stripe pays out ${interval}, and this stand-in does not play it yet.`, 'settings[payouts][schedule][interval]')
  return {
    branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
    card_payments: { statement_descriptor_prefix: null, statement_descriptor_prefix_kana: null, statement_descriptor_prefix_kanji: null },
    dashboard: { display_name: null, timezone: 'Etc/UTC' },
    payments: {
      statement_descriptor: null,
      statement_descriptor_kana: null,
      statement_descriptor_kanji: null,
      statement_descriptor_prefix_kana: null,
      statement_descriptor_prefix_kanji: null,
    },
    payouts: {
      debit_negative_balances: before.debit_negative_balances ?? yes(given?.payouts?.debit_negative_balances ?? false),
      schedule: { delay_days: int(delay_days, before.schedule?.delay_days ?? 2), interval },
      statement_descriptor: text(given?.payouts?.statement_descriptor ?? before.statement_descriptor),
    },
  }
}

/** The platform turns a seller away. */
export function rejectAccount(bank: Bank, account: Obj, { reason }: Params): Obj {
  const kind = reason.startsWith('fraud') ? 'fraud' : reason === 'terms_of_service' ? reason : 'other'
  return stop(bank, account, `rejected.platform_${kind}`, [])
}

export function deleteAccount(bank: Bank, account: Obj) {
  if (currenciesOf(bank, account.id).some((currency) => wholeOf(bank, account.id, currency) !== 0))
    throw wrong(`This account has a balance that is not zero, so it cannot be deleted.`, undefined, 'account_invalid')
  bank.t.accounts.put({ ...account, deleted: true })
  return { id: account.id, object: 'account', deleted: true }
}

const LINK_SECONDS = 300

export function createAccountLink(bank: Bank, params: Params) {
  const account = bank.find('accounts', params.account, 'account')
  if (params.type === 'account_update' && account.type !== 'custom')
    throw wrong(
      'You cannot create `account_update` type Account Links for this account. Valid account link types are `account_onboarding`.',
      'type',
    )
  for (const name of ['refresh_url', 'return_url'])
    if (!URL.canParse(String(params[name] ?? '')))
      throw wrong('Not a valid URL', name, params[name] === undefined ? 'parameter_missing' : 'url_invalid')
  const created = bank.now()
  const link = bank.t.account_links.put({
    id: bank.id('account_links'),
    object: 'account_link',
    created,
    expires_at: created + LINK_SECONDS,
    _account: account.id,
    _return_url: params.return_url,
    _refresh_url: params.refresh_url,
  })
  const { object, expires_at } = link
  return { object, created, expires_at, url: `${bank.publicUrl}/sandbox/stripe/onboarding/${link.id}` }
}

/** The way into the seller's own dashboard at Stripe. It opens once. */
export function createLoginLink(bank: Bank, account: Obj) {
  if (!account.details_submitted)
    throw wrong('Cannot create a login link for an account that has not completed onboarding.', undefined, 'account_invalid')
  const link = bank.t.account_links.put({
    id: bank.id('account_links'),
    object: 'login_link',
    created: bank.now(),
    _account: account.id,
  })
  return { object: 'login_link', created: link.created, url: `${bank.publicUrl}/sandbox/stripe/express/${link.id}` }
}
