import { userDeleted } from '@operon/contracts/identity'
import type { Runtime } from '@operon/kit/service'
import type { IntegrationsDb } from '../schema.ts'

export function connectionConsumers(rt: Runtime<IntegrationsDb>) {
  rt.on(userDeleted, 'person-deleted', async (trx, { user_id }) => {
    await trx.deleteFrom('user_integrations').where('user_id', '=', user_id!).execute()
  })
}
