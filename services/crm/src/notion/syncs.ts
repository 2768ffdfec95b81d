import type { Input, Output } from '@operon/contracts/contract'
import { syncNotion } from '@operon/contracts/crm/events'
import type * as contract from '@operon/contracts/crm/notion-sync'
import { listNotionColumns } from '@operon/contracts/integrations/notion-rows'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CrmDb } from '../schema.ts'
import { asking, type Rt } from './held.ts'
import { kindOf, ownOf } from './kinds.ts'
import { chosen, fieldsOf, proposed, statusesOf } from './match.ts'
import { byField, type Field, type Fields, type Own, type SyncRow } from './schema.ts'

type Call = Ctx<CrmDb>
type Sync = Output<typeof contract.startNotionSync>
const MOST_CONFLICTS = 50
const UNIQUE_VIOLATION = '23505'

async function shown(db: Call['db'], row: SyncRow): Promise<Sync> {
  const { rows } = await sql<{ linked: number; conflicts: number; unlinked: number }>`
    select count(*) filter (where not gone)::int as linked, count(*) filter (where not gone and conflicts is not null)::int as conflicts,
      count(*) filter (where gone)::int as unlinked from notion_links where sync_id = ${row.id}`.execute(db)
  const { id, kind, connection_id, database_id, title, columns, adds, synced_at, failure, skipped } = row
  return {
    id,
    kind,
    connection_id,
    database_id,
    title,
    columns,
    adds,
    synced_at: synced_at?.toISOString() ?? null,
    failure,
    skipped,
    ...rows[0]!,
  }
}

export async function showSync(
  ctx: Call,
  { kind }: Input<typeof contract.showNotionSync>,
): Promise<Output<typeof contract.showNotionSync>> {
  const row = await ctx.db
    .selectFrom('notion_syncs')
    .selectAll()
    .where('user_id', '=', signedIn(ctx).id)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return { sync: row ? await shown(ctx.db, row) : null }
}

export async function propose(ctx: Call, { kind, ...asked }: Input<typeof contract.proposeNotionSync>, rt: Rt) {
  const found = await rt.call(listNotionColumns, asked, asking(signedIn(ctx).id, 'list-notion-columns'))
  return { ...found, proposal: proposed(kind, found.columns) }
}

/** The values of the links are of these columns alone, so with others the sync begins anew. */
export async function start(ctx: Call, input: Input<typeof contract.startNotionSync>, rt: Rt): Promise<Sync> {
  const { kind, connection_id, database_id, adds } = input
  const found = await propose(ctx, { kind, connection_id, database_id }, rt)
  const columns = chosen(kind, input.columns, found.columns)
  const statuses = statusesOf(columns, found.columns)
  const { id: userId } = signedIn(ctx)
  const started = inTransaction(ctx.db, async (trx) => {
    await refuseTwice(trx, userId, kind, database_id)
    const of = { user_id: userId, kind, connection_id, database_id }
    const set = { title: found.title.slice(0, 300), columns: JSON.stringify(columns), adds, statuses: statuses && JSON.stringify(statuses) }
    await sql`
      delete from notion_syncs where user_id = ${userId} and kind = ${kind}
        and (connection_id, database_id, columns) is distinct from (${connection_id}::uuid, ${database_id}, ${set.columns}::jsonb)`.execute(
      trx,
    )
    const row = await trx
      .insertInto('notion_syncs')
      .values({ id: newId(), ...of, ...set })
      .onConflict((conflict) => conflict.columns(['user_id', 'kind']).doUpdateSet({ ...set, due_at: sql`now()`, listed_at: null }))
      .returningAll()
      .executeTakeFirstOrThrow()
    await enqueue(trx, syncNotion, { sync_id: row.id }, { userId })
    return shown(trx as Call['db'], row)
  })
  return started.catch(async (error) => {
    // The other kind was started with this database at the same moment.
    if (error.code === UNIQUE_VIOLATION) await refuseTwice(ctx.db, userId, kind, database_id)
    throw error
  })
}

/** Rows of one database are either people or tasks: two syncs would take each other's rows for new ones. */
async function refuseTwice(db: Call['db'] | Trx, userId: string, kind: SyncRow['kind'], databaseId: string) {
  const { rows } = await sql<{ kind: string }>`
    select kind from notion_syncs where user_id = ${userId} and kind <> ${kind}
      and replace(database_id, '-', '') = ${databaseId.replaceAll('-', '')}`.execute(db)
  if (rows[0])
    throw new DomainError('app_input', {
      message: `Your ${rows[0].kind} are synced with this database. Choose another one for your ${kind}, or stop that sync first.`,
    })
}

export async function stop(ctx: Call, { sync_id }: Input<typeof contract.stopNotionSync>): Promise<Output<typeof contract.stopNotionSync>> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('notion_syncs')
    .where('id', '=', sync_id)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirstOrThrow()
  if (!numDeletedRows) throw new DomainError('not_found')
  return { stopped: true }
}

/** A full reading, which notices what was deleted over there. */
export async function syncNow(ctx: Call, { sync_id }: Input<typeof contract.runNotionSync>): Promise<Sync> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const row = await trx
      .updateTable('notion_syncs')
      .set({ due_at: sql`now()`, listed_at: null })
      .where('id', '=', sync_id)
      .where('user_id', '=', userId)
      .returningAll()
      .executeTakeFirst()
    if (!row) throw new DomainError('not_found')
    await enqueue(trx, syncNotion, { sync_id }, { userId })
    return shown(trx as Call['db'], row)
  })
}

export async function listConflicts(
  ctx: Call,
  { sync_id }: Input<typeof contract.listNotionConflicts>,
): Promise<Output<typeof contract.listNotionConflicts>> {
  const { id: userId } = signedIn(ctx)
  const sync = await ctx.db
    .selectFrom('notion_syncs')
    .select('kind')
    .where('id', '=', sync_id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!sync) return { conflicts: [] }
  const { rows } = await sql<{ id: string; conflicts: Fields; record: Own }>`
    select k.id, k.conflicts, to_jsonb(r) as record
    from notion_links k join (${kindOf(sync).records}) r on r.id = k.record_id and r.user_id = k.user_id
    where k.sync_id = ${sync_id} and k.user_id = ${userId} and k.conflicts is not null and not k.gone
    order by k.id limit ${MOST_CONFLICTS}`.execute(ctx.db)
  const isTask = sync.kind === 'tasks'
  return {
    conflicts: rows.map(({ id, conflicts, record }) => ({
      ...{ id, contact_id: isTask ? null : record.id, task_id: isTask ? record.id : null, name: record.name ?? record.title ?? '' },
      fields: fieldsOf(sync.kind)
        .filter((field) => field in conflicts)
        .map((field) => ({ field, here: record[field] ?? null, there: conflicts[field] ?? null })),
    })),
  }
}

const refused: Record<Field, string> = {
  name: 'The name is empty in Notion. Enter one there, or keep the one here.',
  email: 'The email in Notion cannot be taken over here. Correct it there, or keep the one here.',
  phone: 'The phone number in Notion is not a phone number. Correct it there, or keep the one here.',
  company: 'The company in Notion cannot be taken over. Keep the one here.',
  job_title: 'The job title in Notion cannot be taken over. Keep the one here.',
  title: 'The title is empty in Notion. Enter one there, or keep the one here.',
  done: 'The status in Notion is none of the options that are known here. Sync now, or keep the one here.',
  due: 'The date in Notion has a time zone of its own. Enter the time there without one, or keep the one here.',
}

/**
 * A value that stays counts as changed by that side alone: kept from here, it is written over there by the next sync, which compares with
 * the value that the person saw.
 */
export async function settle(
  ctx: Call,
  { link_id, keep }: Input<typeof contract.settleNotionConflict>,
): Promise<Output<typeof contract.settleNotionConflict>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const link = await trx
      .selectFrom('notion_links')
      .selectAll()
      .where('id', '=', link_id)
      .where('user_id', '=', userId)
      .where('conflicts', 'is not', null)
      .where('gone', '=', false)
      .forUpdate()
      .executeTakeFirst()
    const sync = link && (await trx.selectFrom('notion_syncs').selectAll().where('id', '=', link.sync_id).executeTakeFirst())
    const own = sync && (await ownOf(trx as Trx, sync, link.record_id))
    if (!own) throw new DomainError('not_found')
    const usables = await kindOf(sync).usable(trx as Trx, sync, link.conflicts!, own)
    const [here, changes]: [Fields, Fields] = [{ ...link.here }, {}]
    for (const [field, value] of byField(link.conflicts!)) {
      if (keep === 'here') here[field] = value
      else {
        const usable = usables[field]
        if (usable === undefined) throw new DomainError('app_input', { message: refused[field] })
        changes[field] = usable
        here[field] = usable
      }
    }
    if (keep === 'there') await kindOf(sync).change(trx as Trx, userId, own.id, changes)
    const there = { ...link.there, ...link.conflicts }
    const level = { here: JSON.stringify(here), there: JSON.stringify(there), conflicts: null, version: 0 }
    await trx.updateTable('notion_links').set(level).where('id', '=', link.id).execute()
    await enqueue(trx, syncNotion, { sync_id: link.sync_id }, { userId })
    return { settled: true }
  })
}
