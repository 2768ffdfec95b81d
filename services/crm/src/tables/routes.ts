import { appointments, emailCampaigns, leads } from '@operon/contracts/crm/tables'
import { type Ctx, userIdOf } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import type { Runtime } from '@operon/kit/service'

const own = (ctx: Ctx) => ({ user_id: userIdOf(ctx.actor) })

export function tableRoutes({ app }: Runtime) {
  serveTable(app, leads, { scope: own })
  serveTable(app, appointments, { scope: own })
  serveTable(app, emailCampaigns, { scope: own })
}
