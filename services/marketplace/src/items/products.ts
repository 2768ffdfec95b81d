import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/api'
import { profileChanged } from '@operon/contracts/marketplace/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import { inTransaction, publish } from '@operon/kit/tx'
import type { Transaction } from 'kysely'
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
        .updateTable('items')
        .set({ is_active: true })
        .where('id', '=', item_id)
        .where('user_id', '=', userId)
        .returning('id')
        .executeTakeFirst()
      if (!item) throw new DomainError('not_found')
      return { url: `${publicUrl}/marketplace/${await ensureSlug(trx, userId)}/${item.id}` }
    })
  }

/** A storefront has an address from the first product on. One that is taken gets a number behind it. */
async function ensureSlug(trx: Transaction<MarketplaceDb & KitDb>, userId: string): Promise<string> {
  const profile = await trx.selectFrom('profiles').selectAll().where('user_id', '=', userId).forUpdate().executeTakeFirst()
  if (profile?.marketplace_slug) return profile.marketplace_slug
  const wish = (profile?.display_name ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
  const base = wish.length >= 2 ? wish : 'shop'
  const taken = await trx.selectFrom('profiles').select('user_id').where('marketplace_slug', '=', base).executeTakeFirst()
  const slug = taken ? `${base}-${userId.slice(-8)}` : base
  const row = { marketplace_slug: slug }
  await trx
    .insertInto('profiles')
    .values({ user_id: userId, display_name: null, version: 0, deleted_at: null, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute()
  await publish(trx, profileChanged, userId, { slug, version: 1 })
  return slug
}
