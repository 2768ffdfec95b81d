import type { saleRefunded, saleSettled } from '@operon/contracts/billing/selling-events'
import type { Payload } from '@operon/contracts/contract'
import { orderDelivered } from '@operon/contracts/marketplace/events'
import type { KitDb } from '@operon/kit/schema'
import { publish } from '@operon/kit/tx'
import { sql, type Transaction } from 'kysely'
import { issueKey } from '../licences/keys.ts'
import type { MarketplaceDb } from '../schema.ts'

type Vault = Parameters<typeof issueKey>[1]
type Trx = Transaction<MarketplaceDb & KitDb>

/** Paid: delivered once, unless all of it went back meanwhile. The two events may come in either order. */
export async function deliver(trx: Trx, vault: Vault, sale: Payload<typeof saleSettled>): Promise<void> {
  await keepRefunded(trx, sale)
  const delivered = await trx
    .updateTable('orders')
    .set({ state: 'delivered', delivered_at: sql`now()`, email: sql`coalesce(email, ${sale.email})` })
    .where('id', '=', sale.reference)
    .where('seller_id', '=', sale.seller_id)
    .where('state', '=', 'open')
    .where(sql<boolean>`refunded_cents < amount_cents`)
    .returning(['id', 'seller_id', 'item_id', 'version_id'])
    .executeTakeFirst()
  if (!delivered) return
  await issueKey(trx, vault, { ...delivered, order_id: delivered.id })
  await publish(trx, orderDelivered, delivered.seller_id, { kind: 'product', reference: delivered.id, seller_id: delivered.seller_id })
}

/** A fully refunded order is no longer the buyer's, whether or not it was delivered. */
export async function takeBack(trx: Trx, sale: Payload<typeof saleRefunded>): Promise<void> {
  await keepRefunded(trx, sale)
}

async function keepRefunded(
  trx: Trx,
  {
    reference,
    seller_id,
    version,
    refunded_cents,
  }: Pick<Payload<typeof saleSettled>, 'reference' | 'seller_id' | 'version' | 'refunded_cents'>,
) {
  await trx
    .updateTable('orders')
    .set({
      refunded_cents,
      sale_version: version,
      state: sql`case when ${refunded_cents}::int >= amount_cents then 'refunded' else state end`,
    })
    .where('id', '=', reference)
    .where('seller_id', '=', seller_id)
    .where('sale_version', '<', version)
    .execute()
}
