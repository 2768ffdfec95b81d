import { profileChanged } from '@operon/contracts/marketplace/events'
import { DomainError } from '@operon/kit/errors'
import type { KitDb } from '@operon/kit/schema'
import { publish } from '@operon/kit/tx'
import { sql, type Transaction } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'

type Trx = Transaction<MarketplaceDb & KitDb>

/** A storefront has an address from the first product on. One that is taken, or leads to another seller, gets a number behind it. */
export async function ensureSlug(trx: Trx, userId: string): Promise<string> {
  const known = await profileOf(trx, userId)
  if (known?.marketplace_slug) return known.marketplace_slug
  // One claim at a time: two sellers of one name would both find it free, and so would two requests of one seller.
  await oneClaimAtATime(trx)
  const profile = await profileOf(trx, userId)
  if (profile?.deleted_at) throw new DomainError('not_found')
  if (profile?.marketplace_slug) return profile.marketplace_slug
  const base = baseOf(profile?.display_name ?? '')
  const slug = (await isTaken(trx, base, userId)) ? `${base}-${userId.slice(-8)}` : base
  const { slug_version } = await trx
    .insertInto('profiles')
    .values({ user_id: userId, display_name: null, version: 0, deleted_at: null, marketplace_slug: slug, slug_version: 1 })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({ marketplace_slug: slug, slug_version: sql`profiles.slug_version + 1` }),
    )
    .returning('slug_version')
    .executeTakeFirstOrThrow()
  await publish(trx, profileChanged, userId, { slug, version: slug_version })
  return slug
}

export const oneClaimAtATime = (trx: Trx) => sql`select pg_advisory_xact_lock(hashtext('profiles.marketplace_slug'))`.execute(trx)

const profileOf = (trx: Trx, userId: string) =>
  trx
    .selectFrom('profiles')
    .select(['marketplace_slug', 'display_name', 'deleted_at'])
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()

/** Addresses that visitors would take for the site's own. */
const RESERVED = new Set(
  'about account admin api billing cart checkout help library login new official operon orders payments privacy search security settings staff support team terms wishlist'.split(
    ' ',
  ),
)

export async function isTaken(trx: Trx, slug: string, userId: string): Promise<boolean> {
  if (RESERVED.has(slug)) return true
  const { rows } = await sql`
    select from profiles where marketplace_slug = ${slug}
    union all select from left_slugs where slug = ${slug} and user_id <> ${userId} limit 1`.execute(trx)
  return rows.length > 0
}

function baseOf(name: string): string {
  const wish = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '')
  return wish.length >= 2 ? wish : 'shop'
}
