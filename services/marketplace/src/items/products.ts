import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/api'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import { inTransaction } from '@operon/kit/tx'
import { type Selectable, sql, type Transaction } from 'kysely'
import { ensureSlug } from '../profiles/slug.ts'
import type { MarketplaceDb } from '../schema.ts'

export async function createProduct(
  { db, actor }: Ctx<MarketplaceDb>,
  input: Input<typeof contract.createProduct>,
): Promise<Output<typeof contract.createProduct>> {
  const { title, description, price_cents, currency, category, item_type } = input
  const item = { id: newId(), user_id: signedIn({ actor } as Ctx).id, title, description, price_cents, currency, category, item_type }
  await db
    .insertInto('items')
    .values({ ...item, is_active: false })
    .execute()
  return { item_id: item.id }
}

export const publishProduct =
  (publicUrl: string) =>
  async (ctx: Ctx<MarketplaceDb>, { item_id }: Input<typeof contract.publishProduct>): Promise<Output<typeof contract.publishProduct>> => {
    const { id: userId } = signedIn(ctx)
    return inTransaction(ctx.db, async (trx) => {
      const item = await trx
        .selectFrom('items')
        .selectAll()
        .where('id', '=', item_id)
        .where('user_id', '=', userId)
        .forUpdate()
        .executeTakeFirst()
      if (!item) throw new DomainError('not_found')
      const current_version_id = await publishVersion(trx, item)
      await trx
        .updateTable('items')
        .set({ status: 'active', current_version_id, published_at: sql`coalesce(published_at, now())`, updated_at: sql`now()` })
        .where('id', '=', item.id)
        .execute()
      return { url: `${publicUrl}/marketplace/${await ensureSlug(trx, userId)}/${item.id}` }
    })
  }

type Trx = Transaction<MarketplaceDb & KitDb>

/** What is on sale is a version, and a version never changes: another price or other terms make the next one. */
async function publishVersion(trx: Trx, item: Selectable<MarketplaceDb['items']>): Promise<string> {
  const { price_cents, currency, licence_terms } = item
  const versions = trx.selectFrom('item_versions').where('item_id', '=', item.id)
  const last = await versions.selectAll().orderBy('number', 'desc').limit(1).executeTakeFirst()
  const values = { price_cents, currency, licence_terms, published_at: sql<Date>`now()` }
  if (last && !last.published_at) {
    await trx.updateTable('item_versions').set(values).where('id', '=', last.id).execute()
    return last.id
  }
  if (last && last.price_cents === price_cents && last.currency === currency && last.licence_terms === licence_terms) return last.id
  const next = { id: newId(), item_id: item.id, number: (last?.number ?? 0) + 1, activation_limit: last?.activation_limit ?? null }
  await trx
    .insertInto('item_versions')
    .values({ ...next, notes: '', manifest: last?.manifest == null ? null : JSON.stringify(last.manifest), ...values, published_at: null })
    .execute()
  // Another price is not another product: it holds the same files.
  if (last)
    await sql`insert into version_files select ${next.id}, file_id, name, bytes, sha256, type, scan, position
      from version_files where version_id = ${last.id}`.execute(trx)
  await trx.updateTable('item_versions').set({ published_at: values.published_at }).where('id', '=', next.id).execute()
  return next.id
}
