import type { Input, Output } from '@operon/contracts/contract'
import { profileChanged } from '@operon/contracts/marketplace/events'
import type * as contract from '@operon/contracts/marketplace/selling'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { KitDb } from '@operon/kit/schema'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql, type Transaction } from 'kysely'
import { needsFiles } from '../items/editor.ts'
import type { MarketplaceDb } from '../schema.ts'
import { copyPictures } from '../storefront/copies.ts'
import { isTaken, oneClaimAtATime } from './slug.ts'

type Profile = Output<typeof contract.businessProfile>
type Trx = Transaction<MarketplaceDb & KitDb>

const columns = [
  'business_name',
  'contact_email',
  'phone',
  'website',
  'location',
  'business_category',
  'business_description',
  'marketplace_slug as slug',
  'display_name',
  'accent',
  'picture_id',
  'suspended_because',
] as const

export async function businessProfile(ctx: Ctx<MarketplaceDb>): Promise<Profile> {
  const row = await ctx.db.selectFrom('profiles').select(columns).where('user_id', '=', signedIn(ctx).id).executeTakeFirst()
  if (row) return row as Profile
  const empty = { business_name: '', contact_email: '', phone: '', website: '', location: '', business_category: '' }
  const rest = { slug: null, display_name: null, accent: 'lime' as const, picture_id: null, suspended_because: null }
  return { ...empty, business_description: '', ...rest }
}

export async function saveBusinessProfile(
  ctx: Ctx<MarketplaceDb>,
  { slug, ...values }: Input<typeof contract.saveBusinessProfile>,
): Promise<Profile> {
  const { id: userId } = signedIn(ctx)
  await inTransaction(ctx.db, async (trx) => {
    if (values.picture_id) {
      await needsFiles(trx, userId, [values.picture_id])
      await copyPictures(trx, [values.picture_id])
    }
    await trx
      .insertInto('profiles')
      .values({ user_id: userId, display_name: null, marketplace_slug: null, version: 0, deleted_at: null, ...values })
      .onConflict((conflict) =>
        conflict
          .column('user_id')
          .doUpdateSet({ user_id: userId, ...values })
          .where('profiles.deleted_at', 'is', null),
      )
      .execute()
    if (slug) await claim(trx, userId, slug)
  })
  return businessProfile(ctx)
}

/** The address that was left leads to the new one, and nobody else gets it. */
async function claim(trx: Trx, userId: string, slug: string): Promise<void> {
  await oneClaimAtATime(trx)
  const now = await trx.selectFrom('profiles').select('marketplace_slug').where('user_id', '=', userId).forUpdate().executeTakeFirst()
  if (now?.marketplace_slug === slug) return
  if (await isTaken(trx, slug, userId)) throw new DomainError('slug_taken')
  const { slug_version } = await trx
    .updateTable('profiles')
    .set({ marketplace_slug: slug, slug_version: sql`slug_version + 1` })
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .returning('slug_version')
    .executeTakeFirstOrThrow()
  await publish(trx, profileChanged, userId, { slug, version: slug_version })
}
