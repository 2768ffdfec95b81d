import type { Input, Output } from '@operon/contracts/contract'
import { contactMerged, leadCountChanged } from '@operon/contracts/crm/events'
import type * as contract from '@operon/contracts/crm/merges'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import type { Trx } from './assert.ts'
import { halved } from './rows.ts'
import { addActivity } from './timeline.ts'

type Call = Ctx<CrmDb>
type Fields = Pick<Lead, 'email' | 'phone' | 'company' | 'company_id' | 'job_title' | 'tags' | 'fields'>
type Lead = { id: string; name: string; tags: string[]; fields: Record<string, string | number | boolean> } & Record<
  'email' | 'phone' | 'company' | 'company_id' | 'job_title',
  string | null
>
type Moved = Record<(typeof belongings)[number], string[]>

/** The rows that a contact brings along. The list that a merge keeps of it has to stay short, so a longer timeline is refused. */
const belongings = [
  ...(['activities', 'tasks', 'deals', 'lead_submissions'] as const),
  ...(['contact_emails', 'contact_phones', 'contact_files', 'email_sequence_people', 'note_mentions'] as const),
] as const
const MOST = 5_000
const MOST_TAGS = 20
const fillable = ['email', 'phone', 'company', 'company_id', 'job_title'] as const

export async function mergeContacts(
  ctx: Call,
  { keep_id, merge_id }: Input<typeof contract.mergeContacts>,
): Promise<Output<typeof contract.mergeContacts>> {
  const { id: userId } = signedIn(ctx)
  if (keep_id === merge_id) throw new DomainError('merge_itself')
  return inTransaction(ctx.db, async (trx) => {
    const found = await lock(trx as Trx, userId, [keep_id, merge_id])
    const [kept, gone] = [found.get(keep_id), found.get(merge_id)]
    if (!kept || !gone) throw new DomainError('not_found')
    const moved = {} as Moved
    for (const table of belongings) moved[table] = await moveAll(trx as Trx, userId, table, merge_id, keep_id)
    const before = fieldsOf(kept)
    const after: Fields = {
      ...before,
      tags: [...new Set([...kept.tags, ...gone.tags])].sort().slice(0, MOST_TAGS),
      fields: { ...gone.fields, ...kept.fields },
    }
    for (const field of fillable) after[field] = kept[field] ?? gone[field]
    // The company goes with its name: one that the kept contact names is not mixed with the other's.
    if (kept.company) after.company_id = kept.company_id
    const { rows } = await sql<{ gone: string }>`
      with gone as (delete from leads where id = ${merge_id} and user_id = ${userId} returning *)
      update leads k set email = ${after.email}, phone = ${after.phone}, company = ${after.company}, company_id = ${after.company_id},
        job_title = ${after.job_title}, tags = ${after.tags}::text[], fields = ${JSON.stringify(after.fields)}::jsonb, last_activity_at = greatest(k.last_activity_at, gone.last_activity_at),
        hot_until = warmed(k.hot_until, 30 * ${halved(sql`gone.hot_until`)}, now()), version = k.version + 1
      from gone where k.id = ${keep_id} and k.user_id = ${userId} returning (to_jsonb(gone) - 'search')::text as gone`.execute(trx)
    const id = newId()
    await trx
      .insertInto('contact_merges')
      .values({
        ...{ id, user_id: userId, kept_id: keep_id, gone_id: merge_id, gone: rows[0]!.gone },
        ...{ before: JSON.stringify(before), after: JSON.stringify(after), moved: JSON.stringify(moved) },
      })
      .execute()
    const text = `Merged with ${gone.name}${gone.email ? ` (${gone.email})` : ''}`
    await addActivity(trx as Trx, userId, { contactId: keep_id, kind: 'change', text, at: new Date() })
    await publish(trx, leadCountChanged, userId, { change: -1 })
    await publish(trx, contactMerged, userId, { kept_id: keep_id, merged_id: merge_id })
    return { merge_id: id, contact_id: keep_id }
  })
}

const fieldsOf = ({ email, phone, company, company_id, job_title, tags, fields }: Lead): Fields => ({
  ...{ email, phone, company, company_id, job_title, tags, fields },
})

/** In the order of their ids, so that two merges of the same contacts do not wait for each other. */
async function lock(trx: Trx, userId: string, ids: string[]): Promise<Map<string, Lead>> {
  const rows = await trx
    .selectFrom('leads')
    .select(['id', 'name', 'email', 'phone', 'company', 'company_id', 'job_title', 'tags', 'fields'])
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Entries of both stay where they are: an event that told of both is in the timeline of each, and once in the merged one. */
const same: Partial<Record<(typeof belongings)[number], string>> = {
  activities: 'event_id',
  contact_phones: 'phone',
  contact_files: 'file_id',
  email_sequence_people: 'sequence_id',
}
async function moveAll(trx: Trx, userId: string, table: (typeof belongings)[number], from: string, to: string): Promise<string[]> {
  const key = same[table] && sql.ref(`${same[table]}`)
  const { rows } = await sql<{ id: string }>`
    update ${sql.table(table)} t set contact_id = ${to} where t.id in (
      select id from ${sql.table(table)} m where m.user_id = ${userId} and m.contact_id = ${from}
        ${key ? sql`and not exists (select from ${sql.table(table)} k where k.user_id = ${userId} and k.contact_id = ${to} and k.${key} = m.${key})` : sql``}
      limit ${MOST + 1}) and t.user_id = ${userId} returning id`.execute(trx)
  if (rows.length > MOST) throw new DomainError('merge_long')
  return rows.map(({ id }) => id)
}

export async function unmergeContacts(
  ctx: Call,
  { merge_id }: Input<typeof contract.unmergeContacts>,
): Promise<Output<typeof contract.unmergeContacts>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const merge = await trx
      .deleteFrom('contact_merges')
      .where('id', '=', merge_id)
      .where('user_id', '=', userId)
      .returning(['kept_id', 'gone_id', 'before', 'after', 'moved', sql<string>`gone::text`.as('gone')])
      .executeTakeFirst()
    if (!merge) throw new DomainError('not_found')
    const { kept_id, gone_id } = merge
    const before = merge.before as Fields
    const after = merge.after as Fields
    const kept = (await lock(trx as Trx, userId, [kept_id])).get(kept_id)
    // Deleted, or merged into yet another: that comes back first.
    if (!kept) throw new DomainError('merge_order')
    for (const table of belongings)
      await sql`
        update ${sql.table(table)} set contact_id = ${gone_id}
        where user_id = ${userId} and contact_id = ${kept_id} and id = any(${(merge.moved as Moved)[table] ?? []}::uuid[])`.execute(trx)
    const set = {} as Fields
    for (const field of fillable) set[field] = kept[field] === after[field] ? before[field] : kept[field]
    const brought = after.tags.filter((tag) => !before.tags.includes(tag))
    set.tags = kept.tags.filter((tag) => !brought.includes(tag))
    const isBrought = ([id, value]: [string, unknown]) => before.fields?.[id] === undefined && after.fields?.[id] === value
    set.fields = Object.fromEntries(Object.entries(kept.fields).filter((entry) => !isBrought(entry)))
    await trx
      .updateTable('leads')
      .set({ ...set, fields: JSON.stringify(set.fields), version: sql`version + 1` })
      .where('id', '=', kept_id)
      .where('user_id', '=', userId)
      .execute()
    await bringBack(trx as Trx, userId, gone_id, merge.gone)
    for (const id of [kept_id, gone_id]) await warmAnew(trx as Trx, userId, id)
    const text = 'Taken apart from a contact that was merged'
    for (const contactId of [kept_id, gone_id]) await addActivity(trx as Trx, userId, { contactId, kind: 'change', text, at: new Date() })
    await publish(trx, leadCountChanged, userId, { change: 1 })
    return { kept_id, contact_id: gone_id }
  })
}

async function bringBack(trx: Trx, userId: string, contactId: string, image: string): Promise<void> {
  const { rows } = await sql<{ email: string | null }>`
    insert into leads (id, user_id, name, email, status, source, created_at, phone, company, company_id, job_title, tags, fields, hot_until, last_activity_at, version)
    select c.id, c.user_id, c.name, c.email, c.status, c.source, c.created_at, c.phone, c.company, c.company_id, c.job_title, c.tags, coalesce(c.fields, '{}'), c.hot_until,
      c.last_activity_at, c.version + 1 from jsonb_populate_record(null::leads, ${image}::jsonb) c returning email`.execute(trx)
  const email = rows[0]!.email?.trim().toLowerCase()
  if (!email?.includes('@')) return
  // The address may have been taken off the kept contact since, and given to somebody else.
  const { rows: own } = await sql`
    insert into contact_emails (id, user_id, email, contact_id) values (${newId()}, ${userId}, ${email}, ${contactId})
    on conflict (user_id, email) do update set email = excluded.email where contact_emails.contact_id = excluded.contact_id returning id`.execute(
    trx,
  )
  if (own.length === 0) throw new DomainError('contact_exists')
}

/** From what each has in its timeline: the sum that `warmed` keeps up to date otherwise. */
const warmAnew = (trx: Trx, userId: string, contactId: string) =>
  sql`
  update leads set hot_until = coalesce((
    select warmed('epoch', sum(points * ${halved(sql`at`)}), now()) from (
      select points, at from activities where user_id = ${userId} and contact_id = ${contactId} order by at desc, id desc limit ${MOST}) latest
    where points > 0 having sum(points) > 0), 'epoch')
  where id = ${contactId} and user_id = ${userId}`.execute(trx)

const SHOWN = 5
export async function listMerges(
  ctx: Call,
  { contact_id }: Input<typeof contract.listMerges>,
): Promise<Output<typeof contract.listMerges>> {
  const { id: userId } = signedIn(ctx)
  const merges = await sql<{ merge_id: string; name: string; email: string | null; at: Date }>`
    select id as merge_id, gone ->> 'name' as name, gone ->> 'email' as email, at from contact_merges
    where user_id = ${userId} and kept_id = ${contact_id} order by id desc limit 20`.execute(ctx.db)
  const others = await sql<Output<typeof contract.listMerges>['others'][number]>`
    with it as (select id, lower(name) as name from leads where id = ${contact_id} and user_id = ${userId}), found as (
      (select l.id from it, leads l where l.user_id = ${userId} and lower(l.name) = it.name and l.id <> it.id limit ${SHOWN})
      union
      (select p.contact_id from it join contact_phones own on own.user_id = ${userId} and own.contact_id = it.id
        join contact_phones p on p.user_id = ${userId} and p.phone = own.phone and p.contact_id <> it.id limit ${SHOWN})
    ) select l.id, l.name, l.email, l.phone from found join leads l on l.id = found.id and l.user_id = ${userId} order by l.id limit ${SHOWN}`.execute(
    ctx.db,
  )
  return { merges: merges.rows.map(({ at, ...merge }) => ({ ...merge, at: at.toISOString() })), others: others.rows }
}
