import { userIntegrations } from '@operon/contracts/integrations/tables'
import { userIdOf } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import type { Runtime } from '@operon/kit/service'
import { disconnect } from './disconnect.ts'

export function connectionRoutes({ app }: Runtime) {
  serveTable(app, userIntegrations, { scope: (ctx) => ({ user_id: userIdOf(ctx.actor) }), update: disconnect })
}
