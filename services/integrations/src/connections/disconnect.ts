import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/connections'
import { revokeAccess } from '@operon/contracts/integrations/events'
import type { Ctx } from '@operon/kit/context'
import { enqueue, inTransaction } from '@operon/kit/tx'
import type { Expression, SqlBool } from 'kysely'
import type { IntegrationsDb } from '../schema.ts'
import { connectionOf } from './actions.ts'
import { type ConnectionRow, endConnection, showIntegration, type Trx } from './keep.ts'

type Call = Ctx<IntegrationsDb>

export async function disconnectApp(ctx: Call, { connection_id }: Input<typeof api.disconnectApp>) {
  const row = await connectionOf(ctx, connection_id)
  return inTransaction(ctx.db, async (trx) => {
    const disconnected = await end(trx, row)
    await showIntegration(trx, row.user_id, row.app)
    return { disconnected }
  })
}

async function end(trx: Trx, row: ConnectionRow): Promise<boolean> {
  const ended = await endConnection(trx, row)
  if (ended && row.sealed) await enqueue(trx, revokeAccess, { connection_id: row.id, generation: row.generation })
  return ended
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
      for (const row of own) await end(trx, row)
      await showIntegration(trx, user_id, app)
    }
    const ids = rows.map(({ id }) => id)
    return ids.length ? trx.selectFrom('user_integrations').selectAll().where('id', 'in', ids).execute() : []
  })
}
