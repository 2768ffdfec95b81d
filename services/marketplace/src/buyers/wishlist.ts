import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/buyers'
import { MOST_WISHES } from '@operon/contracts/marketplace/buyers'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { isUuid } from '@operon/kit/ids'
import { sql } from 'kysely'
import { hasUpdate } from '../orders/show.ts'
import type { MarketplaceDb } from '../schema.ts'
import { columns, offerOf, type Row } from '../storefront/offers.ts'
import { unreadOfBuyer } from '../threads/threads.ts'

const COUNTED = 1_000

export async function buyerOverview(ctx: Ctx<MarketplaceDb>): Promise<Output<typeof contract.buyerOverview>> {
  const { id: userId } = signedIn(ctx)
  const { rows } = await sql<Omit<Output<typeof contract.buyerOverview>, 'unread_messages'>>`
    select
      (select count(*) from (select from orders where buyer_id = ${userId} and state <> 'open' limit ${COUNTED}) few)::int as orders,
      (select count(*) from (select from wishlist where user_id = ${userId} limit ${COUNTED}) few)::int as wishlist,
      (select count(*) from (select from reviews where buyer_id = ${userId} limit ${COUNTED}) few)::int as reviews,
      (select count(*) from saved_searches where user_id = ${userId})::int as searches,
      (select count(*) from (
        select from (select * from orders where buyer_id = ${userId} order by id desc limit ${COUNTED}) o where ${hasUpdate}) few)::int as updates,
      exists (select from profiles where user_id = ${userId} and email is not null) as address_confirmed`.execute(ctx.db)
  return { ...rows[0]!, unread_messages: await unreadOfBuyer(ctx.db, userId) }
}

export async function saveItem(
  ctx: Ctx<MarketplaceDb>,
  { item_id, saved }: Input<typeof contract.saveItem>,
): Promise<Output<typeof contract.saveItem>> {
  const { id: userId } = signedIn(ctx)
  if (!saved) {
    await ctx.db.deleteFrom('wishlist').where('user_id', '=', userId).where('item_id', '=', item_id).execute()
    return { saved: false }
  }
  const { rows } = await sql<{ on_sale: boolean; has_room: boolean }>`
    with item as (select id from items where id = ${item_id} and is_active),
    room as (select count(*) < ${MOST_WISHES} as has from wishlist where user_id = ${userId}),
    made as (insert into wishlist (user_id, item_id) select ${userId}, id from item, room where room.has on conflict do nothing)
    select exists (select from item) as on_sale, has as has_room from room`.execute(ctx.db)
  if (!rows[0]!.on_sale) throw new DomainError('not_found')
  if (!rows[0]!.has_room) throw new DomainError('wishlist_full')
  return { saved: true }
}

export async function isSaved(
  ctx: Ctx<MarketplaceDb>,
  { item_id }: Input<typeof contract.isSaved>,
): Promise<Output<typeof contract.isSaved>> {
  const { id: userId } = signedIn(ctx)
  const { rows } = await sql<Output<typeof contract.isSaved>>`
    select exists (select from wishlist where user_id = ${userId} and item_id = ${item_id}) as saved,
      (select o.id from order_lines l join orders o on o.id = l.order_id
        where l.buyer_id = ${userId} and l.item_id = ${item_id} and o.state = 'delivered' order by l.order_id desc limit 1) as order_id`.execute(
    ctx.db,
  )
  return rows[0]!
}

const PAGE = 24
type Wish = Row & { saved_at: Date; place: string; is_active: boolean }
export async function myWishlist(
  ctx: Ctx<MarketplaceDb>,
  { cursor }: Input<typeof contract.myWishlist>,
): Promise<Output<typeof contract.myWishlist>> {
  const { id: userId } = signedIn(ctx)
  const { rows } = await sql<Wish>`
    select ${columns}, ''::text as at, w.created_at as saved_at, w.created_at::text as place, i.is_active and p.marketplace_slug is not null as is_active
    from wishlist w join items i on i.id = w.item_id left join profiles p on p.user_id = i.user_id and p.deleted_at is null
    where w.user_id = ${userId} ${cursor ? placeAfter(cursor) : sql``}
    order by w.created_at desc, w.item_id desc limit ${PAGE + 1}`.execute(ctx.db)
  const last = rows.length > PAGE ? rows[PAGE - 1]! : null
  return {
    wishes: rows.slice(0, PAGE).map(({ saved_at, place: _, is_active, ...row }) => ({
      ...{ item_id: row.id, title: row.title, saved_at: saved_at.toISOString() },
      offer: is_active ? offerOf(row) : null,
    })),
    cursor: last && Buffer.from(`${last.place}|${last.id}`).toString('base64url'),
  }
}

function placeAfter(cursor: string) {
  const [at, id] = Buffer.from(cursor, 'base64url').toString().split('|')
  if (!at || !/^\d{4}-[\d-]+ [\d:.]+[+-]\d\d(:\d\d)?$/.test(at) || !isUuid(id))
    throw new DomainError('invalid', { message: 'This cursor is not from here.' })
  return sql`and (w.created_at, w.item_id) < (${at}::timestamptz, ${id}::uuid)`
}
