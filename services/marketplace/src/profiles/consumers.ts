import { demoCreated, userCreated, userUpdated } from '@operon/contracts/identity/events'
import { endBans as endBansJob } from '@operon/contracts/marketplace/trust'
import type { Runtime } from '@operon/kit/service'
import { seedDemo } from '../items/demo.ts'
import type { MarketplaceDb } from '../schema.ts'
import { endBans, rememberPerson } from './profiles.ts'

export function profileConsumers(rt: Runtime<MarketplaceDb>) {
  rt.on(userCreated, 'profile-created', rememberPerson)
  rt.on(userUpdated, 'profile-updated', rememberPerson)
  rt.job(endBansJob, endBans, { everyMs: 600_000 })
  rt.on(demoCreated, 'seed-demo', seedDemo)
}
