import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/api'
import { tellOfVersion } from '@operon/contracts/marketplace/orders'
import type * as products from '@operon/contracts/marketplace/products'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { ensureSlug } from '../profiles/slug.ts'
import type { MarketplaceDb } from '../schema.ts'
import { copyPictures } from '../storefront/copies.ts'
import { countsOf } from './listed.ts'

type Item = Selectable<MarketplaceDb['items']>
type Trx = Transaction<MarketplaceDb & KitDb>

export async function createProduct(
  { db, actor }: Ctx<MarketplaceDb>,
  { title, description, price_cents, currency, category, item_type, kind }: Input<typeof contract.createProduct>,
): Promise<Output<typeof contract.createProduct>> {
  const { id: user_id } = signedIn({ actor } as Ctx)
  await mayAddProduct(db, user_id)
  const item = { id: newId(), user_id, title, description, price_cents, currency, category, item_type, kind }
  await db
    .insertInto('items')
    .values({ ...item, is_active: false })
    .execute()
  return { item_id: item.id }
}

const MOST = 10_000

export async function mayAddProduct(db: Kysely<MarketplaceDb & KitDb>, userId: string): Promise<void> {
  const { draft, active, archived } = await countsOf(db, userId)
  if (draft + active + archived >= MOST) throw new DomainError('too_many_products')
}

export type Scans = { scansFiles: boolean }

export const publishProduct =
  (publicUrl: string, scans: Scans) =>
  async (ctx: Ctx<MarketplaceDb>, { item_id }: Input<typeof contract.publishProduct>): Promise<Output<typeof contract.publishProduct>> => {
    const { id: userId } = signedIn(ctx)
    return inTransaction(ctx.db, async (trx) => {
      const item = await ownItem(trx, userId, item_id)
      const [missing] = await missingOf(trx, item, scans)
      if (missing) throw new DomainError('product_incomplete', { message: missing })
      const slug = await publish(trx, item)
      return { url: `${publicUrl}/marketplace/${await ensureSlug(trx, userId)}/${slug}` }
    })
  }

/** A product on sale costs the new price at once; a draft when it is published. */
export async function changeProductPrice(
  ctx: Ctx<MarketplaceDb>,
  { item_id, price_cents }: Input<typeof products.changeProductPrice>,
): Promise<Output<typeof products.changeProductPrice>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const item = { ...(await ownItem(trx, userId, item_id)), price_cents }
    await trx.updateTable('items').set({ price_cents, updated_at: sql`clock_timestamp()` }).where('id', '=', item.id).execute()
    if (item.status === 'active') await priceVersion(trx, item)
    return { item_id: item.id, price_cents, currency: item.currency, on_sale: item.is_active }
  })
}

/** Each by itself: one that is not complete holds nobody up. */
export const moveProducts =
  (scans: Scans) =>
  async (ctx: Ctx<MarketplaceDb>, { item_ids, to }: Input<typeof products.moveProducts>): Promise<Output<typeof products.moveProducts>> => {
    const { id: userId } = signedIn(ctx)
    return inTransaction(ctx.db, async (trx) => {
      const items = await trx
        .selectFrom('items')
        .selectAll()
        .where('id', 'in', item_ids)
        .where('user_id', '=', userId)
        .orderBy('id')
        .forUpdate()
        .execute()
      const answer: Output<typeof products.moveProducts> = { moved: [], refused: [] }
      for (const item of items) {
        const reason = await move(trx, item, to, scans)
        if (reason) answer.refused.push({ item_id: item.id, reason })
        else answer.moved.push(item.id)
      }
      if (to !== 'archive' && answer.moved.length) await ensureSlug(trx, userId)
      return answer
    })
  }

async function move(trx: Trx, item: Item, to: 'publish' | 'archive' | 'restore', scans: Scans): Promise<string | null> {
  if (to === 'archive') {
    if (item.status === 'archived') return null
    const values = { status: 'archived' as const, archived_from: item.status, updated_at: sql<Date>`clock_timestamp()` }
    await trx.updateTable('items').set(values).where('id', '=', item.id).execute()
    return null
  }
  if (to === 'restore' && item.status !== 'archived') return 'It is not archived.'
  if (to === 'restore' && item.archived_from !== 'active') {
    const values = { status: 'draft' as const, archived_from: null, updated_at: sql<Date>`clock_timestamp()` }
    await trx.updateTable('items').set(values).where('id', '=', item.id).execute()
    return null
  }
  if (to === 'restore') {
    // As it was: what was edited since then waits for a publication of its own.
    const values = { status: 'active' as const, archived_from: null, updated_at: sql<Date>`clock_timestamp()` }
    await trx.updateTable('items').set(values).where('id', '=', item.id).execute()
    await copyPictures(trx, item.image_ids)
    return null
  }
  const [missing] = await missingOf(trx, item, scans)
  if (missing) return missing
  await publish(trx, item)
  return null
}

/** Only what was never on sale: a buyer's product stays. */
export async function deleteProducts(
  ctx: Ctx<MarketplaceDb>,
  { item_ids }: Input<typeof products.deleteProducts>,
): Promise<Output<typeof products.deleteProducts>> {
  const { id: userId } = signedIn(ctx)
  const { rows } = await sql<{ id: string }>`
    delete from items i where i.id = any(${item_ids}::uuid[]) and i.user_id = ${userId} and i.status <> 'active' and i.suspended_at is null
      and i.current_version_id is null and not exists (select from orders o where o.item_id = i.id)
    returning id`.execute(ctx.db)
  const moved = rows.map(({ id }) => id)
  const kept = await ctx.db.selectFrom('items').select('id').where('id', 'in', item_ids).where('user_id', '=', userId).execute()
  return { moved, refused: kept.map(({ id }) => ({ item_id: id, reason: 'It was published. Archive it instead.' })) }
}

async function publish(trx: Trx, item: Item): Promise<string> {
  const current_version_id = await publishVersion(trx, item)
  const slug = item.slug ?? (await freeSlug(trx, item))
  const values = { status: 'active' as const, archived_from: null, current_version_id, slug, updated_at: sql<Date>`clock_timestamp()` }
  await trx
    .updateTable('items')
    .set({ ...values, published_at: sql`coalesce(published_at, now())` })
    .where('id', '=', item.id)
    .execute()
  await copyPictures(trx, item.image_ids)
  return slug
}

/** The name as an address; a number behind it where the seller has such a product already. */
async function freeSlug(trx: Trx, item: Item): Promise<string> {
  const wish = item.title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '')
  const base = wish || 'product'
  const { rows } = await sql<{ slug: string }>`
    select slug from items where user_id = ${item.user_id} and slug is not null and (slug = ${base} or slug like ${`${base}-%`})
    union select slug from left_item_slugs where user_id = ${item.user_id} and (slug = ${base} or slug like ${`${base}-%`})
    limit 1000`.execute(trx)
  const taken = new Set(rows.map(({ slug }) => slug))
  if (!taken.has(base)) return base
  for (let number = 2; number < 1000; number++) if (!taken.has(`${base}-${number}`)) return `${base}-${number}`
  return `${base}-${item.id.slice(-12)}`
}

/** Obstacles to a publication, a sentence each. */
export async function missingOf(db: Kysely<MarketplaceDb & KitDb>, item: Item, { scansFiles }: Scans): Promise<string[]> {
  const missing: string[] = []
  const { rows } = await sql<{ name: string; sha256: string | null; scan: string }>`
    select f.name, f.sha256, f.scan from version_files f0 join files f on f.id = f0.file_id
    where f0.version_id = (select v.id from item_versions v where v.item_id = ${item.id} order by v.number desc limit 1)`.execute(db)
  const needsFile = item.kind !== 'service'
  if (needsFile && !rows.length && !(await isSoldWithoutFiles(db, item))) missing.push('Add a file: it is what buyers download.')
  if (needsFile && !item.description.trim()) missing.push('Describe it, so that buyers know what they get.')
  for (const { name, sha256, scan } of rows) {
    if (!sha256 || (scansFiles && scan === 'none')) missing.push(`${name} is still being checked. This takes a few seconds.`)
    if (scan === 'infected') missing.push(`${name} has malware in it. Take it out.`)
  }
  return missing
}

/** On sale since before products had files. */
async function isSoldWithoutFiles(db: Kysely<MarketplaceDb & KitDb>, { current_version_id }: Item): Promise<boolean> {
  if (!current_version_id) return false
  return !(await db.selectFrom('version_files').select('file_id').where('version_id', '=', current_version_id).executeTakeFirst())
}

/** Locked, and only its seller's. */
export async function ownItem(trx: Trx, userId: string, itemId: string): Promise<Item> {
  const item = await trx
    .selectFrom('items')
    .selectAll()
    .where('id', '=', itemId)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!item) throw new DomainError('not_found')
  return item
}

/** A product on sale is a version, and a version never changes: another price or other terms make the next one. */
async function publishVersion(trx: Trx, item: Item): Promise<string> {
  const { price_cents, currency, licence_terms } = item
  const last = await lastVersion(trx, item.id)
  if (last && !last.published_at) {
    // The hash comes a moment after the upload.
    await sql`update version_files v set sha256 = f.sha256, scan = f.scan from files f where f.id = v.file_id and v.version_id = ${last.id}`.execute(
      trx,
    )
    const values = { price_cents, currency, licence_terms, published_at: sql<Date>`now()` }
    await trx.updateTable('item_versions').set(values).where('id', '=', last.id).execute()
    if (last.number > 1) await enqueue(trx, tellOfVersion, { version_id: last.id, after: null })
    return last.id
  }
  if (last && last.price_cents === price_cents && last.currency === currency && last.licence_terms === licence_terms) return last.id
  return nextVersion(trx, item, last)
}

/** The price alone: an edited version that waits becomes the one of the new price, and what was edited waits in the next. */
async function priceVersion(trx: Trx, item: Item): Promise<void> {
  const on = await trx.selectFrom('item_versions').selectAll().where('id', '=', item.current_version_id!).executeTakeFirst()
  if (!on || on.price_cents === item.price_cents) return
  const waiting = await trx
    .selectFrom('item_versions')
    .selectAll()
    .where('item_id', '=', item.id)
    .where('published_at', 'is', null)
    .executeTakeFirst()
  const edited = waiting && (await trx.selectFrom('version_files').selectAll().where('version_id', '=', waiting.id).execute())
  // Only one version of a product waits at a time.
  if (waiting) await trx.deleteFrom('item_versions').where('id', '=', waiting.id).execute()
  const last = (await lastVersion(trx, item.id))!
  const current_version_id = await nextVersion(trx, { ...item, licence_terms: on.licence_terms }, { ...on, number: last.number })
  await trx.updateTable('items').set({ current_version_id }).where('id', '=', item.id).execute()
  if (!waiting) return
  const manifest = waiting.manifest == null ? null : JSON.stringify(waiting.manifest)
  await trx
    .insertInto('item_versions')
    .values({ ...waiting, number: last.number + 2, manifest })
    .execute()
  if (edited?.length) await trx.insertInto('version_files').values(edited).execute()
}

async function nextVersion(trx: Trx, item: Item, last: Selectable<MarketplaceDb['item_versions']> | undefined): Promise<string> {
  const { price_cents, currency, licence_terms } = item
  const next = { id: newId(), item_id: item.id, number: (last?.number ?? 0) + 1, activation_limit: last?.activation_limit ?? null }
  const manifest = last?.manifest == null ? null : JSON.stringify(last.manifest)
  await trx
    .insertInto('item_versions')
    .values({ ...next, notes: '', manifest, price_cents, currency, licence_terms, published_at: null })
    .execute()
  // Another price is not another product: it holds the same files.
  if (last)
    await sql`insert into version_files select ${next.id}, file_id, name, bytes, sha256, type, scan, position
      from version_files where version_id = ${last.id}`.execute(trx)
  await trx.updateTable('item_versions').set({ published_at: sql<Date>`now()` }).where('id', '=', next.id).execute()
  await enqueue(trx, tellOfVersion, { version_id: next.id, after: null })
  return next.id
}

const lastVersion = (trx: Trx, itemId: string) =>
  trx.selectFrom('item_versions').selectAll().where('item_id', '=', itemId).orderBy('number', 'desc').limit(1).executeTakeFirst()
