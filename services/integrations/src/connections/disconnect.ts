import { connectionChanged } from '@operon/contracts/integrations/events'
import type { Ctx } from '@operon/kit/context'
import { inTransaction, publish } from '@operon/kit/tx'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { IntegrationsDb } from '../schema.ts'

/** Ends connections. Those that had ended already stay as they are and are answered all the same. */
export async function disconnect(ctx: Ctx<IntegrationsDb>, { where }: { where: Expression<SqlBool> }) {
  return inTransaction(ctx.db, async (trx) => {
    const rows = await trx.selectFrom('user_integrations').selectAll().where(where).forUpdate().execute()
    const ids = rows.filter((row) => row.integration_status === 'connected').map((row) => row.id)
    if (!ids.length) return rows
    const ended = await trx
      .updateTable('user_integrations')
      .set({ integration_status: 'disconnected', updated_at: sql`now()`, version: sql`version + 1` })
      .where('id', 'in', ids)
      .where('integration_status', '=', 'connected')
      .returningAll()
      .execute()
    for (const { user_id, service_name, version } of ended)
      await publish(trx, connectionChanged, user_id, { service_name, version, status: 'disconnected' })
    return rows.map((row) => ended.find(({ id }) => id === row.id) ?? row)
  })
}
