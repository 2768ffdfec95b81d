import { deleteRows, type Eraser } from '@operon/kit/erasure'
import type { IntegrationsDb } from './schema.ts'

export const erasure: Eraser<IntegrationsDb> = {
  erase: async (trx, userId) => ({ deleted: await deleteRows(trx, ['user_integrations'], userId) }),
  holds: [{ table: 'user_integrations' }],
}
