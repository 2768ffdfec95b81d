import { signedUp, userDeleted } from '@operon/contracts/identity'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'
import { forgetPerson, keepSignUp } from './people.ts'

export function peopleConsumers(rt: Runtime<CrmDb>) {
  rt.on(signedUp, 'keep-sign-up', (trx, event) => keepSignUp(trx, event.user_id!, event.payload))
  rt.on(userDeleted, 'person-deleted', (trx, event) => forgetPerson(trx, event.user_id!))
}
