import { newId } from '@operon/kit/ids'
import type { BillingCtx, Db, Trx } from '../deps.ts'
import { kindOf, type PlatformAccount } from './chart.ts'
import type { Line } from './entries.ts'
import { proofOf } from './sums.ts'

export type Entry = {
  reference: string
  kind: string
  /** The person who paid, or was paid back. A seller's entries are found by their accounts. */
  userId: string | null
  saleId?: string | null
  payoutId?: string | null
  description: string
  occurredAt: Date
  lines: Line[]
}

/** Books an entry, once by its reference. The database checks at commit that it balances. */
export async function post(
  trx: Trx,
  { reference, kind, userId, saleId = null, payoutId = null, description, occurredAt, lines }: Entry,
): Promise<boolean> {
  const entry = await trx
    .insertInto('ledger_entries')
    .values({ id: newId(), reference, kind, user_id: userId, sale_id: saleId, payout_id: payoutId, description, occurred_at: occurredAt })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!entry) return false
  const sellers = lines.filter(({ account }) => account.includes(':'))
  if (sellers.length > 0) {
    await trx
      .insertInto('ledger_accounts')
      .values(sellers.map(({ account }) => ({ code: account, kind: kindOf(account), owner: account.split(':')[1]! })))
      .onConflict((conflict) => conflict.column('code').doNothing())
      .execute()
  }
  const postings = lines.map(({ account, currency, amountCents }, line) => ({
    entry_id: entry.id,
    line,
    account,
    currency,
    amount_cents: amountCents,
  }))
  await trx.insertInto('ledger_postings').values(postings).execute()
  return true
}

/** The books as they stand, with the proof that each entry balances. */
export async function ledgerBalances(db: Db) {
  const balances = await db
    .selectFrom('ledger_balances')
    .select(['account', 'currency', 'amount_cents'])
    .orderBy('account')
    .orderBy('currency')
    .execute()
  return { balances, ...(await proofOf(db)) }
}

/** Receipts less refunds. Income stands on the credit side, which is negative. */
export async function earned({ db }: BillingCtx) {
  const accounts = ['subscription_revenue', 'deferred_revenue', 'platform_fees', 'refunds', 'dispute_losses'] satisfies PlatformAccount[]
  const { cents } = await db
    .selectFrom('ledger_balances')
    .select(({ fn }) => fn.sum<number>('amount_cents').as('cents'))
    .where('account', 'in', accounts)
    .where('currency', '=', 'usd')
    .executeTakeFirstOrThrow()
  return { usd_cents: -Number(cents ?? 0) }
}
