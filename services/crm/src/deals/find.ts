import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/deals'
import { type Ctx, signedIn } from '@operon/kit/context'
import { type RawBuilder, sql } from 'kysely'
import { notesAbout } from '../contacts/mentions.ts'
import { idsThatFit } from '../pages.ts'
import { placeAfter, readPlace } from '../places.ts'
import type { CrmDb } from '../schema.ts'
import { type DealRow, dealColumns, dealOf, readDeal } from './rows.ts'

type Asked = Input<typeof contract.findDeals>
type Order = { by: RawBuilder<unknown>; type: RawBuilder<unknown>; way: '<' | '>'; shape: RegExp }
const orders: Record<Asked['sort'], Order> = {
  newest: { by: sql`d.id`, type: sql`uuid`, way: '<', shape: /^[0-9a-f-]{36}$/ },
  closing: { by: sql`coalesce(d.expected_close, 'infinity')`, type: sql`date`, way: '>', shape: /^(\d{4}-\d{2}-\d{2}|infinity)$/ },
  amount: { by: sql`d.amount_cents`, type: sql`bigint`, way: '<', shape: /^\d{1,15}$/ },
}

export async function findDeals(
  ctx: Ctx<CrmDb>,
  { query, state, stage_id, contact_id, sort, limit, cursor }: Asked,
): Promise<Output<typeof contract.findDeals>> {
  const { by, type, way, shape } = orders[sort]
  const place = readPlace(cursor, sort, shape)
  const direction = sql.raw(way === '<' ? 'desc' : 'asc')
  const words = query?.trim().toLowerCase()
  const among = [sql`d.user_id = ${signedIn(ctx).id} and d.deleted_at is null`]
  if (place) among.push(sql`(${by}, d.id) ${sql.raw(way)} (${place.by}::${type}, ${place.id}::uuid)`)
  const filters: RawBuilder<unknown>[] = []
  if (contact_id) filters.push(sql`d.contact_id = ${contact_id}`)
  if (stage_id) filters.push(sql`d.stage_id = ${stage_id}`)
  if (state) filters.push(sql`d.state = ${state}`)
  // The index of each of these has the newest first.
  if (sort === 'newest') among.push(...filters.splice(0, 1))
  if (words) filters.push(sql`lower(d.title) like ${`%${words.replace(/[\\%_]/g, '\\$&')}%`}`)
  const order = { by, direction, most: limit + 1 }
  const all = sql.join(among, sql` and `)
  const ids = filters.length && idsThatFit({ table: 'deals', alias: 'd', among: all, fits: sql.join(filters, sql` and `) }, order)
  const { rows } = await sql<DealRow & { by: string }>`
    select ${dealColumns}, (${by})::text as by from deals d where ${ids ? sql`d.id in (${ids})` : all}
    order by ${by} ${direction}, d.id ${direction} limit ${limit + 1}`.execute(ctx.db)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { deals: shown.map(({ by, ...row }) => dealOf(row)), cursor: last ? placeAfter(sort, last.by, last.id) : null }
}

export async function showDeal(ctx: Ctx<CrmDb>, { deal_id }: Input<typeof contract.showDeal>): Promise<Output<typeof contract.showDeal>> {
  const { id: userId } = signedIn(ctx)
  const deal = await readDeal(ctx.db, userId, deal_id)
  const steps = await ctx.db
    .selectFrom('deal_stage_history')
    .select(['id', 'stage', 'state', 'reason', 'at'])
    .where('deal_id', '=', deal_id)
    .where('user_id', '=', userId)
    .orderBy('n', 'desc')
    .limit(100)
    .execute()
  const mentions = await notesAbout(ctx.db, userId, { kind: 'deal', id: deal_id })
  return { deal, history: steps.map(({ at, ...step }) => ({ ...step, at: at.toISOString() })), mentions }
}
