import { deleteRows, type Eraser } from '@operon/kit/erasure'
import { fileHoldings } from '@operon/kit/files/mount'
import { WHOLE_ROW } from '@operon/kit/personal-data'
import { type SqlBool, sql } from 'kysely'
import { soldItem, soldVersion } from './items/kept.ts'
import { forgetPerson } from './profiles/profiles.ts'
import type { MarketplaceDb } from './schema.ts'

const GONE = 'Deleted with the account.'
const bought = (userId: string) => sql<SqlBool>`buyer_id = ${userId}`
const sold = (userId: string) => sql<SqlBool>`seller_id = ${userId}`
const written = (userId: string) => sql<SqlBool>`
  side = 'buyer' and thread_id in (select id from threads where buyer_id = ${userId})
  or side = 'seller' and thread_id in (select id from threads where seller_id = ${userId})`

/** The profile's row stays, empty, so that an event that arrives late brings nobody back. */
export const erasure: Eraser<MarketplaceDb> = {
  long: [
    { table: 'items', where: sql`not ${soldItem}` },
    // Of a product that was sold, its title and the versions that were bought stay, and nothing of it is on sale or on a page.
    {
      table: 'items',
      where: sql`(status, description, summary, image_ids) is distinct from ('archived', '', '', '{}'::uuid[])
        or coalesce(current_version_id::text, slug, suspended_because) is not null`,
      set: sql`status = 'archived', description = '', summary = '', image_ids = '{}', current_version_id = null, slug = null, suspended_because = null`,
    },
    {
      table: 'item_versions',
      of: (userId) => sql`item_id in (select id from items where user_id = ${userId})`,
      where: sql`not ${soldVersion}`,
    },
    // The person's words go. That they wrote stays, for the other side and for the sums.
    { table: 'thread_messages', of: written, where: sql`text <> ${GONE}`, set: sql`text = ${GONE}` },
    { table: 'threads', of: sold, where: sql`last_from = 'seller' and preview <> ${GONE}`, set: sql`preview = ${GONE}` },
    {
      table: 'threads',
      of: bought,
      set: sql`preview = case when last_from = 'buyer' then ${GONE} else preview end, buyer_id = null, email = null`,
    },
    { table: 'reviews', of: sold, where: sql`answer is not null`, set: sql`answer = null, answered_at = null` },
    { table: 'reviews', of: bought, set: sql`buyer_id = null, name = 'Verified buyer', text = '', photo_ids = '{}'` },
    { table: 'refund_requests', of: bought, set: sql`buyer_id = null, text = ''` },
    // Sales stay for the other party, without the person who is gone.
    { table: 'orders', of: bought, set: sql`buyer_id = null, email = null` },
    { table: 'reports', of: (userId) => sql`reporter_id = ${userId}`, set: sql`reporter_id = null` },
    ...['coupons', 'item_sales', 'item_days'].map((table) => ({ table, of: sold })),
    ...['left_slugs', 'left_item_slugs'].map((table) => ({ table })),
  ],
  async erase(trx, userId) {
    await forgetPerson(trx, userId)
    return {
      deleted: {
        ...(await deleteRows(trx, ['left_slugs', 'left_item_slugs', 'wishlist', 'saved_searches', 'item_counts'], userId)),
        seller_sales: await deleted(trx.deleteFrom('seller_sales').where('seller_id', '=', userId)),
      },
      anonymised: { profiles: 1 },
      kept: {
        reviews: 'The stars of a review stay in the mean of its product, without words and name.',
        threads: 'That there was a conversation, for the other side of it, without what was written by the one who is gone.',
        orders: 'Sold orders belong to the buyer as well: title, price and state, under a number that leads to no person any more.',
        version_files: 'Buyers go on downloading what they bought.',
        moderation_actions: 'Decisions of staff about products, under a number that leads to no person any more.',
        license_keys: 'Buyers go on using what they bought.',
      },
    }
  },
  holds: [
    { table: 'profiles', key: null },
    { table: 'items' },
    { table: 'item_versions', of: (userId) => sql`t.item_id in (select id from items where user_id = ${userId})` },
    {
      table: 'version_files',
      key: WHOLE_ROW,
      of: (userId) => sql`t.version_id in (select v.id from item_versions v join items i on i.id = v.item_id where i.user_id = ${userId})`,
    },
    { table: 'order_lines', key: WHOLE_ROW, of: (userId) => sql`t.order_id in (select id from orders where buyer_id = ${userId})` },
    { table: 'threads', as: 'threads', of: (userId) => sql`t.buyer_id = ${userId}`, without: ['seller_id'] },
    { table: 'threads', as: 'threads_of_seller', of: (userId) => sql`t.seller_id = ${userId}`, without: ['buyer_id', 'email'] },
    {
      table: 'thread_messages',
      of: (userId) => sql`t.thread_id in (select id from threads where buyer_id = ${userId} or seller_id = ${userId})`,
      without: ['mail_id'],
    },
    {
      table: 'message_files',
      key: WHOLE_ROW,
      of: (userId) => sql`t.file_id in (select id from files where user_id = ${userId})`,
    },
    { table: 'reviews', as: 'reviews', of: (userId) => sql`t.buyer_id = ${userId}`, without: ['seller_id'] },
    { table: 'reviews', as: 'reviews_of_seller', of: (userId) => sql`t.seller_id = ${userId}`, without: ['buyer_id'] },
    { table: 'refund_requests', as: 'refund_requests', of: (userId) => sql`t.buyer_id = ${userId}`, without: ['seller_id'] },
    { table: 'refund_requests', as: 'refund_requests_of_seller', of: (userId) => sql`t.seller_id = ${userId}`, without: ['buyer_id'] },
    { table: 'wishlist', key: 'item_id' },
    { table: 'saved_searches' },
    { table: 'left_slugs', key: WHOLE_ROW },
    { table: 'left_item_slugs', key: WHOLE_ROW },
    { table: 'coupons', of: (userId) => sql`t.seller_id = ${userId}` },
    { table: 'license_keys', of: (userId) => sql`t.seller_id = ${userId}`, without: ['key_hash', 'sealed'] },
    {
      table: 'activations',
      key: WHOLE_ROW,
      of: (userId) => sql`t.key_id in (select id from license_keys where seller_id = ${userId})`,
      without: ['machine_hash'],
    },
    { table: 'item_counts', key: null },
    { table: 'item_sales', key: 'item_id', of: (userId) => sql`t.seller_id = ${userId}` },
    { table: 'item_days', key: WHOLE_ROW, of: (userId) => sql`t.seller_id = ${userId}` },
    { table: 'seller_sales', key: null, of: (userId) => sql`t.seller_id = ${userId}` },
    {
      table: 'item_views',
      key: WHOLE_ROW,
      of: (userId) => sql`t.item_id in (select id from items where user_id = ${userId})`,
    },
    { table: 'reports', of: (userId) => sql`t.reporter_id = ${userId}` },
    { table: 'moderation_actions', of: (userId) => sql`t.seller_id = ${userId}`, without: ['staff_id'] },
    ...fileHoldings,
    { table: 'orders', as: 'orders', of: (userId) => sql`t.buyer_id = ${userId}`, without: ['token_hash', 'seller_id'] },
    { table: 'orders', as: 'sold', of: (userId) => sql`t.seller_id = ${userId}`, without: ['token_hash', 'buyer_id', 'email'] },
  ],
}

const deleted = async (query: { executeTakeFirst(): Promise<{ numDeletedRows: bigint }> }) =>
  Number((await query.executeTakeFirst()).numDeletedRows)
