import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/contacts'
import { type Ctx, signedIn } from '@operon/kit/context'
import { type RawBuilder, sql } from 'kysely'
import { placeAfter, readPlace } from '../places.ts'
import type { CrmDb } from '../schema.ts'
import { type ContactRow, contactColumns, contactOf, isTemperature } from './rows.ts'

type Sort = Input<typeof contract.findContacts>['sort']
const moment = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?[+-]\d{2}(:\d{2})?$/
/** Each order has an index and ends at the id, so that a page goes on exactly where the last one ended. */
const orders: Record<Sort, { by: RawBuilder<unknown>; type: RawBuilder<unknown>; way: '<' | '>'; shape: RegExp }> = {
  newest: { by: sql`id`, type: sql`uuid`, way: '<', shape: /^[0-9a-f-]{36}$/ },
  name: { by: sql`lower(name)`, type: sql`text`, way: '>', shape: /^/ },
  activity: { by: sql`last_activity_at`, type: sql`timestamptz`, way: '<', shape: moment },
  heat: { by: sql`hot_until`, type: sql`timestamptz`, way: '<', shape: moment },
}

export async function findContacts(
  ctx: Ctx<CrmDb>,
  { query, tag, status, temperature, company_id, field, sort, limit, cursor }: Input<typeof contract.findContacts>,
): Promise<Output<typeof contract.findContacts>> {
  const { by, type, way, shape } = orders[sort]
  const place = readPlace(cursor, sort, shape)
  const after = place && sql`and (${by}, id) ${sql.raw(way)} (${place.by}::${type}, ${place.id}::uuid)`
  const direction = sql.raw(way === '<' ? 'desc' : 'asc')
  const words = query?.trim().toLowerCase()
  const { rows } = await sql<ContactRow & { by: string }>`
    select ${contactColumns}, (${by})::text as by from leads where user_id = ${signedIn(ctx).id}
      ${words ? sql`and search like ${`%${words.replace(/[\\%_]/g, '\\$&')}%`}` : sql``}
      ${tag ? sql`and tags @> ${[tag]}::text[]` : sql``} ${status ? sql`and status = ${status}` : sql``}
      ${temperature ? sql`and ${isTemperature[temperature]}` : sql``} ${company_id ? sql`and company_id = ${company_id}` : sql``}
      ${field ? sql`and fields @> ${JSON.stringify({ [field.id]: field.value })}::jsonb` : sql``} ${after ?? sql``}
    order by ${by} ${direction}, id ${direction} limit ${limit + 1}`.execute(ctx.db)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    contacts: shown.map(({ by, ...row }) => contactOf(row)),
    cursor: last ? placeAfter(sort, last.by, last.id) : null,
  }
}

const NEWEST = 2_000
/** Looks at the newest contacts alone, so that it takes as long for a large account as for a small one. */
export async function listTags(ctx: Ctx<CrmDb>): Promise<Output<typeof contract.listTags>> {
  const { rows } = await sql<{ tag: string; contacts: number }>`
    select tag, count(*)::int as contacts from (
      select tags from leads where user_id = ${signedIn(ctx).id} order by id desc limit ${NEWEST}) newest, unnest(tags) tag
    group by tag order by contacts desc, tag limit 100`.execute(ctx.db)
  return { tags: rows }
}
