import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/email/segments'
import type { Condition, SegmentTree } from '@operon/contracts/crm/email/segments'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isTemperature } from '../contacts/rows.ts'
import type { CrmDb } from '../schema.ts'
import { stillIn } from './topics.ts'

const MOST_SEGMENTS = 100
type Part = SegmentTree['conditions'][number]
type Where = RawBuilder<SqlBool>

/**
 * The tree as a condition on `leads`: every value is a parameter, every name one of these. A condition on a field or a campaign that is not
 * there (any more) holds for nobody, however it is put: "is not" would hold for everybody.
 */
export const compile = ({ match, conditions }: SegmentTree): Where => joined(match, conditions.map(partOf))
const partOf = (part: Part): Where => ('field' in part ? conditionOf(part) : joined(part.match, part.conditions.map(conditionOf)))
const joined = (match: 'all' | 'any', parts: Where[]): Where =>
  parts.length ? sql<SqlBool>`(${sql.join(parts, match === 'all' ? sql` and ` : sql` or `)})` : sql<SqlBool>`true`

function conditionOf(of: Condition): Where {
  switch (of.field) {
    case 'tag':
      return sql<SqlBool>`${not(of.is === 'has_not')} leads.tags @> ${[of.value]}::text[]`
    case 'temperature':
      return sql<SqlBool>`${not(of.is === 'is_not')} (${isTemperature[of.value]})`
    case 'status':
      return sql<SqlBool>`${not(of.is === 'is_not')} leads.status = ${of.value}`
    case 'source':
      return sql<SqlBool>`${not(of.is === 'is_not')} leads.source = ${of.value}`
    case 'created':
      return sql<SqlBool>`leads.created_at ${sql.raw(of.is === 'within_days' ? '>=' : '<')} now() - ${of.value} * interval '1 day'`
    case 'activity':
      return sql<SqlBool>`leads.last_activity_at ${sql.raw(of.is === 'within_days' ? '>=' : '<')} now() - ${of.value} * interval '1 day'`
    case 'own':
      return sql<SqlBool>`(leads.user_id in (select f.user_id from contact_fields f where f.id = ${of.id}::uuid)
        and ${not(of.is === 'is_not')} leads.fields @> ${JSON.stringify({ [of.id]: of.value })}::jsonb)`
    case 'campaign': {
      const did = of.is.endsWith('opened')
        ? sql`and r.opened_at is not null`
        : of.is.endsWith('clicked')
          ? sql`and r.clicked_at is not null`
          : sql``
      return sql<SqlBool>`(leads.user_id in (select m.user_id from email_campaigns m where m.id = ${of.value}::uuid)
        and ${not(of.is.startsWith('not_'))} exists (
          select from email_recipients r where r.campaign_id = ${of.value}::uuid and r.contact_id = leads.id and r.user_id = leads.user_id
            and r.state = 'sent' ${did}))`
    }
  }
}
const not = (negated: boolean) => (negated ? sql`not` : sql``)

/** The sentence in a segment's summary about its conditions on what was deleted. */
export async function noteOn(db: Ctx<CrmDb>['db'], userId: string, { conditions }: SegmentTree): Promise<string | undefined> {
  const all = conditions.flatMap((part) => ('field' in part ? [part] : part.conditions))
  const fields = [...new Set(all.flatMap((of) => (of.field === 'own' ? [of.id] : [])))]
  const campaigns = [...new Set(all.flatMap((of) => (of.field === 'campaign' ? [of.value] : [])))]
  if (fields.length + campaigns.length === 0) return undefined
  const { rows } = await sql<{ fields: number; campaigns: number }>`
    select (select count(*)::int from contact_fields where user_id = ${userId} and id = any(${fields}::uuid[])) as fields,
      (select count(*)::int from email_campaigns where user_id = ${userId} and id = any(${campaigns}::uuid[])) as campaigns`.execute(db)
  if (rows[0]!.fields < fields.length) return gone('field')
  return rows[0]!.campaigns < campaigns.length ? gone('campaign') : undefined
}
const gone = (what: string) => `A condition names a ${what} that was deleted. It matches nobody: change or remove it.`

export const address = sql`lower(trim(leads.email))`
const said = sql`select from consents c where c.user_id = leads.user_id and c.channel = 'email' and c.address = lower(trim(leads.email))`
/**
 * An address that is not suppressed: one per contact, in lower case. Where a visitor typed it and nobody has shown whose it is, its owner has
 * to agree first. A change of a booking brings back a contact that was deleted.
 */
export const reachable = sql<SqlBool>`leads.email like '%@%' and not exists (${said} and c.state <> 'given')
  and (leads.source not in ('booking', 'change', 'form') or exists (${said} and c.state = 'given'))`

export async function countSegment(
  db: Ctx<CrmDb>['db'],
  userId: string,
  tree: SegmentTree,
  topicId: string | null = null,
): Promise<{ contacts: number; reachable: number; left_topic: number }> {
  const isIn = stillIn(sql`${topicId}::uuid`, address)
  const { rows } = await sql<{ contacts: number; reachable: number; left_topic: number }>`
    select count(*)::int as contacts, (count(*) filter (where ${reachable} and ${isIn}))::int as reachable,
      (count(*) filter (where ${reachable} and not ${isIn}))::int as left_topic
    from leads where leads.user_id = ${userId} and ${compile(tree)}`.execute(db)
  return rows[0]!
}

const SHOWN = 10
export async function previewSegment(
  ctx: Ctx<CrmDb>,
  { tree, segment_id }: Input<typeof contract.previewSegment>,
): Promise<Output<typeof contract.previewSegment>> {
  const { id: userId } = signedIn(ctx)
  const asked = segment_id ? await readTree(ctx.db, userId, segment_id) : (tree ?? EVERYONE)
  const { contacts, reachable: reached } = await countSegment(ctx.db, userId, asked)
  const { rows } = await sql<{ contact_id: string; name: string; email: string }>`
    select id as contact_id, name, email from leads where leads.user_id = ${userId} and ${compile(asked)} and ${reachable}
    order by id desc limit ${SHOWN}`.execute(ctx.db)
  return { contacts, reachable: reached, first: rows, note: await noteOn(ctx.db, userId, asked) }
}
export const EVERYONE: SegmentTree = { match: 'all', conditions: [] }

export async function readTree(db: Ctx<CrmDb>['db'], userId: string, segmentId: string): Promise<SegmentTree> {
  const row = await db
    .selectFrom('email_segments')
    .select('tree')
    .where('id', '=', segmentId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return row.tree
}

export async function listSegments(ctx: Ctx<CrmDb>): Promise<Output<typeof contract.listSegments>> {
  const rows = await ctx.db
    .selectFrom('email_segments')
    .selectAll()
    .where('user_id', '=', signedIn(ctx).id)
    .orderBy('id', 'desc')
    .limit(MOST_SEGMENTS)
    .execute()
  return { segments: rows.map(segmentOf) }
}

export async function saveSegment(
  ctx: Ctx<CrmDb>,
  { segment_id, name, tree }: Input<typeof contract.saveSegment>,
): Promise<Output<typeof contract.saveSegment>> {
  const { id: userId } = signedIn(ctx)
  const said = { name, tree: JSON.stringify(tree) }
  if (segment_id) {
    const row = await ctx.db
      .updateTable('email_segments')
      .set(said)
      .where('id', '=', segment_id)
      .where('user_id', '=', userId)
      .returningAll()
      .executeTakeFirst()
    if (!row) throw new DomainError('not_found')
    return segmentOf(row)
  }
  const kept = await ctx.db.selectFrom('email_segments').select('id').where('user_id', '=', userId).limit(MOST_SEGMENTS).execute()
  if (kept.length >= MOST_SEGMENTS) throw new DomainError('segments_full')
  const row = { id: newId(), user_id: userId, ...said }
  return segmentOf(await ctx.db.insertInto('email_segments').values(row).returningAll().executeTakeFirstOrThrow())
}

export async function deleteSegment(
  ctx: Ctx<CrmDb>,
  { segment_id }: Input<typeof contract.deleteSegment>,
): Promise<Output<typeof contract.deleteSegment>> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('email_segments')
    .where('id', '=', segment_id)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirstOrThrow()
  if (!numDeletedRows) throw new DomainError('not_found')
  return { deleted: true }
}

const segmentOf = ({ id, name, tree, created_at }: { id: string; name: string; tree: SegmentTree; created_at: Date }) => ({
  segment_id: id,
  name,
  tree,
  created_at: created_at.toISOString(),
})
