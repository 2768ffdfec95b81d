import { deleteRows, type Eraser } from '@operon/kit/erasure'
import { forgetPerson } from './profiles/profiles.ts'
import type { MarketplaceDb } from './schema.ts'

/** The profile's row stays, empty, so that an event that arrives late brings nobody back. */
export const erasure: Eraser<MarketplaceDb> = {
  long: [{ table: 'items' }],
  async erase(trx, userId) {
    await forgetPerson(trx, userId)
    return { deleted: await deleteRows(trx, ['items'], userId), anonymised: { profiles: 1 } }
  },
  holds: [{ table: 'profiles', key: null }, { table: 'items' }],
}
