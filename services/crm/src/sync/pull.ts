import type { Output } from '@operon/contracts/contract'
import { listCalendarChanges } from '@operon/contracts/integrations/calendars'
import { DAY_MS, now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import { type Kysely, sql } from 'kysely'
import { actingFor, type CarriersRt } from '../email/transports.ts'
import type { CrmDb } from '../schema.ts'
import { type SyncedRow, watch } from './calendars.ts'
import { followLater } from './follow.ts'

type Changes = Output<typeof listCalendarChanges>
type Rt = Pick<CarriersRt, 'call'>

/** A reading that takes longer goes on in the next one, where its cursor left off. */
const PAGES = 40
/** The window of a list does not move with the days, so all is listed anew before it gets short. */
const LIST_AGAIN_MS = 20 * DAY_MS

/** Reads a calendar from where its last reading ended. */
export async function pull(db: Kysely<any>, rt: Rt, calendarId: string): Promise<void> {
  for (let page = 0; page < PAGES; page++) {
    const row = await read(db, calendarId)
    if (!row) return
    const isOld = !row.listing && row.listed_at !== null && row.listed_at.getTime() < now() - LIST_AGAIN_MS
    const cursor = isOld ? null : row.cursor
    try {
      const asked = { connection_id: row.connection_id, ...(cursor !== null && { cursor }) }
      const changes = await rt.call(listCalendarChanges, asked, { ...actingFor(row.user_id, 'list-calendar-changes'), deadlineMs: 30_000 })
      const done = await keep(db, row, cursor === null || changes.reset, changes)
      if (!done) continue
      if (row.synced_at === null) await watch(db, rt, row)
      return
    } catch (error) {
      await fail(db, row, error)
      return
    }
  }
}

const read = (db: Kysely<any>, id: string) =>
  (db as Kysely<CrmDb>).selectFrom('synced_calendars').selectAll().where('id', '=', id).executeTakeFirst()

/**
 * Keeps a page with the cursor after it, or neither. A page that was asked for with a cursor that is not the calendar's any more was
 * overtaken by another reading and is dropped: so pages apply in the order of the vendor, whoever reads and whatever comes late or twice.
 * Returns whether this was the last one.
 */
export async function keep(
  db: Kysely<any>,
  row: SyncedRow,
  isNew: boolean,
  { events, cursor, more, anew = [] }: Changes,
): Promise<boolean> {
  return inTransaction(db as Kysely<CrmDb>, async (trx) => {
    const kept = await trx.selectFrom('synced_calendars').selectAll().where('id', '=', row.id).forUpdate().executeTakeFirst()
    if (!kept || kept.cursor !== row.cursor || kept.mark !== row.mark) return false
    const mark = isNew ? kept.mark + 1 : kept.mark
    const listing = isNew || kept.listing
    // Of one that is named twice in a page, the later word counts.
    const last = new Map(events.map((event) => [event.id, event]))
    const there = [...last.values()].filter(({ removed, starts_at, ends_at }) => !removed && starts_at !== null && ends_at !== null)
    const gone = [...last.keys()].filter((id) => !there.some((event) => event.id === id))
    await sql`delete from external_events where calendar_id = ${row.id} and remote_id = any(${[...gone, ...anew]}::text[])`.execute(trx)
    if (anew.length) await sql`delete from external_events where calendar_id = ${row.id} and series = any(${anew}::text[])`.execute(trx)
    // Ours come back with the key that they were written under: they are appointments already.
    await sql`
      insert into external_events (id, user_id, calendar_id, remote_id, title, starts_at, ends_at, all_day, busy, mark, series)
      select uuidv7(), ${row.user_id}, ${row.id}, e.id, left(e.title, 300), e.starts_at, greatest(e.ends_at, e.starts_at), e.all_day, e.busy, ${mark}, e.series
      from jsonb_to_recordset(${JSON.stringify(there)}::jsonb) as e(id text, title text, starts_at timestamptz, ends_at timestamptz, all_day boolean, busy boolean, key text, series text)
      where not exists (select from bookings b where b.user_id = ${row.user_id} and b.id::text = e.key)
      on conflict (calendar_id, remote_id) do update set title = excluded.title, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
        all_day = excluded.all_day, busy = excluded.busy, mark = excluded.mark, series = excluded.series`.execute(trx)
    if (kept.follows) await followLater(trx, kept, [...last.values()])
    if (!more && listing) await sql`delete from external_events where calendar_id = ${row.id} and mark < ${mark}`.execute(trx)
    await trx
      .updateTable('synced_calendars')
      .set({ cursor, mark, listing: listing && more, failure: null })
      .$if(isNew, (of) => of.set({ listed_at: new Date(now()) }))
      .$if(!more, (of) => of.set({ synced_at: new Date(now()) }))
      .where('id', '=', row.id)
      .execute()
    return !more
  })
}

/** Known events stay and go on blocking their times: a calendar that cannot be read is not an empty one. */
async function fail(db: Kysely<any>, { id }: SyncedRow, error: unknown): Promise<void> {
  const isOwn = error instanceof DomainError
  const failure = isOwn ? error.message : 'It could not be read. It is tried again in a few minutes.'
  await (db as Kysely<CrmDb>)
    .updateTable('synced_calendars')
    .set({ failure: failure.slice(0, 300) })
    .where('id', '=', id)
    .execute()
  if (!isOwn) throw error
}
