import { demoCreated } from '@operon/contracts/identity/events'
import { durableEvents } from '@operon/contracts/registry'
import type { Runtime } from '@operon/kit/service'
import type { AnalyticsDb } from '../schema.ts'
import { seedDemo } from './demo.ts'
import { recordFacts } from './record.ts'

export function factConsumers(rt: Runtime<AnalyticsDb>) {
  for (const event of durableEvents())
    rt.onMany(event, `record-${event.name.replaceAll('.', '-')}`, (trx, envelopes) => recordFacts(rt, trx, event, envelopes))
  rt.on(demoCreated, 'seed-demo', seedDemo)
}
