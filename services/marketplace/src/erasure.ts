import { deleteRows, type Eraser } from '@operon/kit/erasure'
import { fileHoldings } from '@operon/kit/files/mount'
import { sql } from 'kysely'
import { forgetPerson } from './profiles/profiles.ts'
import type { MarketplaceDb } from './schema.ts'

/** The profile's row stays, empty, so that an event that arrives late brings nobody back. */
export const erasure: Eraser<MarketplaceDb> = {
  long: [{ table: 'items' }],
  async erase(trx, userId) {
    await forgetPerson(trx, userId)
    // What was sold stays for the other side of it, without the one who is gone.
    const bought = await trx.updateTable('orders').set({ buyer_id: null, email: null }).where('buyer_id', '=', userId).executeTakeFirst()
    return {
      deleted: await deleteRows(trx, ['left_slugs', 'left_item_slugs', 'items'], userId),
      anonymised: { profiles: 1, orders: Number(bought.numUpdatedRows) },
      kept: { orders: 'What was sold is the buyer’s as well: title, price and state, under a number that leads to no person any more.' },
    }
  },
  holds: [
    { table: 'profiles', key: null },
    { table: 'items' },
    { table: 'item_versions', of: (userId) => sql`t.item_id in (select id from items where user_id = ${userId})` },
    {
      table: 'version_files',
      key: 'file_id',
      of: (userId) => sql`t.version_id in (select v.id from item_versions v join items i on i.id = v.item_id where i.user_id = ${userId})`,
    },
    { table: 'left_slugs', key: 'slug' },
    { table: 'left_item_slugs', key: 'item_id' },
    ...fileHoldings,
    { table: 'orders', as: 'orders', of: (userId) => sql`t.buyer_id = ${userId}`, without: ['token_hash', 'seller_id'] },
    { table: 'orders', as: 'sold', of: (userId) => sql`t.seller_id = ${userId}`, without: ['token_hash', 'buyer_id', 'email'] },
  ],
}
