import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/reviews'
import { itemReviewed } from '@operon/contracts/marketplace/reviews'
import { scanFile } from '@operon/contracts/marketplace/trust'
import { type Ctx, signedIn, userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { isUuid, newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Runtime } from '@operon/kit/service'
import { enqueue, inTransaction, publish } from '@operon/kit/tx'
import { type Selectable, sql, type Transaction } from 'kysely'
import type { Config } from '../config.ts'
import { orderOf } from '../orders/access.ts'
import type { MarketplaceDb } from '../schema.ts'
import { pictureAt } from '../storefront/offers.ts'
import { isShown } from '../storefront/pictures.ts'

type Trx = Transaction<MarketplaceDb & KitDb>
type Row = Selectable<MarketplaceDb['reviews']>
const PAGE = 20

const reviewJson = ({ id, item_id, rating, text, name, created_at, refunded, photo_ids, answer, answered_at }: Row) => ({
  ...{ id, item_id, rating, text, name, refunded, answer },
  at: created_at.toISOString(),
  photos: photo_ids.map(pictureAt),
  answered_at: answered_at?.toISOString() ?? null,
})

export async function itemReviews(
  { db }: Ctx<MarketplaceDb>,
  { item_id, cursor }: Input<typeof contract.itemReviews>,
): Promise<Output<typeof contract.itemReviews>> {
  const item = await db
    .selectFrom('items')
    .select(['rating_sum', 'rating_count'])
    .where('id', '=', item_id)
    .where('is_active', '=', true)
    .executeTakeFirst()
  if (!item) throw new DomainError('not_found')
  const rows = await db
    .selectFrom('reviews')
    .selectAll()
    .where('item_id', '=', item_id)
    .where('hidden_at', 'is', null)
    .$if(cursor !== undefined, (query) => query.where('id', '<', placeOf(cursor!)))
    .orderBy('id', 'desc')
    .limit(PAGE + 1)
    .execute()
  const { rows: stars } = await sql<{ rating: number; count: number }>`
    select rating, count(*)::int as count from (
      select rating from reviews where item_id = ${item_id} and hidden_at is null order by id desc limit 1000) newest group by rating`.execute(
    db,
  )
  return {
    rating: {
      ...ratingOf(item),
      stars: [1, 2, 3, 4, 5].map((rating) => stars.find((each) => each.rating === rating)?.count ?? 0),
    },
    reviews: rows.slice(0, PAGE).map(reviewJson),
    cursor: rows.length > PAGE ? rows[PAGE - 1]!.id : null,
  }
}

const ratingOf = ({ rating_sum, rating_count }: { rating_sum: number; rating_count: number }) => ({
  mean: rating_count ? Math.round((rating_sum / rating_count) * 10) / 10 : null,
  count: rating_count,
})

function placeOf(cursor: string): string {
  if (!isUuid(cursor)) throw new DomainError('invalid', { message: 'This cursor is not from here.' })
  return cursor
}

/** The purchase stands in the statement that writes: a paid order of this product, not given back, by somebody else than its seller. */
export const writeReview =
  ({ vault }: Pick<Runtime<MarketplaceDb, Config>, 'vault'>) =>
  async (
    ctx: Ctx<MarketplaceDb>,
    { item_id, rating, text, name, photo_ids, ...ref }: Input<typeof contract.writeReview>,
  ): Promise<Output<typeof contract.writeReview>> => {
    const order = await orderOf(vault, ctx, ref)
    const author = userIdOf(ctx.actor)
    return inTransaction(ctx.db, async (trx) => {
      await refuseOtherPhotos(trx, photo_ids, author)
      // The product before the review, everywhere: its sums follow.
      await trx.selectFrom('items').select('id').where('id', '=', item_id).forUpdate().execute()
      const before = await trx
        .selectFrom('reviews')
        .select(['rating', 'hidden_at'])
        .where('order_id', '=', order.id)
        .where('item_id', '=', item_id)
        .executeTakeFirst()
      const { rows } = await sql<Row>`
        insert into reviews (id, order_id, item_id, seller_id, buyer_id, title, name, rating, text, photo_ids)
        select ${newId()}, o.id, l.item_id, o.seller_id, o.buyer_id, l.title, ${name || 'Verified buyer'}, ${rating}, ${text}, ${photo_ids}::uuid[]
        from orders o join order_lines l on l.order_id = o.id and l.item_id = ${item_id}
        where o.id = ${order.id} and o.state = 'delivered' and o.buyer_id is distinct from o.seller_id
          and not exists (select from profiles p where p.user_id = o.seller_id and p.email = lower(o.email))
          and ${author}::uuid is distinct from o.seller_id
        on conflict (order_id, item_id) do update set name = excluded.name, rating = excluded.rating, text = excluded.text, photo_ids = excluded.photo_ids
        returning *`.execute(trx)
      const [review] = rows
      if (!review) throw new DomainError('review_needs_purchase')
      if (!review.hidden_at) await count(trx, item_id, rating - (before?.rating ?? 0), before ? 0 : 1)
      if (!before) {
        const { id: review_id, title, name: signed } = review
        await publish(trx, itemReviewed, review.seller_id, { review_id, item_id, title, rating, name: signed, text })
      }
      return { review: reviewJson(review) }
    })
  }

/** Only pictures that the public page would show: the author's own, locked so that none is deleted meanwhile. */
async function refuseOtherPhotos(trx: Trx, ids: string[], author: string | null): Promise<void> {
  const wanted = [...new Set(ids)]
  if (!wanted.length) return
  const own = author
    ? await trx
        .selectFrom('files')
        .select(['id', 'type', 'bytes', 'scan'])
        .where('id', 'in', wanted)
        .where('user_id', '=', author)
        .where('state', '=', 'ready')
        .where('scan', '!=', 'infected')
        .forKeyShare()
        .execute()
    : []
  if (own.length !== wanted.length) throw new DomainError('attachment_unknown')
  if (!own.every(isShown)) throw new DomainError('photo_type')
  for (const { id, scan } of own) if (scan === 'none') await enqueue(trx, scanFile, { file_id: id })
}

const count = (trx: Trx, itemId: string, stars: number, reviews: number) =>
  trx
    .updateTable('items')
    .set({ rating_sum: sql`rating_sum + ${stars}`, rating_count: sql`rating_count + ${reviews}` })
    .where('id', '=', itemId)
    .execute()

export async function deleteReview(
  ctx: Ctx<MarketplaceDb>,
  { review_id }: Input<typeof contract.deleteReview>,
): Promise<Output<typeof contract.deleteReview>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const own = await trx
      .selectFrom('reviews')
      .select('item_id')
      .where('id', '=', review_id)
      .where('buyer_id', '=', userId)
      .executeTakeFirst()
    if (!own) throw new DomainError('not_found')
    await trx.selectFrom('items').select('id').where('id', '=', own.item_id).forUpdate().execute()
    const gone = await trx
      .deleteFrom('reviews')
      .where('id', '=', review_id)
      .where('buyer_id', '=', userId)
      .returningAll()
      .executeTakeFirst()
    if (gone && !gone.hidden_at) await count(trx, gone.item_id, -gone.rating, -1)
    return { deleted: gone !== undefined }
  })
}

export async function myReviews(
  ctx: Ctx<MarketplaceDb>,
  { cursor }: Input<typeof contract.myReviews>,
): Promise<Output<typeof contract.myReviews>> {
  const rows = await ctx.db
    .selectFrom('reviews as r')
    .leftJoin('items as i', (join) => join.onRef('i.id', '=', 'r.item_id').on('i.is_active', '=', true))
    .leftJoin('profiles as p', 'p.user_id', 'i.user_id')
    .selectAll('r')
    .select(['i.id as on_sale', 'i.slug', 'p.marketplace_slug'])
    .where('r.buyer_id', '=', signedIn(ctx).id)
    .$if(cursor !== undefined, (query) => query.where('r.id', '<', placeOf(cursor!)))
    .orderBy('r.id', 'desc')
    .limit(PAGE + 1)
    .execute()
  return {
    reviews: rows.slice(0, PAGE).map((row) => ({
      ...{ ...reviewJson(row), title: row.title, order_id: row.order_id },
      product_path: row.on_sale && row.marketplace_slug ? `/marketplace/${row.marketplace_slug}/${row.slug ?? row.on_sale}` : null,
    })),
    cursor: rows.length > PAGE ? rows[PAGE - 1]!.id : null,
  }
}

export async function listReviews(
  ctx: Ctx<MarketplaceDb>,
  { unanswered, cursor }: Input<typeof contract.listReviews>,
): Promise<Output<typeof contract.listReviews>> {
  const rows = await ctx.db
    .selectFrom('reviews')
    .selectAll()
    .where('seller_id', '=', signedIn(ctx).id)
    .$if(unanswered, (query) => query.where('answer', 'is', null))
    .$if(cursor !== undefined, (query) => query.where('id', '<', placeOf(cursor!)))
    .orderBy('id', 'desc')
    .limit(PAGE + 1)
    .execute()
  return {
    reviews: rows.slice(0, PAGE).map((row) => ({ ...reviewJson(row), title: row.title })),
    cursor: rows.length > PAGE ? rows[PAGE - 1]!.id : null,
  }
}

export async function answerReview(
  ctx: Ctx<MarketplaceDb>,
  { review_id, text }: Input<typeof contract.answerReview>,
): Promise<Output<typeof contract.answerReview>> {
  const review = await ctx.db
    .updateTable('reviews')
    .set(text ? { answer: text, answered_at: sql`now()` } : { answer: null, answered_at: null })
    .where('id', '=', review_id)
    .where('seller_id', '=', signedIn(ctx).id)
    .returningAll()
    .executeTakeFirst()
  if (!review) throw new DomainError('not_found')
  return { review: reviewJson(review) }
}
