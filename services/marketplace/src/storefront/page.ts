import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/storefront'
import type { Ctx } from '@operon/kit/context'
import { sql } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'
import { columns, listCategories, listOffers, nameOf, offerOf, pictureAt, type Row, summaryOf } from './offers.ts'

type Page = Output<typeof contract.storefrontPage>
type Db = Ctx<MarketplaceDb>['db']
type Seller = { user_id: string; slug: string; name: string; profile: Extract<Page, { kind: 'storefront' }>['profile'] }

const MORE = 3
const PICTURES = 8

/** Everything that a public page shows, in one answer. Only what is on sale, and only of sellers who have an address. */
export async function storefrontPage({ db }: Ctx<MarketplaceDb>, asked: Input<typeof contract.storefrontPage>): Promise<Page> {
  if (asked.slug === null) {
    const [listed, categories] = await Promise.all([listOffers(db, asked), listCategories(db)])
    return { kind: 'directory', ...listed, categories }
  }
  const seller = await sellerAt(db, asked.slug)
  if (!seller) return movedSeller(db, asked.slug, asked.item)
  if (asked.item !== null) return productPage(db, seller, asked.item)
  const [listed, summary] = await Promise.all([listOffers(db, asked, seller.user_id), summaryOf(db, seller.user_id)])
  return { kind: 'storefront', seller: publicly(seller), profile: seller.profile, ...listed, ...summary }
}

type Detail = { description: string; licence_terms: string; version: number | null; activation_limit: number | null; files: number }

async function productPage(db: Db, seller: Seller, key: string): Promise<Page> {
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)
  const { rows } = await sql<Row & Detail>`
    select ${columns}, i.description, coalesce(v.licence_terms, i.licence_terms) as licence_terms, v.number as version, v.activation_limit,
      (select count(*)::int from version_files f where f.version_id = v.id) as files
    from items i join profiles p on p.user_id = i.user_id left join item_versions v on v.id = i.current_version_id
    where i.is_active and i.user_id = ${seller.user_id} and ${isId ? sql`(i.id = ${key}::uuid or i.slug = ${key})` : sql`i.slug = ${key}`}
    limit 1`.execute(db)
  const [found] = rows
  if (!found) return movedProduct(db, seller, key)
  const { description, licence_terms, version, activation_limit, files, ...row } = found
  const offer = offerOf(row)
  if (offer.key !== key) return { kind: 'moved', path: pathOf(seller.slug, offer.key) }
  const others = await listOffers(db, { q: '', category: '', after: '' }, seller.user_id, MORE + 1)
  const more = others.offers.filter(({ id }) => id !== offer.id).slice(0, MORE)
  return {
    kind: 'product',
    product: {
      ...offer,
      description,
      licence_terms,
      version,
      activation_limit,
      files,
      pictures: found.image_ids.slice(0, PICTURES).map(pictureAt),
      accent: seller.profile?.accent,
    },
    more,
  }
}

async function sellerAt(db: Db, slug: string): Promise<Seller | null> {
  const row = await db
    .selectFrom('profiles')
    .select(['user_id', 'display_name', 'business_name', 'contact_email', 'phone', 'website', 'location'])
    .select(['business_category', 'business_description', 'accent', 'picture_id'])
    .where('marketplace_slug', '=', slug)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { user_id, display_name, business_name, picture_id, accent, ...fields } = row
  const picture = picture_id && pictureAt(picture_id)
  return { user_id, slug, name: nameOf({ business_name, display_name, slug }), profile: { ...fields, accent: accent as never, picture } }
}

/** A slug that a seller has today always wins over one that another left. */
async function movedSeller(db: Db, slug: string, item: string | null): Promise<Page> {
  const now = await db
    .selectFrom('left_slugs as l')
    .innerJoin('profiles as p', 'p.user_id', 'l.user_id')
    .select('p.marketplace_slug')
    .where('l.slug', '=', slug)
    .where('p.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!now?.marketplace_slug) return { kind: 'missing', seller: null }
  return { kind: 'moved', path: pathOf(now.marketplace_slug, item) }
}

async function movedProduct(db: Db, seller: Seller, slug: string): Promise<Page> {
  const now = await db
    .selectFrom('left_item_slugs as l')
    .innerJoin('items as i', 'i.id', 'l.item_id')
    .select('i.slug')
    .where('l.user_id', '=', seller.user_id)
    .where('l.slug', '=', slug)
    .where('i.is_active', '=', true)
    .executeTakeFirst()
  return now?.slug ? { kind: 'moved', path: pathOf(seller.slug, now.slug) } : { kind: 'missing', seller: publicly(seller) }
}

const publicly = ({ slug, name }: Seller) => ({ slug, name })
const pathOf = (slug: string, item: string | null) => `/marketplace/${slug}${item === null ? '' : `/${encodeURIComponent(item)}`}`
