import { type Ctx, userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { Vault } from '@operon/kit/vault'
import type { Selectable } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'
import { hashOf, orderOfToken } from './links.ts'

export type OrderRow = Selectable<MarketplaceDb['orders']>
/** An order is named by the token of its link, or by its id where it is the caller's own. */
export type OrderRef = { token?: string | undefined; order_id?: string | undefined }

export async function orderOf(vault: Vault, { db, actor }: Ctx<MarketplaceDb>, { token, order_id }: OrderRef): Promise<OrderRow> {
  const orders = db.selectFrom('orders').selectAll()
  const userId = userIdOf(actor)
  const found = token
    ? await byToken(vault, orders, token)
    : order_id && userId
      ? await orders.where('id', '=', order_id).where('buyer_id', '=', userId).executeTakeFirst()
      : undefined
  if (!found) throw new DomainError('not_found')
  return found
}

type Orders = ReturnType<typeof selectOrders>
const selectOrders = (db: Ctx<MarketplaceDb>['db']) => db.selectFrom('orders').selectAll()

function byToken(vault: Vault, orders: Orders, token: string) {
  const id = orderOfToken(vault, token)
  // Links of the version before are kept as a hash alone.
  return (id ? orders.where('id', '=', id) : orders.where('token_hash', '=', hashOf(token))).executeTakeFirst()
}

/** A full refund ends the buyer's right to the files. A partial one changes nothing. */
export const isOwned = ({ state }: OrderRow) => state === 'delivered'
