import { activityLogs } from '@operon/contracts/analytics/tables'
import { userIdOf } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import type { Runtime } from '@operon/kit/service'

export function activityRoutes({ app }: Runtime) {
  serveTable(app, activityLogs, { scope: (ctx) => ({ user_id: userIdOf(ctx.actor) }) })
}
