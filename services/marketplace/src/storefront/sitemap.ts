import type { Ctx } from '@operon/kit/context'
import { sql } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'

const MOST = 10_000

/** Addresses for search engines: the newest products and their sellers. */
export async function sitemapOf(db: Ctx<MarketplaceDb>['db'], publicUrl: string): Promise<string> {
  const { rows } = await sql<{ slug: string; key: string; day: string }>`
    select p.marketplace_slug as slug, coalesce(i.slug, i.id::text) as key, to_char(i.updated_at, 'YYYY-MM-DD') as day
    from items i join profiles p on p.user_id = i.user_id
    where i.is_active and p.deleted_at is null and p.marketplace_slug is not null
    order by coalesce(i.published_at, i.created_at) desc, i.id desc limit ${MOST}`.execute(db)
  // Slugs and ids hold no sign that XML would read otherwise.
  const at = `${publicUrl}/marketplace`
  const storefronts = [...new Set(rows.map(({ slug }) => slug))].map((slug) => `<url><loc>${at}/${slug}</loc></url>`)
  const products = rows.map(({ slug, key, day }) => `<url><loc>${at}/${slug}/${key}</loc><lastmod>${day}</lastmod></url>`)
  const urls = [`<url><loc>${at}</loc></url>`, ...storefronts, ...products].join('')
  return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`
}
