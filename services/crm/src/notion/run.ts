import { syncNotion } from '@operon/contracts/crm/events'
import { MOST_NOTION_ROWS } from '@operon/contracts/crm/notion-sync'
import { listNotionChanges, listNotionColumns } from '@operon/contracts/integrations/notion-rows'
import { DAY_MS, now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CrmDb } from '../schema.ts'
import { asking, type Held, Lost, type Rt, roomOf, whileHeld } from './held.ts'
import { fieldsIn, mapped, statusesOf } from './match.ts'
import { type Row, takeRow } from './merge.ts'
import { push } from './push.ts'
import type { SyncRow } from './schema.ts'

const MINUTES = 5
/** One run reads and writes so much; the rest is the next one's. */
const PAGES = 5

/** Brings both sides level: what was edited over there first, so that what is written there is compared with it. */
export async function runSync(db: Kysely<any>, rt: Rt, syncId: string): Promise<void> {
  const { rows } = await sql<SyncRow>`
    update notion_syncs set lease = ${newId()}, leased_until = now() + interval '10 minutes', due_at = now() + ${MINUTES} * interval '1 minute'
    where id = ${syncId} and (leased_until is null or leased_until < now()) returning *`.execute(db)
  const sync = rows[0]
  if (!sync) return
  const held = { db, rt, sync }
  try {
    const more = (await pull(held)) || (await push(held))
    await whileHeld(held, async (trx) => {
      await end(trx, sync, more ? sql<Date>`now()` : sql<Date>`due_at`, more ? {} : { synced_at: new Date(now()), failure: null })
      // It was asked for once more while this run was at work.
      const { rows } = await sql`select from notion_syncs where id = ${sync.id} and due_at <= now()`.execute(trx)
      if (rows.length) await enqueue(trx, syncNotion, { sync_id: sync.id }, { userId: sync.user_id })
    })
  } catch (error) {
    if (error instanceof Lost) return
    await whileHeld(held, (trx) => failed(trx, sync, error)).catch((late: unknown) => {
      if (!(late instanceof Lost)) throw late
    })
    if (!(error instanceof DomainError)) throw error
  }
}

const end = (trx: Trx, { id }: SyncRow, due_at: RawBuilder<Date>, more: { synced_at?: Date; failure?: string | null }) =>
  trx
    .updateTable('notion_syncs')
    .set({ lease: null, leased_until: null, due_at, ...more })
    .where('id', '=', id)
    .execute()

function failed(trx: Trx, sync: SyncRow, error: unknown) {
  // Notion says when it takes more, so nothing has failed.
  if (error instanceof DomainError && error.code === 'app_busy') {
    const seconds = Number((error.details as { retry_after_seconds?: number } | undefined)?.retry_after_seconds ?? 30)
    return end(trx, sync, sql<Date>`now() + ${seconds} * interval '1 second'`, {})
  }
  const failure = error instanceof DomainError ? error.message : 'Something went wrong on our side.'
  return end(trx, sync, sql<Date>`due_at`, { failure: failure.slice(0, 300) })
}

/** Returns whether there is more to read. */
async function pull(held: Held): Promise<boolean> {
  const { rt, sync } = held
  for (let page = 0; page < PAGES; page++) {
    if (sync.cursor === null) await begin(held)
    const asked = {
      ...{ connection_id: sync.connection_id, database_id: sync.database_id, columns: mapped(sync.columns).map(([, column]) => column) },
      ...{ since: sync.listing ? null : sync.since!.toISOString(), cursor: sync.cursor },
    }
    const { rows, cursor, reset } = await rt.call(listNotionChanges, asked, asking(sync.user_id, 'list-notion-changes'))
    if (reset) sync.skipping = 0
    sync.skipping += await takeAll(held, rows)
    const latest = rows.at(-1)
    if (latest) sync.seen_until = new Date(latest.last_edited)
    sync.cursor = cursor
    await keep(held)
    if (cursor === null) return false
  }
  return true
}

async function begin({ rt, sync }: Held): Promise<void> {
  const listed = sync.listed_at?.getTime() ?? 0
  sync.listing = sync.since === null || listed < now() - DAY_MS
  sync.mark += sync.listing ? 1 : 0
  sync.skipping = 0
  sync.seen_until = null
  // An option that got another name over there changes no row.
  if (!sync.listing || !sync.columns.done) return
  const { connection_id, database_id } = sync
  const found = await rt.call(listNotionColumns, { connection_id, database_id }, asking(sync.user_id, 'list-notion-columns'))
  sync.statuses = statusesOf(sync.columns, found.columns)
}

/** A row that says what it said last is left alone: our own writing comes back as an edit too. Returns how many no record was found for. */
async function takeAll(held: Held, rows: Row[]): Promise<number> {
  const { db, sync } = held
  const ids = rows.map(({ id }) => id)
  const links = await db
    .selectFrom('notion_links')
    .select(['page_id', 'there', 'conflicts', 'gone'])
    .where('sync_id', '=', sync.id)
    .where('page_id', 'in', ids.length ? ids : [''])
    .execute()
  const known = new Map(links.map((link) => [link.page_id, link]))
  let skipped = 0
  const level: string[] = []
  let left = rows.some(({ id }) => !known.has(id)) ? await roomOf(held) : 0
  for (const row of rows) {
    const link = known.get(row.id)
    const there = fieldsIn(sync.columns, row.values)
    const same =
      link &&
      !link.gone &&
      !row.gone &&
      !link.conflicts &&
      Object.entries(there).every(([field, value]) => link.there[field as 'name'] === value)
    if (same) {
      level.push(row.id)
      continue
    }
    if (!link && left <= 0) throw new DomainError('app_input', { message: tooMany })
    const outcome = await whileHeld(held, (trx) => takeRow(trx, sync, row))
    if (outcome === 'unusable') skipped++
    else if (!link && outcome === 'level') left--
  }
  if (sync.listing && level.length)
    await db.updateTable('notion_links').set({ mark: sync.mark }).where('sync_id', '=', sync.id).where('page_id', 'in', level).execute()
  return skipped
}

const tooMany = `The database has more than ${MOST_NOTION_ROWS.toLocaleString('en')} rows, which is the most that can be synced.`

/** Keeps where the reading is. At the end of a full one, rows that it did not come across are gone over there: their records stay. */
async function keep(held: Held): Promise<void> {
  const { sync } = held
  const { id, cursor, mark, listing, skipping } = sync
  const done = cursor === null
  if (done && sync.seen_until) sync.since = sync.seen_until
  const { since, seen_until } = sync
  await whileHeld(held, async (trx) => {
    await trx
      .updateTable('notion_syncs')
      .set({
        cursor,
        mark,
        listing,
        skipping,
        since,
        seen_until,
        statuses: sync.statuses && JSON.stringify(sync.statuses),
        ...(done && listing && { skipped: skipping, listed_at: new Date(now()) }),
      })
      .where('id', '=', id)
      .execute()
    if (done && listing)
      await trx
        .updateTable('notion_links')
        .set({ gone: true })
        .where('sync_id', '=', id)
        .where('mark', '<', mark)
        .where('gone', '=', false)
        .execute()
  })
}

const PIECE = 200
/** The next time is set with the claim, so several instances run each once. */
export async function syncsDue(ctx: Pick<Ctx<CrmDb>, 'db' | 'signal'>): Promise<void> {
  for (let count = PIECE; count === PIECE && !ctx.signal.aborted; )
    count = await inTransaction(ctx.db, async (trx) => {
      const { rows } = await sql<{ id: string; user_id: string }>`
        update notion_syncs set due_at = now() + ${MINUTES} * interval '1 minute' where id in (
          select id from notion_syncs where due_at <= now() order by due_at limit ${PIECE} for update skip locked) returning id, user_id`.execute(
        trx,
      )
      for (const { id, user_id } of rows) await enqueue(trx, syncNotion, { sync_id: id }, { userId: user_id })
      return rows.length
    })
}
