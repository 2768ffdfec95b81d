import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/products'
import type { ProductRow } from '@operon/contracts/marketplace/products'
import { type Ctx, signedIn } from '@operon/kit/context'
import type { KitDb } from '@operon/kit/schema'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import { cursorOf, isAfter, microsOf } from '../places.ts'
import type { MarketplaceDb } from '../schema.ts'
import { pictureAt } from '../storefront/offers.ts'

export type Db = Ctx<MarketplaceDb>['db']
type Listed = z.output<typeof ProductRow>

const PAGE = 50
const MOST_COUNTED = 1_000

/** Whether the next publication makes another version: price and terms are the item's, files and keys wait in a version of their own. */
export const isChanged = sql<boolean>`(i.status <> 'draft' and (
  exists (select from item_versions d where d.item_id = i.id and d.published_at is null)
  or exists (select from item_versions v where v.id = i.current_version_id
    and (v.price_cents, v.currency, v.licence_terms) is distinct from (i.price_cents, i.currency, i.licence_terms))))`

/** Unread messages about each product; an order of several counts under its first. */
const waitingOf = (userId: string) => sql`
  waiting as (
    select item_id, sum(seller_unread)::int as messages from (
      select item_id, seller_unread from threads where seller_id = ${userId} and seller_unread > 0
      order by last_at desc, id desc limit ${MOST_COUNTED}
    ) newest group by item_id
  )`

const listedColumns = sql`
  i.id, i.title as name, left(i.description, 300) as description, i.category, i.price_cents, i.currency, i.kind, i.item_type, i.status,
  i.image_ids, i.rating_sum, i.rating_count, i.suspended_at is not null as suspended, i.updated_at, i.slug, i.is_active,
  ${isChanged} as changed,
  coalesce((select s.sales from item_sales s where s.item_id = i.id), 0) as sales,
  coalesce((select w.messages from waiting w where w.item_id = i.id), 0) as messages,
  (select p.marketplace_slug from profiles p where p.user_id = i.user_id) as seller_slug`

type ListedRow = Omit<Listed, 'price' | 'rating' | 'image' | 'path' | 'updated_at'> & {
  image_ids: string[]
  rating_sum: number
  rating_count: number
  updated_at: Date
  slug: string | null
  is_active: boolean
  seller_slug: string | null
}

export function rowOf({ image_ids, rating_sum, rating_count, updated_at, slug, is_active, seller_slug, ...row }: ListedRow): Listed {
  return {
    ...row,
    price: row.price_cents / 100,
    rating: rating_count ? Math.round((rating_sum / rating_count) * 10) / 10 : null,
    image: is_active && image_ids[0] ? pictureAt(image_ids[0]) : null,
    path: is_active && seller_slug ? `/marketplace/${seller_slug}/${slug ?? row.id}` : null,
    updated_at: updated_at.toISOString(),
  }
}

export async function listProducts(
  ctx: Ctx<MarketplaceDb>,
  { status, q, after }: Input<typeof contract.listProducts>,
): Promise<Output<typeof contract.listProducts>> {
  const { id: userId } = signedIn(ctx)
  const from = isAfter(after, sql`i.updated_at`, sql`i.id`)
  const narrowed = [sql`i.user_id = ${userId}`]
  if (status) narrowed.push(sql`i.status = ${status}`)
  if (from) narrowed.push(from)
  const among = sql.join(narrowed, sql` and `)
  const page = q ? withWord(among, q.toLowerCase()) : sql`select i.id from items i where ${among} ${newest} limit ${PAGE + 1}`
  const [{ rows }, counts] = await Promise.all([
    sql<ListedRow & { at: string }>`
      with ${waitingOf(userId)}, page as materialized (${page})
      select ${listedColumns}, ${microsOf(sql`i.updated_at`)} as at from page join items i using (id) ${newest} limit ${PAGE + 1}`.execute(
      ctx.db,
    ),
    countsOf(ctx.db, userId),
  ])
  const last = rows.length > PAGE ? rows[PAGE - 1] : undefined
  return {
    products: rows.slice(0, PAGE).map(({ at: _, ...row }) => rowOf(row)),
    next: last ? cursorOf(last) : null,
    counts,
  }
}

const newest = sql`order by i.updated_at desc, i.id desc`
/**
 * So many are looked through before the index of all is asked: a word that stands in everything must not read everything. One or two letters are
 * looked for among these alone, since the index knows parts of words from three letters on.
 */
const LATELY = 2_000

function withWord(among: RawBuilder<unknown>, word: string) {
  const like = sql`lower(i.title) like ${`%${word.replace(/[\\%_]/g, '\\$&')}%`}`
  const lately = sql`
    select i.id from (select i.* from items i where ${among} ${newest} limit ${LATELY}) i where ${like} ${newest} limit ${PAGE + 1}`
  if (word.length < 3) return lately
  return sql`
    with lately as materialized (${lately}),
    ever as materialized (select i.id, i.updated_at from items i where (select count(*) from lately) <= ${PAGE} and ${among} and ${like})
    select id from lately union (select i.id from ever i ${newest} limit ${PAGE + 1})`
}

export async function bestProducts(db: Db, userId: string, ids: string[]): Promise<Listed[]> {
  if (!ids.length) return []
  const { rows } =
    await sql<ListedRow>`with ${waitingOf(userId)} select ${listedColumns} from items i where i.user_id = ${userId} and i.id = any(${ids}::uuid[])`.execute(
      db,
    )
  return ids.flatMap((id) => rows.filter((row) => row.id === id)).map(rowOf)
}

export async function countsOf(db: Kysely<MarketplaceDb & KitDb>, userId: string) {
  const counts = await db.selectFrom('item_counts').select(['draft', 'active', 'archived']).where('user_id', '=', userId).executeTakeFirst()
  return counts ?? { draft: 0, active: 0, archived: 0 }
}
