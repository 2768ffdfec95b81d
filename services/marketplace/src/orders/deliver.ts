import type { saleRefunded, saleSettled } from '@operon/contracts/billing/selling-events'
import type { Payload } from '@operon/contracts/contract'
import { orderDelivered } from '@operon/contracts/marketplace/events'
import { receiptLetter } from '@operon/contracts/marketplace/orders'
import type { KitDb } from '@operon/kit/schema'
import { enqueue, publish } from '@operon/kit/tx'
import { sql, type Transaction } from 'kysely'
import { issueKey } from '../licences/keys.ts'
import type { MarketplaceDb } from '../schema.ts'

type Vault = Parameters<typeof issueKey>[1]
type Trx = Transaction<MarketplaceDb & KitDb>
type Sale = Omit<Payload<typeof saleSettled>, 'email' | 'tax_cents' | 'share_cents' | 'lines'>

/** Paid: delivered once, unless all of it went back meanwhile. The two events may come in either order. */
export async function deliver(trx: Trx, vault: Vault, sale: Payload<typeof saleSettled>): Promise<void> {
  await keepRefunded(trx, sale)
  // Named with its table: the profile has an address as well.
  const owner = sql<string | null>`(
    select p.user_id from profiles p where p.email = lower(coalesce(orders.email, ${sale.email})) and p.deleted_at is null limit 1)`
  const delivered = await trx
    .updateTable('orders')
    .set({
      state: 'delivered',
      delivered_at: sql`now()`,
      tax_cents: sale.tax_cents,
      email: sql`coalesce(email, ${sale.email})`,
      // A guest's order goes to the account that has proven the address, where there is one.
      buyer_id: sql`coalesce(buyer_id, ${owner})`,
      claimed_at: sql`case when buyer_id is null and ${owner} is not null then now() end`,
    })
    .where('id', '=', sale.reference)
    .where('seller_id', '=', sale.seller_id)
    .where('state', '=', 'open')
    .returning(['id', 'seller_id'])
    .executeTakeFirst()
  if (!delivered) return
  await issueKeys(trx, vault, delivered)
  await publish(trx, orderDelivered, delivered.seller_id, { kind: 'product', reference: delivered.id, seller_id: delivered.seller_id })
  await enqueue(trx, receiptLetter, { order_id: delivered.id })
}

async function issueKeys(trx: Trx, vault: Vault, order: { id: string; seller_id: string }): Promise<void> {
  const lines = await trx
    .selectFrom('order_lines')
    .select(['item_id', 'version_id'])
    .where('order_id', '=', order.id)
    .orderBy('position')
    .execute()
  for (const line of lines) await issueKey(trx, vault, { ...line, order_id: order.id, seller_id: order.seller_id })
}

/** A fully refunded order is no longer the buyer's, whether or not it was delivered. Reviews stay and say so. */
export async function takeBack(trx: Trx, sale: Payload<typeof saleRefunded>): Promise<void> {
  await keepRefunded(trx, sale)
}

async function keepRefunded(trx: Trx, { reference, seller_id, sale_id, version, refunded_cents, amount_cents }: Sale) {
  const order = await trx
    .updateTable('orders')
    .set({
      refunded_cents,
      sale_id,
      sale_version: version,
      // All that was paid, tax included: what the order came to without it may be less.
      paid_cents: amount_cents,
      state: sql`case when ${refunded_cents}::int >= ${amount_cents}::int then 'refunded' else state end`,
    })
    .where('id', '=', reference)
    .where('seller_id', '=', seller_id)
    .where('sale_version', '<', version)
    .returning(['id', 'state'])
    .executeTakeFirst()
  if (order?.state !== 'refunded') return
  await trx.updateTable('reviews').set({ refunded: true }).where('order_id', '=', order.id).where('refunded', '=', false).execute()
  await trx
    .updateTable('refund_requests')
    .set({ state: 'refunded', decided_at: sql`coalesce(decided_at, now())`, decided_by: sql`coalesce(decided_by, 'seller')` })
    .where('order_id', '=', order.id)
    .where('state', '<>', 'refunded')
    .execute()
}
