import { payoutAccountChanged, payoutBankChanged } from '@operon/contracts/billing/payout-events'
import type * as contract from '@operon/contracts/billing/sellers'
import type { Input, Output } from '@operon/contracts/contract'
import { signedIn } from '@operon/kit/context'
import { inTransaction, publish } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import { accountOf } from '../accounts.ts'
import type { BillingCtx, Db, Deps, Trx } from '../deps.ts'
import { callOnce } from '../provider-calls.ts'
import type { BillingDb } from '../schema.ts'
import type { ProviderSeller } from '../stripe-connect.ts'
import { requirementText, stoppedBecause } from './requirements.ts'
import type { AccountState } from './schema.ts'

export type SellerRow = Selectable<BillingDb['seller_accounts']>

/** The provider's own page, which asks for what is missing. One account a seller. */
export async function startPayouts(
  deps: Deps,
  ctx: BillingCtx,
  { country }: Input<typeof contract.startPayouts>,
): Promise<Output<typeof contract.startPayouts>> {
  const { user_id: userId, email } = await accountOf(ctx)
  await ctx.db
    .insertInto('seller_accounts')
    .values({
      user_id: userId,
      country,
      account: null,
      deadline: null,
      disabled_reason: null,
      bank_last4: null,
      looked_at: null,
      held_at: null,
      held_because: null,
      refused_because: null,
      suspended_because: null,
      moderated_at: null,
    })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute()
  const row = await sellerRow(ctx.db, userId)
  const account = row?.account ?? (await openAccount(deps, ctx.db, { userId, email, country: row?.country ?? country }))
  const page = `${deps.publicUrl}/dashboard/payments`
  return { url: await deps.provider.onboardingLink(account, { refresh: `${page}?payouts=again`, back: `${page}?payouts=done` }) }
}

async function openAccount(deps: Deps, db: Db, seller: { userId: string; email: string | null; country: string }): Promise<string> {
  const { userId, country } = seller
  const account = await callOnce(db, { userId, kind: 'seller', request: { country }, fixed: { email: seller.email } }, (key, { email }) =>
    deps.provider.createSeller({ userId, email, country }, key),
  )
  await inTransaction(db, async (trx) => {
    const kept = await trx
      .updateTable('seller_accounts')
      .set({ account, state: 'started', version: sql`version + 1`, looks: sql`looks + 1` })
      .where('user_id', '=', userId)
      .where('account', 'is', null)
      .returningAll()
      .executeTakeFirst()
    if (kept) await tellOf(trx, kept, false)
  })
  return (await sellerRow(db, userId))!.account!
}

export async function payoutAccount(
  deps: Deps,
  ctx: BillingCtx,
  { refresh }: Input<typeof contract.payoutAccount>,
): Promise<Output<typeof contract.payoutAccount>> {
  const userId = signedIn(ctx).id
  const row = await sellerRow(ctx.db, userId)
  if (refresh && row?.account) await refreshSeller(deps, ctx.db, row.account)
  return accountJson(refresh ? await sellerRow(ctx.db, userId) : row)
}

export async function refreshSeller(deps: Deps, db: Db, account: string): Promise<void> {
  const seen = await lookAtSeller(deps, db, account)
  if (seen) await inTransaction(db, (trx) => keepSeller(trx, seen))
}

type SeenSeller = { row: SellerRow; found: ProviderSeller | null }
/** The count of looks is read before the provider is asked, so that an older look never replaces a newer one. */
export async function lookAtSeller(deps: Deps, db: Db, account: string): Promise<SeenSeller | null> {
  const row = await db.selectFrom('seller_accounts').selectAll().where('account', '=', account).executeTakeFirst()
  return row ? { row, found: await deps.provider.getSeller(account) } : null
}
/** `hasChanged`: the provider told of it, so that what it refused may go through now. */
export async function keepSeller(trx: Trx, { row, found }: SeenSeller, hasChanged = false): Promise<void> {
  const state = stateOf(found)
  const changed = state !== row.state
  const kept = await trx
    .updateTable('seller_accounts')
    .set({
      state,
      requirements: JSON.stringify(found?.currentlyDue ?? []),
      deadline: found?.deadline ?? null,
      disabled_reason: found?.disabledReason ?? null,
      bank_last4: found?.bankLast4 ?? null,
      looked_at: new Date(),
      looks: sql`looks + 1`,
      ...(hasChanged && { refused_because: null }),
      ...(changed && { version: sql<number>`version + 1` }),
    })
    .where('user_id', '=', row.user_id)
    .where('looks', '=', row.looks)
    .returningAll()
    .executeTakeFirst()
  if (kept && changed) await tellOf(trx, kept, isReady(row))
  if (kept?.bank_last4 && row.bank_last4 && kept.bank_last4 !== row.bank_last4)
    await publish(trx, payoutBankChanged, row.user_id, { bank_last4: kept.bank_last4 })
}

function stateOf(found: ProviderSeller | null): AccountState {
  if (!found) return 'stopped'
  if (!found.submitted) return 'started'
  if (found.canBePaid) return found.currentlyDue.length > 0 ? 'needs_details' : 'ready'
  return found.pending ? 'checking' : 'stopped'
}

/** Requirements that are due later do not stop a payout today. */
export const isReady = (row: Pick<SellerRow, 'state'> | undefined): boolean => row?.state === 'ready' || row?.state === 'needs_details'

const tellOf = (trx: Trx, row: SellerRow, wasReady: boolean) =>
  publish(trx, payoutAccountChanged, row.user_id, {
    ...{ version: row.version, state: row.state, ready: isReady(row), was_ready: wasReady },
    deadline: row.deadline?.toISOString() ?? null,
  })

export const sellerRow = (db: Db | BillingCtx['db'], userId: string) =>
  db.selectFrom('seller_accounts').selectAll().where('user_id', '=', userId).executeTakeFirst()

export function accountJson(row: SellerRow | undefined): Output<typeof contract.payoutAccount> {
  return {
    state: row?.state ?? 'none',
    ready: isReady(row),
    requirements: ((row?.requirements ?? []) as string[]).map((code) => ({ code, text: requirementText(code) })),
    deadline: row?.deadline?.toISOString() ?? null,
    stopped_because: row?.state === 'stopped' ? stoppedBecause(row.disabled_reason) : null,
    bank_last4: row?.bank_last4 ?? null,
    checked_at: row?.looked_at?.toISOString() ?? null,
  }
}
