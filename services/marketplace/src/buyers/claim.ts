import type { KitDb } from '@operon/kit/schema'
import { sql, type Transaction } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'

const AT_ONCE = 500

/** A guest's orders go to the account whose owner has proven their address. Their links go on working. */
export async function claimOrders(trx: Transaction<MarketplaceDb & KitDb>, userId: string, email: string): Promise<number> {
  let claimed = 0
  for (let count = AT_ONCE; count === AT_ONCE; claimed += count) {
    const { rows } = await sql<{ id: string }>`
      update orders set buyer_id = ${userId}, claimed_at = now() where id in (
        select id from orders where buyer_id is null and lower(email) = ${email} and state <> 'open' order by id limit ${AT_ONCE} for update)
      returning id`.execute(trx)
    count = rows.length
    const ids = rows.map(({ id }) => id)
    if (!count) break
    for (const table of ['threads', 'reviews', 'refund_requests'] as const)
      await trx.updateTable(table).set({ buyer_id: userId }).where('order_id', 'in', ids).where('buyer_id', 'is', null).execute()
  }
  return claimed
}
