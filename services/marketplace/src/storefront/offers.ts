import type { StorefrontOffer } from '@operon/contracts/marketplace/storefront'
import type { Ctx } from '@operon/kit/context'
import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import { cursorOf, isAfter, microsOf } from '../places.ts'
import type { MarketplaceDb } from '../schema.ts'

type Db = Ctx<MarketplaceDb>['db']
export type Offer = z.output<typeof StorefrontOffer>
type Narrowed = { q: string; category: string; after: string }
type Listed = { offers: Offer[]; next: string | null }

const PAGE = 24
const CATEGORIES = 40
const listedAt = sql`coalesce(i.published_at, i.created_at)`

/** Newest first, and nothing else decides the order: no seller can buy a place. */
export async function listOffers(db: Db, { q, category, after }: Narrowed, userId?: string, size = PAGE): Promise<Listed> {
  const words = wordsOf(q)
  const from = isAfter(after, listedAt, sql`i.id`)
  const narrowed: RawBuilder<unknown>[] = [sql`i.is_active`, sql`p.deleted_at is null`, sql`p.marketplace_slug is not null`]
  if (userId) narrowed.push(sql`i.user_id = ${userId}`)
  if (category) narrowed.push(sql`i.category = ${category}`)
  if (words) narrowed.push(sql`i.words @@ to_tsquery('simple', ${words})`)
  if (from) narrowed.push(from)
  const { rows } = await sql<Row>`
    select ${columns}, ${microsOf(listedAt)} as at from items i join profiles p on p.user_id = i.user_id
    where ${sql.join(narrowed, sql` and `)} order by ${listedAt} desc, i.id desc limit ${size + 1}`.execute(db)
  const last = rows.length > size ? rows[size - 1] : undefined
  return {
    offers: rows.slice(0, size).map(offerOf),
    next: last ? cursorOf(last) : null,
  }
}

/** Products that went on sale since then, newest first. */
export async function newOffers(db: Db, { q, category }: Pick<Narrowed, 'q' | 'category'>, since: Date, size: number): Promise<Offer[]> {
  const words = wordsOf(q)
  const narrowed: RawBuilder<unknown>[] = [
    sql`i.is_active`,
    sql`p.deleted_at is null`,
    sql`p.marketplace_slug is not null`,
    sql`${listedAt} > ${since}`,
  ]
  if (category) narrowed.push(sql`i.category = ${category}`)
  if (words) narrowed.push(sql`i.words @@ to_tsquery('simple', ${words})`)
  const { rows } = await sql<Row>`
    select ${columns}, ${listedAt}::text as at from items i join profiles p on p.user_id = i.user_id
    where ${sql.join(narrowed, sql` and `)} order by ${listedAt} desc, i.id desc limit ${size}`.execute(db)
  return rows.map(offerOf)
}

/** From one category to the next by the index, so that it costs as many steps as there are categories and not as there are products. */
export async function listCategories(db: Db): Promise<string[]> {
  const { rows } = await sql<{ category: string }>`
    with recursive known as (
      (select category, 1 as n from items where is_active order by category limit 1)
      union all
      select (select i.category from items i where i.is_active and i.category > known.category order by i.category limit 1), n + 1
      from known where known.category is not null and n < ${CATEGORIES}
    )
    select category from known where category is not null`.execute(db)
  return rows.map(({ category }) => category)
}

const MOST_COUNTED = 1_000
/** Of one seller: how many are on sale and in which categories, of the newest thousand. */
export async function summaryOf(db: Db, userId: string): Promise<{ total: number; categories: string[] }> {
  const { rows } = await sql<{ category: string; count: number }>`
    select category, count(*)::int as count from (
      select i.category from items i where i.is_active and i.user_id = ${userId} order by ${listedAt} desc, i.id desc limit ${MOST_COUNTED}
    ) newest group by category order by category`.execute(db)
  return { total: rows.reduce((sum, { count }) => sum + count, 0), categories: rows.slice(0, CATEGORIES).map(({ category }) => category) }
}

export type Row = Omit<Offer, 'key' | 'seller' | 'picture' | 'rating'> & {
  rating_sum: number
  rating_count: number
  business_name: string
  slug: string | null
  image_ids: string[]
  seller_slug: string
  seller_name: string | null
  at: string
}

/** The price is that of the version on sale, which a checkout charges. */
export const columns = sql`i.id, i.slug, i.title, case when i.summary = '' then left(i.description, 300) else i.summary end as summary,
  i.category, i.item_type,
  coalesce((select v.price_cents from item_versions v where v.id = i.current_version_id), i.price_cents) as price_cents,
  coalesce((select v.currency from item_versions v where v.id = i.current_version_id), i.currency) as currency,
  i.image_ids, i.rating_sum, i.rating_count, p.marketplace_slug as seller_slug, p.display_name as seller_name, p.business_name`

export function offerOf({ slug, seller_slug, seller_name, business_name, image_ids, rating_sum, rating_count, at: _, ...row }: Row): Offer {
  const seller = { slug: seller_slug, name: nameOf({ business_name, display_name: seller_name, slug: seller_slug }) }
  const rating = rating_count ? { mean: Math.round((rating_sum / rating_count) * 10) / 10, count: rating_count } : null
  return { ...row, key: slug ?? row.id, seller, rating, picture: image_ids[0] ? pictureAt(image_ids[0]) : null }
}
/** The name of a seller's business, or their own name. */
export const nameOf = ({ business_name, display_name, slug }: { business_name: string; display_name: string | null; slug: string }) =>
  business_name || display_name || slug
export const pictureAt = (id: string) => `/files/v1/marketplace/~pictures/${id}`

/** Each word as the beginning of one; signs mean nothing. */
export function wordsOf(q: string): string {
  const words = q.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words
    .slice(0, 8)
    .map((word) => `${word}:*`)
    .join(' & ')
}
