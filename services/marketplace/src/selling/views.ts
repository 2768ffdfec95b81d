import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/selling'
import { type Ctx, signedIn, userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { sql } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'

type Day = { day: string; views: number; sales: number; refunds: number; revenue_cents: number }
const MOST_SITES = 40
const OTHERS = 'other'

/** A row a day and site. Beyond so many sites the day's others are one row, so that nobody fills the table with made-up ones. */
export async function countView(
  { db, actor }: Ctx<MarketplaceDb>,
  { item_id, referrer }: Input<typeof contract.countView>,
): Promise<Output<typeof contract.countView>> {
  const site = siteOf(referrer)
  await sql`
    insert into item_views as seen (item_id, day, referrer)
    select i.id, current_date, case when ${site} = '' or exists (
        select from item_views k where k.item_id = i.id and k.day = current_date and k.referrer = ${site}
      ) or (select count(*) from item_views k where k.item_id = i.id and k.day = current_date) < ${MOST_SITES} then ${site} else ${OTHERS} end
    from items i where i.id = ${item_id} and i.is_active and i.user_id is distinct from ${userIdOf(actor)}::uuid
    on conflict (item_id, day, referrer) do update set views = seen.views + 1`.execute(db)
  return {}
}

/** The site alone, never the address of its page. */
function siteOf(referrer: string): string {
  try {
    const { protocol, hostname } = new URL(referrer)
    return /^https?:$/.test(protocol) ? hostname.toLowerCase().slice(0, 100) : ''
  } catch {
    return ''
  }
}

export async function productAnalytics(
  ctx: Ctx<MarketplaceDb>,
  { item_id, days }: Input<typeof contract.productAnalytics>,
): Promise<Output<typeof contract.productAnalytics>> {
  const item = await ctx.db
    .selectFrom('items')
    .select('currency')
    .where('id', '=', item_id)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirst()
  if (!item) throw new DomainError('not_found')
  const since = sql`current_date - ${days - 1}::int`
  // Views have a row a day and site: read once, and summed by both.
  const { rows } = await sql<{ days: Day[]; sites: { referrer: string; views: number }[] }>`
    with seen as materialized (select day, referrer, views from item_views where item_id = ${item_id} and day >= ${since}),
    days as (
      select to_char(d, 'YYYY-MM-DD') as day, coalesce(v.views, 0)::int as views, coalesce(o.sales, 0)::int as sales,
        coalesce(o.refunds, 0)::int as refunds, coalesce(o.revenue_cents, 0)::int as revenue_cents
      from generate_series(${since}, current_date, interval '1 day') d
      left join (select day, sum(views) as views from seen group by day) v on v.day = d::date
      left join (select * from item_days where item_id = ${item_id} and day >= ${since}) o on o.day = d::date),
    sites as (select referrer, sum(views)::int as views from seen group by referrer order by 2 desc, 1 limit 10)
    select (select json_agg(d order by d.day) from days d) as days,
      (select coalesce(json_agg(s order by s.views desc, s.referrer), '[]') from sites s) as sites`.execute(ctx.db)
  const { days: byDay, sites } = rows[0]!
  const sum = (of: 'views' | 'sales' | 'refunds' | 'revenue_cents') => byDay.reduce((total, row) => total + row[of], 0)
  const [views, sales] = [sum('views'), sum('sales')]
  return {
    ...{ views, sales, refunds: sum('refunds'), revenue_cents: sum('revenue_cents'), currency: item.currency },
    conversion_pct: views ? Math.min(100, Math.round((sales / views) * 1000) / 10) : null,
    days: byDay.map(({ refunds: _, ...row }) => row),
    referrers: sites,
  }
}
