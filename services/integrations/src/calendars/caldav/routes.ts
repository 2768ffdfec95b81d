import * as api from '@operon/contracts/integrations/caldav'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../../config.ts'
import type { Connecting } from '../../connections/connect.ts'
import type { IntegrationsDb } from '../../schema.ts'
import { connectCalendars, disconnectCalendar, findCalendars, listCalendars } from './connect.ts'

export function caldavRoutes({ app }: Runtime<IntegrationsDb, Config>, at: Connecting) {
  serve(app, api.findCaldavCalendars, (ctx, input) => findCalendars(ctx, input, at))
  serve(app, api.connectCaldavCalendars, (ctx, input) => connectCalendars(ctx, input, at))
  serve(app, api.listCaldavCalendars, listCalendars)
  serve(app, api.disconnectCaldavCalendar, disconnectCalendar)
}
