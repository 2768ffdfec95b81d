import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/contacts'
import { type Ctx, signedIn } from '@operon/kit/context'
import { type RawBuilder, sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { type ContactRow, contactColumns, contactOf, isTemperature } from './rows.ts'

type Sort = Input<typeof contract.findContacts>['sort']
/** Each order has an index and ends at the id, so that a page goes on exactly where the last one ended. */
const orders: Record<Sort, { by: RawBuilder<unknown>; type: RawBuilder<unknown>; way: '<' | '>' }> = {
  newest: { by: sql`id`, type: sql`uuid`, way: '<' },
  name: { by: sql`lower(name)`, type: sql`text`, way: '>' },
  activity: { by: sql`last_activity_at`, type: sql`timestamptz`, way: '<' },
  heat: { by: sql`hot_until`, type: sql`timestamptz`, way: '<' },
}

export async function findContacts(
  ctx: Ctx<CrmDb>,
  { query, tag, status, temperature, sort, limit, cursor }: Input<typeof contract.findContacts>,
): Promise<Output<typeof contract.findContacts>> {
  const { by, type, way } = orders[sort]
  const place = cursor ? readCursor(cursor, sort) : null
  const after = place && sql`and (${by}, id) ${sql.raw(way)} (${place.by}::${type}, ${place.id}::uuid)`
  const direction = sql.raw(way === '<' ? 'desc' : 'asc')
  const words = query?.trim().toLowerCase()
  const { rows } = await sql<ContactRow & { by: string }>`
    select ${contactColumns}, (${by})::text as by from leads where user_id = ${signedIn(ctx).id}
      ${words ? sql`and search like ${`%${words.replace(/[\\%_]/g, '\\$&')}%`}` : sql``}
      ${tag ? sql`and tags @> ${[tag]}::text[]` : sql``} ${status ? sql`and status = ${status}` : sql``}
      ${temperature ? sql`and ${isTemperature[temperature]}` : sql``} ${after ?? sql``}
    order by ${by} ${direction}, id ${direction} limit ${limit + 1}`.execute(ctx.db)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    contacts: shown.map(({ by, ...row }) => contactOf(row)),
    cursor: last ? Buffer.from(JSON.stringify([sort, last.by, last.id])).toString('base64url') : null,
  }
}

/** Anything else than what a page said begins at the start. */
function readCursor(cursor: string, sort: Sort): { by: string; id: string } | null {
  const said = /^\["(\w+)","((?:[^"\\]|\\.)*)","([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"\]$/u.exec(
    Buffer.from(cursor, 'base64url').toString(),
  )
  if (said?.[1] !== sort) return null
  const by: string = JSON.parse(`"${said[2]}"`)
  const isTime = sort === 'activity' || sort === 'heat'
  if (isTime && !/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?[+-]\d{2}(:\d{2})?$/.test(by)) return null
  if (sort === 'newest' && by !== said[3]) return null
  return by.includes('\0') ? null : { by, id: said[3]! }
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
