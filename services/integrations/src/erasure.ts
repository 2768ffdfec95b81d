import { deleteRows, type Eraser } from '@operon/kit/erasure'
import type { IntegrationsDb } from './schema.ts'

export const erasure: Eraser<IntegrationsDb> = {
  long: [{ table: 'webhook_deliveries' }],
  erase: async (trx, userId) => {
    const waiting = await trx.deleteFrom('lane_items').where('tenant', '=', userId).executeTakeFirstOrThrow()
    await trx.deleteFrom('tenant_lanes').where('tenant', '=', userId).execute()
    const deleted = await deleteRows(trx, ['webhook_deliveries', 'webhook_endpoints', 'user_integrations'], userId)
    return { deleted: { ...deleted, lane_items: Number(waiting.numDeletedRows) } }
  },
  holds: [
    { table: 'user_integrations' },
    { table: 'webhook_endpoints', without: ['sealed_secret', 'sealed_old_secret'] },
    { table: 'webhook_deliveries' },
  ],
}
