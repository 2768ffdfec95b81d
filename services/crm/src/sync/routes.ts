import * as jobs from '@operon/contracts/crm/events'
import * as contract from '@operon/contracts/crm/sync'
import { CALDAV, calendarApps } from '@operon/contracts/integrations/calendars'
import { calendarChanged, connectionChanged } from '@operon/contracts/integrations/events'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { enqueue } from '@operon/kit/tx'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { findCalendars, listSyncedCalendars, syncCalendars, syncDue, updateSyncedCalendar } from './calendars.ts'
import { copyBooking } from './copy.ts'
import { follow } from './follow.ts'
import { pull } from './pull.ts'

export function syncRoutes(rt: Runtime<CrmDb, Config>) {
  const { app } = rt
  serve(app, contract.listSyncedCalendars, listSyncedCalendars)
  serve(app, contract.syncCalendars, (ctx) => syncCalendars(ctx, rt))
  serve(app, contract.updateSyncedCalendar, updateSyncedCalendar)
  rt.on(connectionChanged, 'find-calendars', async (trx, { user_id, payload }) => {
    if (user_id && [...calendarApps, CALDAV].some((each) => each === payload.service_name))
      await enqueue(trx, jobs.findCalendars, { user_id }, { userId: user_id })
  })
  rt.on(calendarChanged, 'sync-calendar', async (trx, { user_id, payload }) => {
    if (!user_id) return
    const known = await trx
      .selectFrom('synced_calendars')
      .select('id')
      .where('user_id', '=', user_id)
      .where('connection_id', '=', payload.connection_id)
      .executeTakeFirst()
    if (known) await enqueue(trx, jobs.syncCalendar, { calendar_id: known.id }, { userId: user_id })
  })
  rt.job(jobs.findCalendars, ({ db }, { payload }) => findCalendars(db, rt, payload.user_id))
  rt.job(jobs.syncCalendar, ({ db }, { payload }) => pull(db, rt, payload.calendar_id))
  rt.job(jobs.copyBooking, ({ db }, { payload }) => copyBooking(db, rt, payload.booking_id))
  rt.job(jobs.followCopy, ({ db }, { payload }) => follow(db, payload))
  rt.job(jobs.syncDue, (ctx) => syncDue(ctx), { everyMs: 60_000 })
}
