import { userCreated, userDeleted, userUpdated } from '@operon/contracts/identity'
import type { Runtime } from '@operon/kit/service'
import type { MarketplaceDb } from '../schema.ts'
import { forgetPerson, rememberPerson } from './profiles.ts'

export function profileConsumers(rt: Runtime<MarketplaceDb>) {
  rt.on(userCreated, 'profile-created', rememberPerson)
  rt.on(userUpdated, 'profile-updated', rememberPerson)
  rt.on(userDeleted, 'profile-deleted', (trx, event) => forgetPerson(trx, event.user_id))
}
