import { lookAtConversion, lowConversion } from '@operon/contracts/marketplace/selling'
import type { Ctx } from '@operon/kit/context'
import { enqueue, inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'

const DAYS = 30
const ENOUGH_VIEWS = 100
const PIECE = 500

/** In pieces by the id of what is on sale. The mark stands in the update, so that two runs tell once. */
export async function tellOfLowConversion(ctx: Ctx<MarketplaceDb>, after = '00000000-0000-0000-0000-000000000000'): Promise<void> {
  await inTransaction(ctx.db, async (trx) => {
    const { rows: piece } = await sql<{ id: string }>`
      select id from items where is_active and id > ${after} order by id limit ${PIECE}`.execute(trx)
    const ids = piece.map(({ id }) => id)
    if (!ids.length) return
    const { rows } = await sql<{ id: string; user_id: string; title: string; views: number; sales: number }>`
      with seen as (
        select v.item_id, sum(v.views)::int as views from item_views v
        where v.item_id = any(${ids}::uuid[]) and v.day > current_date - ${DAYS}::int group by v.item_id having sum(v.views) >= ${ENOUGH_VIEWS}
      ),
      counted as (
        select s.item_id, s.views, (select coalesce(sum(d.sales), 0)::int from item_days d
          where d.item_id = s.item_id and d.day > current_date - ${DAYS}::int) as sales from seen s
      )
      update items i set conversion_told_at = now() from counted c
      where i.id = c.item_id and c.sales * 100 < c.views
        and (i.conversion_told_at is null or i.conversion_told_at < now() - ${DAYS} * interval '1 day')
      returning i.id, i.user_id, i.title, c.views, c.sales`.execute(trx)
    for (const { id, user_id, ...known } of rows) await publish(trx, lowConversion, user_id, { item_id: id, ...known, days: DAYS })
    if (ids.length === PIECE) await enqueue(trx, lookAtConversion, { after: ids.at(-1)! })
  })
}
