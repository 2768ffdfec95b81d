import { demoCreated } from '@operon/contracts/identity/events'
import { durableEvents } from '@operon/contracts/registry'
import type { Runtime } from '@operon/kit/service'
import type { AnalyticsDb } from '../schema.ts'
import { seedDemo } from './demo.ts'
import { recordFact } from './record.ts'

export function factConsumers(rt: Runtime<AnalyticsDb>) {
  for (const event of durableEvents())
    rt.on(event, `record-${event.name.replaceAll('.', '-')}`, (trx, envelope) => recordFact(rt, trx, event, envelope))
  rt.on(demoCreated, 'seed-demo', seedDemo)
}
