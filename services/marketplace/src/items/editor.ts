import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/products'
import { scanFile } from '@operon/contracts/marketplace/trust'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { type Selectable, sql, type Transaction } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'
import { copyPictures } from '../storefront/copies.ts'
import { isForbidden } from './forbidden.ts'
import { type Db, isChanged } from './listed.ts'
import { mayAddProduct, missingOf, ownItem, type Scans } from './products.ts'

type Product = Output<typeof contract.readProduct>
type Trx = Transaction<MarketplaceDb & KitDb>
type Item = Selectable<MarketplaceDb['items']>
type Version = Selectable<MarketplaceDb['item_versions']>

const MOST_FILES = 20
const VERSIONS = 50

export const readProduct =
  (scans: Scans) =>
  async (ctx: Ctx<MarketplaceDb>, { item_id }: { item_id: string }): Promise<Product> => {
    const { id: userId } = signedIn(ctx)
    const { rows } = await sql<Item & { changed: boolean; seller_slug: string | null }>`
      select i.*, ${isChanged} as changed, (select p.marketplace_slug from profiles p where p.user_id = i.user_id) as seller_slug
      from items i where i.id = ${item_id} and i.user_id = ${userId}`.execute(ctx.db)
    const [item] = rows
    if (!item) throw new DomainError('not_found')
    const versions = await ctx.db
      .selectFrom('item_versions')
      .selectAll()
      .where('item_id', '=', item_id)
      .orderBy('number', 'desc')
      .limit(VERSIONS + 1)
      .execute()
    const files = await filesOf(ctx.db, versions)
    const waiting = versions[0] && !versions[0].published_at ? versions[0] : undefined
    const published = versions.filter((version) => version.published_at).slice(0, VERSIONS)
    const base = waiting ?? published[0]
    return {
      id: item.id,
      title: item.title,
      summary: item.summary,
      description: item.description,
      category: item.category,
      item_type: item.item_type,
      kind: item.kind,
      price_cents: item.price_cents,
      currency: item.currency,
      slug: item.slug,
      licence_terms: item.licence_terms,
      images: await imagesOf(ctx.db, userId, item.image_ids),
      status: item.status,
      path: item.is_active && item.seller_slug ? `/marketplace/${item.seller_slug}/${item.slug ?? item.id}` : null,
      changed: item.changed,
      suspended_because: item.suspended_at ? (item.suspended_because ?? 'Taken down by the operator of this site.') : null,
      next: {
        number: waiting?.number ?? (published[0]?.number ?? 0) + 1,
        notes: waiting?.notes ?? '',
        activation_limit: base?.activation_limit ?? null,
        manifest: (base?.manifest ?? null) as never,
        files: (base && files.get(base.id)) ?? [],
      },
      versions: published.map((version) => ({
        number: version.number,
        notes: version.notes,
        activation_limit: version.activation_limit,
        files: files.get(version.id) ?? [],
        price_cents: version.price_cents,
        currency: version.currency,
        published_at: version.published_at!.toISOString(),
        on_sale: version.id === item.current_version_id,
      })),
      missing: await missingOf(ctx.db, item, scans),
      scans_files: scans.scansFiles,
      updated_at: item.updated_at.toISOString(),
    }
  }

export const updateProduct =
  (scans: Scans) =>
  async (ctx: Ctx<MarketplaceDb>, input: Input<typeof contract.updateProduct>): Promise<Product> => {
    const { item_id, notes, activation_limit, manifest, image_ids, slug, ...texts } = input
    await changing(ctx, item_id, async (trx, item) => {
      if (image_ids) await needsFiles(trx, item.user_id, image_ids)
      if (slug && slug !== item.slug) await needsFreeSlug(trx, item, slug)
      const values = { ...texts, ...(image_ids && { image_ids }), ...(slug !== undefined && { slug }) }
      await trx
        .updateTable('items')
        .set({ ...values, updated_at: sql`clock_timestamp()` })
        .where('id', '=', item.id)
        .execute()
      if (image_ids && item.status === 'active')
        await copyPictures(
          trx,
          image_ids.filter((id) => !item.image_ids.includes(id)),
        )
      if (notes === undefined && activation_limit === undefined && manifest === undefined) return
      const { id } = await waitingVersion(trx, item)
      const kept = {
        ...(notes !== undefined && { notes }),
        ...(activation_limit !== undefined && { activation_limit }),
        ...(manifest !== undefined && { manifest: manifest && JSON.stringify(manifest) }),
      }
      await trx.updateTable('item_versions').set(kept).where('id', '=', id).execute()
    })
    return readProduct(scans)(ctx, { item_id })
  }

/** The type is what the content shows, not what its sender says. */
export const attachProductFile =
  (scans: Scans) =>
  async (ctx: Ctx<MarketplaceDb>, { item_id, file_id }: Input<typeof contract.attachProductFile>): Promise<Product> => {
    await changing(ctx, item_id, async (trx, item) => {
      const file = await trx
        .selectFrom('files')
        .select(['id', 'name', 'bytes', 'type', 'sha256', 'scan'])
        .where('id', '=', file_id)
        .where('user_id', '=', item.user_id)
        .where('state', '=', 'ready')
        .forKeyShare()
        .executeTakeFirst()
      if (!file) throw new DomainError('file_not_yours')
      if (isForbidden(file.name, file.type)) throw new DomainError('file_forbidden')
      if (file.scan === 'infected') throw new DomainError('file_infected')
      const version = await waitingVersion(trx, item)
      const { count } = await trx
        .selectFrom('version_files')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('version_id', '=', version.id)
        .where('file_id', '!=', file.id)
        .executeTakeFirstOrThrow()
      if (Number(count) >= MOST_FILES) throw new DomainError('too_many_files')
      await trx
        .insertInto('version_files')
        .values({
          ...{ version_id: version.id, file_id: file.id, name: file.name, bytes: file.bytes, type: file.type!, scan: file.scan },
          ...{ sha256: file.sha256 ?? '', position: Number(count) },
        })
        .onConflict((conflict) => conflict.columns(['version_id', 'file_id']).doNothing())
        .execute()
      await touch(trx, item.id)
      if (scans.scansFiles && file.scan === 'none') await enqueue(trx, scanFile, { file_id: file.id })
    })
    return readProduct(scans)(ctx, { item_id })
  }

export const detachProductFile =
  (scans: Scans) =>
  async (ctx: Ctx<MarketplaceDb>, { item_id, file_id }: Input<typeof contract.detachProductFile>): Promise<Product> => {
    await changing(ctx, item_id, async (trx, item) => {
      const { id } = await waitingVersion(trx, item)
      await trx.deleteFrom('version_files').where('version_id', '=', id).where('file_id', '=', file_id).execute()
      await touch(trx, item.id)
    })
    return readProduct(scans)(ctx, { item_id })
  }

export async function duplicateProduct(
  ctx: Ctx<MarketplaceDb>,
  { item_id }: Input<typeof contract.duplicateProduct>,
): Promise<Output<typeof contract.duplicateProduct>> {
  const copy = newId()
  await changing(ctx, item_id, async (trx, item) => {
    await mayAddProduct(trx, item.user_id)
    await sql`
      insert into items (id, user_id, title, description, category, price_cents, currency, item_type, kind, summary, licence_terms, image_ids)
      select ${copy}, user_id, left(title, 113) || ' (copy)', description, category, price_cents, currency, item_type, kind, summary,
        licence_terms, image_ids from items where id = ${item.id}`.execute(trx)
    const last = await lastVersion(trx, item.id)
    if (last) await copyVersion(trx, last, { id: newId(), item_id: copy, number: 1 })
  })
  return { item_id: copy }
}

/** The version that the next publication makes: what is on sale, until something about it is changed. */
async function waitingVersion(trx: Trx, item: Item): Promise<{ id: string }> {
  const last = await lastVersion(trx, item.id)
  if (last && !last.published_at) return last
  const next = { id: newId(), item_id: item.id, number: (last?.number ?? 0) + 1 }
  if (last) {
    await copyVersion(trx, last, next)
    return next
  }
  const { price_cents, currency, licence_terms } = item
  await trx
    .insertInto('item_versions')
    .values({ ...next, price_cents, currency, licence_terms, activation_limit: null, manifest: null, published_at: null })
    .execute()
  return next
}

async function copyVersion(trx: Trx, of: Version, to: { id: string; item_id: string; number: number }) {
  const { price_cents, currency, licence_terms, activation_limit } = of
  const manifest = of.manifest == null ? null : JSON.stringify(of.manifest)
  await trx
    .insertInto('item_versions')
    .values({ ...to, price_cents, currency, licence_terms, activation_limit, manifest, published_at: null })
    .execute()
  await sql`insert into version_files select ${to.id}, file_id, name, bytes, sha256, type, scan, position
    from version_files where version_id = ${of.id}`.execute(trx)
}

const lastVersion = (trx: Trx, itemId: string) =>
  trx.selectFrom('item_versions').selectAll().where('item_id', '=', itemId).orderBy('number', 'desc').limit(1).executeTakeFirst()

const touch = (trx: Trx, id: string) => trx.updateTable('items').set({ updated_at: sql`clock_timestamp()` }).where('id', '=', id).execute()

/** One change of a product at a time, and only by its seller. */
function changing(ctx: Ctx<MarketplaceDb>, itemId: string, change: (trx: Trx, item: Item) => Promise<unknown>) {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await change(trx, await ownItem(trx, userId, itemId))
  })
}

/** Locked, so that none of them is deleted meanwhile. */
export async function needsFiles(trx: Trx, userId: string, ids: string[]): Promise<void> {
  if (!ids.length) return
  const found = await trx
    .selectFrom('files')
    .select('id')
    .where('id', 'in', ids)
    .where('user_id', '=', userId)
    .where('state', '=', 'ready')
    .forKeyShare()
    .execute()
  if (found.length < new Set(ids).size) throw new DomainError('file_not_yours')
}

async function needsFreeSlug(trx: Trx, item: Item, slug: string) {
  const taken = await trx
    .selectFrom('items')
    .select('id')
    .where('user_id', '=', item.user_id)
    .where('slug', '=', slug)
    .where('id', '!=', item.id)
    .executeTakeFirst()
  if (taken) throw new DomainError('slug_taken')
}

type File = Product['next']['files'][number]
async function filesOf(db: Db, versions: Version[]): Promise<Map<string, File[]>> {
  if (!versions.length) return new Map()
  const rows = await db
    .selectFrom('version_files as v')
    .leftJoin('files as f', 'f.id', 'v.file_id')
    .select(['v.version_id', 'v.file_id', 'v.name', 'v.bytes', 'v.type', 'v.scan', 'f.scan as scanned'])
    .where(
      'v.version_id',
      'in',
      versions.map(({ id }) => id),
    )
    .orderBy('v.position')
    .limit((VERSIONS + 1) * MOST_FILES)
    .execute()
  const files = new Map<string, File[]>()
  for (const { version_id, scanned, scan, bytes, ...file } of rows)
    files.set(version_id, [...(files.get(version_id) ?? []), { ...file, bytes: Number(bytes), scan: scanned ?? scan }])
  return files
}

async function imagesOf(db: Db, userId: string, ids: string[]) {
  if (!ids.length) return []
  const rows = await db.selectFrom('files').select(['id', 'name']).where('id', 'in', ids).where('user_id', '=', userId).execute()
  return ids.flatMap((id) => rows.filter((row) => row.id === id)).map(({ id, name }) => ({ file_id: id, name }))
}
