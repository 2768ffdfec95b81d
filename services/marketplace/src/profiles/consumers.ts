import { demoCreated, keptOut, userCreated, userUpdated } from '@operon/contracts/identity/events'
import { endBans as endBansJob, learnBans as learnBansJob } from '@operon/contracts/marketplace/trust'
import type { Runtime } from '@operon/kit/service'
import { seedDemo } from '../items/demo.ts'
import type { MarketplaceDb } from '../schema.ts'
import { endBans, learnBans, rememberPerson } from './profiles.ts'

export function profileConsumers(rt: Runtime<MarketplaceDb>) {
  rt.on(userCreated, 'profile-created', rememberPerson)
  rt.on(userUpdated, 'profile-updated', rememberPerson)
  rt.job(endBansJob, endBans, { everyMs: 600_000 })
  const ask = (after: string | null) => rt.ask(keptOut, { after })
  const unsaid = (err: unknown) => rt.log.info({ err }, 'identity did not say who is kept out; it is asked again within the hour')
  rt.job(learnBansJob, (ctx) => learnBans(ctx, ask).catch(unsaid), { everyMs: 3_600_000 })
  rt.on(demoCreated, 'seed-demo', seedDemo)
}
