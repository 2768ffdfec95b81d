import { anonymiseRows, deleteRows, type Eraser } from '@operon/kit/erasure'
import { closeAccount } from './accounts.ts'
import type { Deps } from './deps.ts'
import type { BillingDb } from './schema.ts'

const BOOKS = 'Accounting law: what was paid is kept for ten years, under a number that leads to no person any more.'

/** The subscription and the customer end at the provider, name and address go, the books stay. */
export const erasure = (deps: Deps): Eraser<BillingDb> => ({
  before: (ctx, userId) => closeAccount(deps, ctx, userId),
  async erase(trx, userId) {
    // What the provider was asked carries the name and the address, and so do the details of the first attempt.
    const deleted = await deleteRows(trx, ['usage', 'provider_calls'], userId)
    await trx.deleteFrom('provider_settings').where('key', '=', `customer:${userId}`).execute()
    // A card has one trial: its fingerprint stays, and whose it was does not.
    const anonymised = { accounts: 1, ...(await anonymiseRows(trx, ['trial_cards'], userId)) }
    return { deleted, anonymised, kept: { ledger_entries: BOOKS, subscriptions: BOOKS, referrals: BOOKS } }
  },
})
