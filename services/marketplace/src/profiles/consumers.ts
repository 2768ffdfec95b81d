import { demoCreated, userCreated, userUpdated } from '@operon/contracts/identity/events'
import type { Runtime } from '@operon/kit/service'
import { seedDemo } from '../items/demo.ts'
import type { MarketplaceDb } from '../schema.ts'
import { rememberPerson } from './profiles.ts'

export function profileConsumers(rt: Runtime<MarketplaceDb>) {
  rt.on(userCreated, 'profile-created', rememberPerson)
  rt.on(userUpdated, 'profile-updated', rememberPerson)
  rt.on(demoCreated, 'seed-demo', seedDemo)
}
