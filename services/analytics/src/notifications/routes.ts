import { listNotifications, notificationsRead, notificationsUnread } from '@operon/contracts/analytics/api'
import { notifications } from '@operon/contracts/analytics/tables'
import { userIdOf } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { AnalyticsDb } from '../schema.ts'
import { notificationsOf } from './list.ts'
import { markRead, markUnread } from './read.ts'

export function notificationRoutes(rt: Runtime<AnalyticsDb>) {
  serveTable(rt.app, notifications, { scope: (ctx) => ({ user_id: userIdOf(ctx.actor) }) })
  serve(rt.app, listNotifications, notificationsOf)
  serve(rt.app, notificationsRead, markRead(rt))
  serve(rt.app, notificationsUnread, markUnread(rt))
}
