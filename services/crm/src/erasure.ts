import { deleteRows, type Eraser } from '@operon/kit/erasure'
import { forgetPerson } from './people/people.ts'
import type { CrmDb } from './schema.ts'

/** A tombstone stays, so that an event that arrives late brings nobody back; their letters, contacts and campaigns go. */
export const erasure: Eraser<CrmDb> = {
  async erase(trx, userId) {
    const people = await forgetPerson(trx, userId)
    return { deleted: { ...people, ...(await deleteRows(trx, ['leads', 'appointments', 'email_campaigns'], userId)) } }
  },
}
