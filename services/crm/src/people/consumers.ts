import { demoCreated, signedUp, userCreated, userUpdated } from '@operon/contracts/identity/events'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'
import { seedDemo } from './demo.ts'
import { keepPerson, keepSignUp } from './people.ts'

export function peopleConsumers(rt: Runtime<CrmDb>) {
  rt.on(signedUp, 'keep-sign-up', (trx, event) => keepSignUp(trx, event.user_id!, event.payload))
  rt.on(userCreated, 'keep-person', (trx, event) => keepPerson(trx, event.user_id!, event.payload))
  rt.on(userUpdated, 'update-person', (trx, event) => keepPerson(trx, event.user_id!, event.payload))
  rt.on(demoCreated, 'seed-demo', seedDemo)
}
