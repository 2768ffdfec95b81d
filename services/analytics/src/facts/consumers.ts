import type { Event } from '@operon/contracts/contract'
import { userDeleted } from '@operon/contracts/identity'
import { eventsOf } from '@operon/contracts/registry'
import { serviceNames } from '@operon/contracts/services'
import type { Runtime } from '@operon/kit/service'
import type { AnalyticsDb } from '../schema.ts'
import { forgetPerson } from './forget.ts'
import { recordFact } from './record.ts'

export function factConsumers(rt: Runtime<AnalyticsDb>) {
  for (const event of durableEvents())
    rt.on(event, `record-${event.name.replaceAll('.', '-')}`, (trx, envelope) => recordFact(rt, trx, envelope))
  rt.on(userDeleted, 'person-deleted', (trx, { user_id }) => forgetPerson(trx, user_id!))
}

const durableEvents = (): Event[] => [
  ...new Map(
    serviceNames
      .flatMap((name) => eventsOf(name))
      .filter(({ delivery }) => delivery === 'durable')
      .map((event) => [event.name, event]),
  ).values(),
]
