import { deleteRows, type Eraser, NOBODY } from '@operon/kit/erasure'
import { keepToRevoke } from './connections/keep.ts'
import type { IntegrationsDb } from './schema.ts'

export const erasure: Eraser<IntegrationsDb> = {
  long: ['webhook_deliveries', 'connection_calls', 'app_effects'].map((table) => ({ table })),
  erase: async (trx, userId) => {
    // The access that apps gave is taken back there; the tokens go once they have been told.
    const own = await trx.selectFrom('connections').selectAll().where('user_id', '=', userId).where('state', '<>', 'disconnected').execute()
    for (const row of own) await keepToRevoke(trx, { ...row, user_id: NOBODY })
    const waiting = await trx.deleteFrom('lane_items').where('tenant', '=', userId).executeTakeFirstOrThrow()
    await trx.deleteFrom('tenant_lanes').where('tenant', '=', userId).execute()
    const deleted = await deleteRows(
      trx,
      [
        'webhook_deliveries',
        'webhook_endpoints',
        'user_integrations',
        'app_effects',
        'oauth_attempts',
        'ad_lists',
        'ad_rules',
        'app_hooks',
        'app_watches',
        'custom_apis',
        'app_requests',
        'connections',
      ],
      userId,
    )
    return { deleted: { ...deleted, lane_items: Number(waiting.numDeletedRows) } }
  },
  holds: [
    { table: 'user_integrations' },
    { table: 'webhook_endpoints', without: ['sealed_secret', 'sealed_old_secret'] },
    { table: 'webhook_deliveries' },
    { table: 'connections', without: ['sealed', 'lease_id', 'lease_until', 'generation', 'refresh_at'] },
    { table: 'connection_calls' },
    { table: 'app_effects', without: ['key'] },
    { table: 'ad_lists' },
    { table: 'ad_rules', without: ['check_at'] },
    { table: 'custom_apis' },
    { table: 'app_requests', without: ['app_key'] },
    { table: 'app_watches', without: ['seen', 'version', 'next_at'] },
    { table: 'app_hooks', without: ['remote', 'resource', 'renew_at', 'again'] },
    { table: 'oauth_attempts', key: null, without: ['state_hash', 'sealed_verifier'] },
  ],
}
