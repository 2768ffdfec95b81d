import { writeNotionRow } from '@operon/contracts/integrations/notion-rows'
import { DomainError } from '@operon/kit/errors'
import { sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import { asking, type Held, roomOf, whileHeld } from './held.ts'
import { kindOf } from './kinds.ts'
import { fieldsIn, mapped, outward } from './match.ts'
import { added, insertLink, part, takeRow } from './merge.ts'
import type { Fields, LinkRow, Own } from './schema.ts'

/** So many records a run, each of two or three calls. */
const PIECE = 50

/** Writes what was changed here. Returns whether there is more. One that Notion refuses does not hold up the others. */
export async function push(held: Held): Promise<boolean> {
  let refusal: DomainError | null = null
  const one = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'app_refused') throw error
      refusal = error
    }
  }
  const changed = await changedRecords(held)
  for (const { link, record } of changed)
    await one(() => (record ? write(held, link, record) : whileHeld(held, async (trx) => void (await part(trx, link.id)))))
  const fresh = changed.length < PIECE && held.sync.adds ? await newRecords(held) : []
  for (const record of fresh) await one(() => add(held, record))
  if (refusal) throw refusal
  return changed.length === PIECE || fresh.length === PIECE
}

async function changedRecords({ db, sync }: Held): Promise<{ link: LinkRow; record: Own | null }[]> {
  const { rows } = await sql<{ link: LinkRow; record: Own | null }>`
    select to_jsonb(k) as link, case when r.id is null then null else to_jsonb(r) end as record
    from notion_links k left join (${kindOf(sync).records}) r on r.id = k.record_id and r.user_id = k.user_id
    where k.sync_id = ${sync.id} and not k.gone and (r.id is null or r.version <> k.version) order by k.id limit ${PIECE}`.execute(db)
  return rows
}

async function write(held: Held, link: LinkRow, record: Own): Promise<void> {
  const { rt, sync } = held
  const wanted = mapped(sync.columns).filter(
    ([field]) => !(link.conflicts && field in link.conflicts) && field in link.here && (record[field] ?? null) !== link.here[field],
  )
  const seen = (trx: Trx, more: { here: string; there: string } | object = {}) =>
    trx
      .updateTable('notion_links')
      .set({ version: record.version, ...more })
      .where('id', '=', link.id)
      .execute()
  if (!wanted.length) {
    await whileHeld(held, seen)
    return
  }
  const asked = {
    ...{ connection_id: sync.connection_id, database_id: sync.database_id, row_id: link.page_id },
    base: Object.fromEntries(wanted.map(([field, column]) => [column, link.there[field] ?? null])),
    changes: Object.fromEntries(wanted.map(([field, column]) => [column, outward(sync, field, record[field] ?? null)])),
  }
  const answer = await rt.call(writeNotionRow, asked, asking(sync.user_id, 'write-notion-row'))
  await whileHeld(held, async (trx) => {
    if (answer.outcome === 'gone' || !answer.row) return void (await part(trx, link.id))
    if (answer.outcome === 'conflict') return void (await takeRow(trx, sync, answer.row))
    const here: Fields = { ...link.here, ...Object.fromEntries(wanted.map(([field]) => [field, record[field] ?? null])) }
    const there: Fields = { ...link.there, ...fieldsIn(sync.columns, answer.row.values) }
    await seen(trx, { here: JSON.stringify(here), there: JSON.stringify(there) })
  })
}

/** Those that have no row yet, the oldest first. One that lost its row gets no other. */
async function newRecords(held: Held): Promise<Own[]> {
  const { db, sync } = held
  const room = await roomOf(held)
  if (room <= 0) return []
  const { rows } = await sql<Own>`
    select r.* from (${kindOf(sync).records}) r where r.user_id = ${sync.user_id} and r.adds
      and not exists (select from notion_links k where k.sync_id = ${sync.id} and k.record_id = r.id)
    order by r.id limit ${Math.min(PIECE, room)}`.execute(db)
  return rows
}

async function add(held: Held, record: Own): Promise<void> {
  const { rt, sync } = held
  const { unique } = kindOf(sync)
  const columns = mapped(sync.columns)
  const here: Fields = Object.fromEntries(columns.map(([field]) => [field, record[field] ?? null]))
  const changes = Object.fromEntries(columns.map(([field, column]) => [column, outward(sync, field, record[field] ?? null)]))
  if (!unique) {
    sync.adding = { record_id: record.id, here, there: fieldsIn(sync.columns, changes) }
    const adding = JSON.stringify(sync.adding)
    await whileHeld(held, (trx) => trx.updateTable('notion_syncs').set({ adding }).where('id', '=', sync.id).execute())
  }
  const key = unique && sync.columns[unique]
  const asked = { connection_id: sync.connection_id, database_id: sync.database_id, ...(key && { unique: key }), changes }
  const { outcome, row } = await rt.call(writeNotionRow, asked, asking(sync.user_id, 'write-notion-row'))
  if (!row) return
  await whileHeld(held, async (trx) => {
    await added(trx, sync)
    if (outcome === 'found') return void (await takeRow(trx, sync, row))
    await insertLink(trx, sync, {
      ...{ record_id: record.id, page_id: row.id, version: record.version, mark: sync.mark },
      ...{ here: JSON.stringify(here), there: JSON.stringify(fieldsIn(sync.columns, row.values)), conflicts: null },
    })
  })
}
