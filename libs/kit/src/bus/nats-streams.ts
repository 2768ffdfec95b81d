import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { messageOf } from '../inbox.ts'
import type { Consumer } from './bus.ts'
import { serviceOf } from './wire.ts'

const HOUR_MS = 3_600_000

export const streamOf = (service: string) => `evt_${service}`
export const durableOf = (handler: string, event: string) => `${handler}__${event}`.replaceAll('.', '_')

type StreamState = { created: boolean; lastSequence: number; lastAt: Date }

export async function ensureStream(jsm: JetStreamManager, service: string): Promise<StreamState> {
  const name = streamOf(service)
  const found = await jsm.streams.info(name).catch((err) => {
    if (!isMissing(err)) throw err
  })
  if (found) return { created: false, ...stateOf(found) }
  const info = await jsm.streams.add({
    name,
    subjects: [`evt.${service}.>`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    // Shorter than inboxes remember, so that nothing comes back to a consumer that has forgotten it.
    max_age: nanos(72 * HOUR_MS),
    duplicate_window: nanos(120_000),
  })
  return { created: true, ...stateOf(info) }
}

export async function ensureConsumer(jsm: JetStreamManager, { handler, event }: Consumer): Promise<void> {
  const source = serviceOf(event)
  await ensureStream(jsm, source)
  await jsm.consumers.add(streamOf(source), {
    durable_name: durableOf(handler, event),
    filter_subject: `evt.${event}`,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    // A reader does one insert, or one for many. A message that a killed reader held waits this long; handling it twice is harmless.
    ack_wait: nanos(10_000),
    max_ack_pending: 256,
    max_deliver: -1,
    inactive_threshold: nanos(168 * HOUR_MS),
  })
}

const stateOf = ({ state }: StreamInfo) => ({ lastSequence: state.last_seq, lastAt: new Date(state.last_ts) })
const isMissing = (error: unknown) => /not found/i.test(messageOf(error))
