import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/connections'
import type { Ctx } from '@operon/kit/context'
import { inTransaction } from '@operon/kit/tx'
import type { Expression, SqlBool } from 'kysely'
import type { IntegrationsDb } from '../schema.ts'
import { connectionOf } from './actions.ts'
import { type ConnectionRow, endConnection, showIntegration } from './keep.ts'

type Call = Ctx<IntegrationsDb>

export async function disconnectApp(ctx: Call, { connection_id }: Input<typeof api.disconnectApp>) {
  const row = await connectionOf(ctx, connection_id)
  return inTransaction(ctx.db, async (trx) => {
    const disconnected = await endConnection(trx, row)
    await showIntegration(trx, row.user_id, row.app)
    return { disconnected }
  })
}

/** Ends all of an app's connections, as the specified write of the table asks. Those that had ended already stay as they are and are answered all the same. */
export async function disconnect(ctx: Call, { where }: { where: Expression<SqlBool> }) {
  return inTransaction(ctx.db, async (trx) => {
    const rows = await trx.selectFrom('user_integrations').selectAll().where(where).forUpdate().execute()
    for (const { user_id, service_name, integration_status } of rows) {
      if (integration_status !== 'connected') continue
      const app = service_name as ConnectionRow['app']
      const own = await trx
        .selectFrom('connections')
        .selectAll()
        .where('user_id', '=', user_id)
        .where('app', '=', app)
        .where('state', '<>', 'disconnected')
        .execute()
      for (const row of own) await endConnection(trx, row)
      await showIntegration(trx, user_id, app)
    }
    const ids = rows.map(({ id }) => id)
    return ids.length ? trx.selectFrom('user_integrations').selectAll().where('id', 'in', ids).execute() : []
  })
}
