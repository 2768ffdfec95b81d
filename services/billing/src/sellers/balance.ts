import { sql } from 'kysely'
import type { Trx } from '../deps.ts'
import type { Line } from '../ledger/entries.ts'
import { type Entry, post } from '../ledger/post.ts'
import type { SellerBalance } from '../ledger/selling.ts'
import { followDebt } from './debt.ts'

/**
 * Locks what a seller has in a currency. Every movement of a seller's money begins here, so that no two are decided by the same balance.
 * Locked before the entry is made, and always before the sale.
 */
export async function lockBalance(trx: Trx, seller: string, currency: string): Promise<SellerBalance> {
  const locked = () =>
    trx
      .selectFrom('seller_balances')
      .selectAll()
      .where('seller_id', '=', seller)
      .where('currency', '=', currency)
      .forUpdate()
      .executeTakeFirst()
  const row = (await locked()) ?? (await begin(trx, seller, currency).then(locked))
  return {
    heldCents: row!.held_cents,
    dueCents: row!.due_cents,
    reservedCents: row!.reserved_cents,
    payingCents: row!.paying_cents,
    owedCents: row!.owed_cents,
    connectedCents: row!.connected_cents,
  }
}

/** A hold that begins today is not paid out for a Friday that is over. */
async function begin(trx: Trx, seller: string, currency: string) {
  await trx
    .insertInto('seller_balances')
    .values({ seller_id: seller, currency, friday: sql<string>`friday_of(provider_now(${seller}::uuid))` })
    .onConflict((conflict) => conflict.columns(['seller_id', 'currency']).doNothing())
    .execute()
}

/** Books an entry of a seller whose balance is locked, once by its reference, and moves the balance with it. */
export async function postOf(trx: Trx, seller: string, entry: Entry): Promise<boolean> {
  if (entry.lines.length === 0 || !(await post(trx, entry))) return false
  const moved = (part: string, isAsset = false) =>
    entry.lines
      .filter(({ account }) => account === `${part}:${seller}`)
      .reduce((sum, { amountCents }: Line) => sum + (isAsset ? amountCents : 0 - amountCents), 0)
  const row = await trx
    .updateTable('seller_balances')
    .set({
      held_cents: sql<number>`held_cents + ${moved('seller_held')}`,
      due_cents: sql<number>`due_cents + ${moved('seller_due')}`,
      reserved_cents: sql<number>`reserved_cents + ${moved('seller_reserve')}`,
      paying_cents: sql<number>`paying_cents + ${moved('seller_paying')}`,
      owed_cents: sql<number>`owed_cents + ${moved('seller_owes', true)}`,
      connected_cents: sql<number>`connected_cents + ${moved('seller_connected', true)}`,
    })
    .where('seller_id', '=', seller)
    .where('currency', '=', entry.lines[0]!.currency)
    .returning([sql<number>`old.owed_cents`.as('before'), sql<number>`new.owed_cents`.as('after')])
    .executeTakeFirst()
  if (row && row.before !== row.after) await followDebt(trx, seller, entry.lines[0]!.currency, row)
  return true
}
