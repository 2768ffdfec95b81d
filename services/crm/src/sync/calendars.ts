import type { Input, Output } from '@operon/contracts/contract'
import { copyBooking, syncCalendar } from '@operon/contracts/crm/events'
import type * as contract from '@operon/contracts/crm/sync'
import { listCaldavCalendars } from '@operon/contracts/integrations/caldav'
import { CALDAV, calendarApps, watchCalendar } from '@operon/contracts/integrations/calendars'
import { listConnections } from '@operon/contracts/integrations/connections'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { type Kysely, type Selectable, sql } from 'kysely'
import { actingFor, type CarriersRt } from '../email/transports.ts'
import type { CrmDb } from '../schema.ts'

export type SyncedRow = Selectable<CrmDb['synced_calendars']>
type Call = Ctx<CrmDb>
type Rt = Pick<CarriersRt, 'call'>

const MOST = 10
const shown = ({ id, connection_id, app, account, busy, copies, follows, synced_at, failure }: SyncedRow) => ({
  ...{ id, connection_id, app, account, busy, copies, follows, failure },
  synced_at: synced_at?.toISOString() ?? null,
})
const calendarsOf = async (db: Kysely<any>, userId: string) =>
  (db as Kysely<CrmDb>).selectFrom('synced_calendars').selectAll().where('user_id', '=', userId).orderBy('id').limit(MOST).execute()

export async function listSyncedCalendars(ctx: Call): Promise<Output<typeof contract.listSyncedCalendars>> {
  return { calendars: (await calendarsOf(ctx.db, signedIn(ctx).id)).map(shown) }
}

export async function syncCalendars(ctx: Call, rt: Rt): Promise<Output<typeof contract.syncCalendars>> {
  const { id: userId } = signedIn(ctx)
  await findCalendars(ctx.db, rt, userId)
  return listSyncedCalendars(ctx)
}

/** Adds the calendars that are connected, and forgets those that are not any more: their events block nothing from then on. */
export async function findCalendars(db: Call['db'], rt: Rt, userId: string): Promise<void> {
  const [lists, { calendars }] = await Promise.all([
    Promise.all(calendarApps.map((app) => rt.call(listConnections, { app }, actingFor(userId, 'list-connections')))),
    rt.call(listCaldavCalendars, {}, actingFor(userId, 'list-caldav-calendars')),
  ])
  const atServers = calendars.map(({ connection_id, name, state }) => ({ id: connection_id, app: CALDAV, account: name, state }))
  const connected = [...lists.flatMap(({ connections }) => connections), ...atServers]
    .filter(({ state }) => state !== 'disconnected')
    .slice(0, MOST)
  await inTransaction(db, async (trx) => {
    for (const { id: connection_id, app, account } of connected)
      await trx
        .insertInto('synced_calendars')
        // An account at a server has several calendars, of which its owner says which one takes appointments.
        .values({ id: newId(), user_id: userId, connection_id, app: app as SyncedRow['app'], account, copies: app !== CALDAV })
        .onConflict((conflict) => conflict.columns(['user_id', 'connection_id']).doUpdateSet({ account }))
        .execute()
    const ids = connected.map(({ id }) => id)
    await sql`delete from synced_calendars where user_id = ${userId} and connection_id <> all(${ids}::uuid[])`.execute(trx)
    for (const { id } of await calendarsOf(trx, userId)) await enqueue(trx, syncCalendar, { calendar_id: id }, { userId })
  })
}

export async function updateSyncedCalendar(
  ctx: Call,
  { calendar_id, busy, copies, follows }: Input<typeof contract.updateSyncedCalendar>,
): Promise<Output<typeof contract.updateSyncedCalendar>> {
  const row = await ctx.db
    .updateTable('synced_calendars')
    .set({ busy, copies, ...(follows !== undefined && { follows }) })
    .where('id', '=', calendar_id)
    .where('user_id', '=', signedIn(ctx).id)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return shown(row)
}

/** Asks once whether it can tell us of changes; the connection keeps that up from then on. */
export async function watch(db: Kysely<any>, rt: Rt, { id, user_id, connection_id }: SyncedRow): Promise<void> {
  const asked = { ...actingFor(user_id, 'watch-calendar'), idempotencyKey: `watch ${id}` }
  const { told } = await rt.call(watchCalendar, { connection_id }, asked)
  await (db as Kysely<CrmDb>).updateTable('synced_calendars').set({ told }).where('id', '=', id).where('user_id', '=', user_id).execute()
}

const PIECE = 200
const MINUTES = 5
/** Hints get lost, so every calendar is read now and then. The next time is set with the claim: several instances read each once. */
export async function syncDue(ctx: Pick<Call, 'db' | 'signal'>): Promise<void> {
  for (let count = PIECE; count === PIECE && !ctx.signal.aborted; )
    count = await inTransaction(ctx.db, async (trx) => {
      const { rows } = await sql<{ id: string; user_id: string }>`
        update synced_calendars set due_at = now() + case when told then 3 else 1 end * ${MINUTES} * interval '1 minute' where id in (
          select id from synced_calendars where due_at <= now() order by due_at limit ${PIECE} for update skip locked)
        returning id, user_id`.execute(trx)
      for (const { id, user_id } of rows) await enqueue(trx, syncCalendar, { calendar_id: id }, { userId: user_id })
      return rows.length
    })
}

/** A changed booking is written into the calendars that take copies; who has none pays one look at an index. */
export async function copyLater(trx: Parameters<typeof enqueue>[0], userId: string, bookingId: string): Promise<void> {
  const { rows } = await sql`select from synced_calendars where user_id = ${userId} and copies limit 1`.execute(trx)
  if (rows.length) await enqueue(trx, copyBooking, { booking_id: bookingId }, { userId })
}
