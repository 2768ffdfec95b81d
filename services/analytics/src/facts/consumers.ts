import type { Event } from '@operon/contracts/contract'
import { eventsOf } from '@operon/contracts/registry'
import { serviceNames } from '@operon/contracts/services'
import type { Runtime } from '@operon/kit/service'
import type { AnalyticsDb } from '../schema.ts'
import { recordFact } from './record.ts'

export function factConsumers(rt: Runtime<AnalyticsDb>) {
  for (const event of durableEvents())
    rt.on(event, `record-${event.name.replaceAll('.', '-')}`, (trx, envelope) => recordFact(rt, trx, envelope))
}

const durableEvents = (): Event[] => [
  ...new Map(
    serviceNames
      .flatMap((name) => eventsOf(name))
      .filter(({ delivery }) => delivery === 'durable')
      .map((event) => [event.name, event]),
  ).values(),
]
