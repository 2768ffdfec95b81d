import { SetupError } from '@operon/kit/config'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Db, Trx } from './deps.ts'
import { MOVEMENTS } from './ledger/movements.ts'
import { ledgerBalances, post } from './ledger/post.ts'
import { holdSums } from './ledger/sums.ts'
import { readSetting, replaceSetting } from './settings.ts'
import type { Mode } from './stripe.ts'
import { publishSubscription } from './subscriptions/entitlement.ts'

const KEY = 'provider'

/**
 * Customers, subscriptions and events belong to the provider that made them. When a key replaces the sandbox, every account begins anew
 * and the sandbox's balances are closed; what was earned with real money is not left behind by a mistaken variable.
 */
export async function belongTo(db: Db, mode: Mode): Promise<'same' | 'moved'> {
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${KEY}))`.execute(trx)
    // Before the provider was written down, the sandbox's endpoint was.
    const was = (await readSetting<Mode>(trx, KEY)) ?? ((await readSetting(trx, 'webhook:sandbox')) ? 'sandbox' : null)
    if (was === 'live')
      throw new SetupError(
        `This database holds the customers of a live Stripe account; it is not used with ${mode} keys. Set DATABASE_URL.`,
      )
    await replaceSetting(trx, KEY, mode)
    if (!was || was === mode) return 'same'
    await beginAnew(trx)
    return 'moved'
  })
}

async function beginAnew(trx: Trx) {
  await holdSums(trx)
  await trx.updateTable('accounts').set({ stripe_customer_id: null, trial_used_at: null, provider_ahead_s: 0 }).execute()
  await trx.deleteFrom('provider_settings').where('key', 'like', 'customer:%').execute()
  await trx.deleteFrom('provider_settings').where('key', '=', MOVEMENTS).execute()
  await trx.deleteFrom('provider_movements').execute()
  for (const table of ['tax_lines', 'tax_lines_unsummed', 'tax_sums'] as const) await trx.deleteFrom(table).execute()
  await trx.updateTable('provider_calls').set({ state: 'refused' }).where('state', '=', 'open').execute()
  // With the events goes the time that they told.
  await trx.deleteFrom('provider_events').execute()
  await trx.deleteFrom('trial_cards').execute()
  await trx.deleteFrom('disputes').execute()
  await trx.updateTable('referrals').set({ state: 'void' }).where('state', 'in', ['paid', 'revoked']).execute()
  await leaveSellers(trx)
  const ended = await trx
    .updateTable('subscriptions')
    .set({ ...nothing, version: sql`version + 1`, looks: sql`looks + 1`, updated_at: new Date() })
    .where('status', '<>', 'none')
    .returningAll()
    .execute()
  for (const row of ended) await publishSubscription(trx, row)
  await closeBooks(trx)
}

/** Accounts of sellers and what was on its way belong to the provider before; the closing entry brings their balances to nothing. */
async function leaveSellers(trx: Trx) {
  const gone = { account: null, state: 'none', requirements: '[]', deadline: null, disabled_reason: null, bank_last4: null } as const
  await trx
    .updateTable('seller_accounts')
    .set({ ...gone, version: sql`version + 1`, looks: sql`looks + 1` })
    .execute()
  await trx.updateTable('sale_checkouts').set({ state: 'expired' }).where('state', '=', 'open').execute()
  await trx.updateTable('sales').set({ held_cents: 0, reserved_cents: 0, hold_until: null }).execute()
  await trx.updateTable('payouts').set({ next_at: null }).where('next_at', 'is not', null).execute()
  const none = { held_cents: 0, due_cents: 0, reserved_cents: 0, paying_cents: 0, owed_cents: 0, connected_cents: 0 }
  await trx.updateTable('seller_balances').set(none).execute()
}

const nothing = {
  stripe_subscription_id: null,
  stripe_item_id: null,
  plan: null,
  tier: 'none',
  status: 'none',
  period_end: null,
  trial_end: null,
  cancel_at_period_end: false,
  grace_until: null,
  lapsed: false,
  disputed: false,
  reminded_at: null,
} as const

/** One entry that brings every balance to nothing; what was booked stays readable. */
async function closeBooks(trx: Trx) {
  const { balances } = await ledgerBalances(trx)
  const open = balances.filter(({ amount_cents }) => amount_cents !== 0)
  if (open.length === 0) return
  const lines = open.map(({ account, currency, amount_cents }) => ({ account: account as never, currency, amountCents: -amount_cents }))
  const description = 'Balances of the provider before'
  await post(trx, { reference: `closing:${newId()}`, kind: 'closing', userId: null, description, occurredAt: new Date(), lines })
}
