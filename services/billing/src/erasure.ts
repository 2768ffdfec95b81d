import { anonymiseRows, deleteRows, type Eraser, NOBODY } from '@operon/kit/erasure'
import { type SqlBool, sql } from 'kysely'
import { closeAccount } from './accounts.ts'
import type { Deps } from './deps.ts'
import type { BillingDb } from './schema.ts'

const BOOKS = 'Accounting law: what was paid is kept for ten years, under a number that leads to no person any more.'

const POSTINGS = sql`jsonb_build_object('postings', (select jsonb_agg(to_jsonb(p) - 'entry_id' order by line) from ledger_postings p where p.entry_id = t.id))`

/** Nobody can use what is left. A refund that was begun is still sent: its meter forgets, so what is left is what was heard of it. */
const topUps = [
  { where: sql<SqlBool>`state = 'refunding' and refund_units is null`, set: sql`refund_units = units - drawn` },
  {
    where: sql<SqlBool>`state not in ('expired', 'refunding') and (state <> 'closed' or url is not null)`,
    set: sql`state = 'closed', url = null`,
  },
]

const bought = (userId: string) => sql<SqlBool>`buyer_id = ${userId}`

/** The subscription and the customer end at the provider, name and address go, the books stay. */
export const erasure = (deps: Deps): Eraser<BillingDb> => ({
  before: (ctx, userId) => closeAccount(deps, ctx, userId),
  long: [
    { table: 'sales', of: bought, set: sql`buyer_id = null, email = null, customer = null, buyer_address = null` },
    { table: 'sale_checkouts', of: bought, set: sql`buyer_id = null, email = null, request = '{}'` },
    ...topUps.map((part) => ({ table: 'top_ups', ...part })),
    // A card has one trial: its fingerprint stays, and whose it was does not.
    { table: 'trial_cards', becomes: NOBODY },
  ],
  async erase(trx, userId) {
    // Requests to the provider carry the name and the address, and so do the details of the first attempt.
    const deleted = await deleteRows(trx, ['usage', 'provider_calls'], userId)
    await trx.deleteFrom('provider_settings').where('key', '=', `customer:${userId}`).execute()
    for (const { where, set } of topUps) await sql`update top_ups set ${set} where user_id = ${userId} and ${where}`.execute(trx)
    const anonymised = { accounts: 1, ...(await anonymiseRows(trx, ['trial_cards'], userId)) }
    return {
      deleted,
      anonymised,
      kept: {
        ledger_entries: BOOKS,
        subscriptions: BOOKS,
        referrals: BOOKS,
        referral_sums: BOOKS,
        account_figures: 'Which figures of the platform count the subscription, under a number that leads to no person any more.',
        top_ups: BOOKS,
        disputes: BOOKS,
        sales: BOOKS,
        documents: BOOKS,
        payouts: BOOKS,
        seller_accounts: BOOKS,
      },
    }
  },
  holds: [
    { table: 'accounts', key: null },
    { table: 'subscriptions', key: null },
    { table: 'trial_cards', key: null },
    { table: 'usage', key: null },
    { table: 'disputes', key: null },
    { table: 'top_ups', without: ['session', 'url'] },
    { table: 'seller_accounts', key: null },
    { table: 'seller_balances', of: (userId) => sql`t.seller_id = ${userId}`, key: null },
    { table: 'documents' },
    { table: 'documents', as: 'documents_of_seller', of: (userId) => sql`t.sale_id in (select id from sales where seller_id = ${userId})` },
    { table: 'documents', as: 'documents_of_buyer', of: (userId) => sql`t.sale_id in (select id from sales where buyer_id = ${userId})` },
    { table: 'seller_months', of: (userId) => sql`t.seller_id = ${userId}`, key: null, without: ['first_entry', 'last_entry'] },
    { table: 'payouts', of: (userId) => sql`t.seller_id = ${userId}`, without: ['call_key'] },
    {
      table: 'sales',
      as: 'sold',
      of: (userId) => sql`t.seller_id = ${userId}`,
      without: ['buyer_id', 'email', 'customer', 'buyer_address'],
    },
    { table: 'sales', as: 'bought', of: (userId) => sql`t.buyer_id = ${userId}`, without: ['seller_id', 'share_cents'] },
    {
      table: 'referrals',
      as: 'referred_by',
      of: (userId) => sql`t.referred_user_id = ${userId}`,
      key: null,
      without: ['referrer_user_id'],
    },
    {
      table: 'referrals',
      as: 'referrals',
      of: (userId) => sql`t.referrer_user_id = ${userId}`,
      key: 'referred_user_id',
      without: ['referred_user_id'],
    },
    { table: 'referral_sums', key: null },
    { table: 'account_figures', key: null },
    { table: 'figures_unsummed', key: null },
    { table: 'provider_calls', without: ['request_hash'] },
    { table: 'ledger_entries', plus: POSTINGS },
    { table: 'staff_actions', without: ['staff_user_id'] },
  ],
})
