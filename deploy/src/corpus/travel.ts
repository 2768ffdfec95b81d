import type { Envelope, Event, Job, Request } from '@operon/contracts/contract'
import { type Erasing, eraseUser, erasing, userErased } from '@operon/contracts/erasure'
import { exportUser } from '@operon/contracts/personal-data'
import { capabilitiesOf, eventsOf, jobsOf, requestsOf } from '@operon/contracts/registry'
import { type ServiceName, serviceNames } from '@operon/contracts/services'
import { aiUsageRecorded, crmUsageRecorded, jobCancelled, jobProgress, mediaUsageRecorded } from '@operon/contracts/usage'
import type { Wire } from '@operon/kit/bus/wire'
import { Asked } from '@operon/kit/calls'
import type { JobData } from '@operon/kit/jobs/bullmq'
import { z } from 'zod'

type Travelling = Event | Request | Job
/** One thing that goes from a process to another, and the schema of each of its parts. */
export type Travel = { name: string; kind: string; parts: Record<string, z.ZodType> }

/** Everything that travels between the services, and so between two versions of them while a release is rolled out. */
export function travels(): Travel[] {
  const contracts = serviceNames.flatMap((service) => [
    ...eventsOf(service),
    ...requestsOf(service),
    ...jobsOf(service),
    ...ofEach(service),
  ])
  const all = [...contracts, aiUsageRecorded, mediaUsageRecorded, crmUsageRecorded].map(travelOf)
  return [...new Map([...wire, ...calls(), ...all].map((travel) => [travel.name, travel])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}

const calls = (): Travel[] =>
  capabilitiesOf().map(({ name, contract: { body, reply } }) => ({
    name: `call.${name}`,
    kind: 'call',
    parts: { ...(body && { input: body }), reply },
  }))

const ofEach = (service: ServiceName): Travelling[] => [
  jobProgress(service),
  jobCancelled(service),
  ...(isErasing(service) ? [userErased(service), eraseUser(service), exportUser(service)] : []),
]
const isErasing = (service: ServiceName): service is Erasing => (erasing as readonly string[]).includes(service)

function travelOf(contract: Travelling): Travel {
  const { name, kind } = contract
  if (contract.kind === 'request') return { name, kind, parts: { input: contract.input, reply: contract.reply } }
  return { name, kind: contract.kind === 'event' ? contract.delivery : kind, parts: { payload: contract.payload } }
}

const text = z.string().min(1)
const envelope = z.object({
  id: z.uuid(),
  name: text.meta({ examples: ['crm.lead_created'] }),
  at: z.iso.datetime(),
  user_id: z.uuid().nullable(),
  payload: z.object({}),
  trace: text.optional(),
}) satisfies z.ZodType<Envelope>
const refusal = z.object({
  code: text,
  status: z.int(),
  message: text,
  details: z.unknown().optional(),
  headers: z.record(z.string(), z.string()).optional(),
})
const answer = z.union([z.object({ ok: z.unknown() }), z.object({ error: refusal })]) satisfies z.ZodType<Wire>
const queued = z.object({ payload: z.object({}), user_id: z.uuid().nullable(), trace: text.nullable() }) satisfies z.ZodType<JobData>

/** The forms that the kit itself sends, around what the contracts say. A signed request has a sample of its own, since its signature is part of it. */
const wire: Travel[] = [
  { name: 'wire.envelope', kind: 'wire', parts: { envelope } },
  { name: 'wire.answer', kind: 'wire', parts: { answer } },
  { name: 'wire.call', kind: 'wire', parts: { asked: Asked } },
  { name: 'wire.job', kind: 'wire', parts: { job: queued } },
]
