import { appointments, emailCampaigns, leads } from '@operon/contracts/crm/tables'
import { type Ctx, userIdOf } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import type { Runtime } from '@operon/kit/service'
import { type SqlBool, sql } from 'kysely'

const own = (ctx: Ctx) => ({ user_id: userIdOf(ctx.actor) })

export function tableRoutes({ app }: Runtime) {
  serveTable(app, leads, { scope: own })
  serveTable(app, appointments, { scope: own })
  // Emails of sequences are campaigns to the engine alone.
  serveTable(app, emailCampaigns, { scope: (ctx) => sql<SqlBool>`user_id = ${userIdOf(ctx.actor)} and sequence_id is null` })
}
