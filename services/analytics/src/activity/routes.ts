import * as contract from '@operon/contracts/analytics/api'
import { activityLogs } from '@operon/contracts/analytics/tables'
import { userIdOf } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { listActivity } from './list.ts'

export function activityRoutes({ app }: Runtime) {
  serveTable(app, activityLogs, { scope: (ctx) => ({ user_id: userIdOf(ctx.actor) }) })
  serve(app, contract.listActivity, listActivity)
}
