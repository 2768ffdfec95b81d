import { setTimeout as wait } from 'node:timers/promises'
import type { JsMsg } from '@nats-io/jetstream'
import type { Envelope } from '@operon/contracts/contract'
import { messageOf, park, runTogether, TOGETHER, tellFailure } from '../inbox.ts'
import { type BusOwner, type Consumer, MAX_DELIVERIES, retryDelayMs as usualDelayMs } from './bus.ts'
import type { Nats } from './nats-connection.ts'
import { durableOf, ensureConsumer, streamOf } from './nats-streams.ts'
import type { Seal } from './seal.ts'
import { serviceOf } from './wire.ts'

export type Reader = { again(): void; stop(): Promise<void> }

/** Reads one durable consumer until it is stopped; whatever ends the reading, the next round makes what is missing and goes on. */
export function startReader(
  { js, jsm }: Nats,
  { service, db, log, retryDelayMs = usualDelayMs }: BusOwner,
  consumer: Consumer,
  gate: Gate,
  seal: Seal,
): Reader {
  const { handler, event } = consumer
  const running = new Set<Promise<void>>()
  let messages: { close(): Promise<void | Error> } | null = null
  let stopped = false

  async function take(messages: JsMsg[]) {
    const byEnvelope = new Map<Envelope, JsMsg>()
    for (const message of messages) {
      // Taken off the stream for this handler: the same bytes would be refused again.
      if (!seal.accepts(message)) message.term()
      else byEnvelope.set(message.json<Envelope>(), message)
    }
    // A message that failed before goes alone, so that it fails nothing beside it again.
    const [again, fresh] = apart([...byEnvelope], ([, message]) => message.info.deliveryCount > 1)
    for (const batch of [fresh, ...again.map((each) => [each])].filter((each) => each.length))
      await runTogether(
        consumer,
        batch.map(([envelope]) => envelope),
        {
          done: (envelopes) => {
            for (const envelope of envelopes) byEnvelope.get(envelope)!.ack()
          },
          failed: (envelope, err) => putOff(byEnvelope.get(envelope)!, envelope, err),
        },
      )
  }

  async function putOff(message: JsMsg, envelope: Envelope, err: unknown) {
    const attempt = message.info.deliveryCount
    const parked = attempt >= MAX_DELIVERIES
    tellFailure(log, { err, handler, envelope, tries: attempt, parked })
    if (!parked) return message.nak(retryDelayMs(attempt))
    await park(db, { handler, envelope }, attempt, messageOf(err)).then(
      () => message.term(),
      () => message.nak(5_000),
    )
  }

  function begin(batch: JsMsg[]): Promise<void> {
    const work = take(batch)
      .catch((err) => log.warn({ err, handler }, 'a message could not be answered'))
      .finally(() => {
        running.delete(work)
        gate.leave()
      })
    running.add(work)
    return work
  }

  const waiting: JsMsg[] = []
  let emptying: Promise<void> | null = null
  /** One batch at a time; what comes meanwhile is the next one. */
  async function empty() {
    while (waiting.length) {
      await gate.enter()
      await begin(waiting.splice(0, TOGETHER))
    }
    emptying = null
  }

  async function read() {
    await ensureConsumer(jsm, consumer)
    const source = await js.consumers.get(streamOf(serviceOf(event)), durableOf(handler, event))
    if (stopped) return
    const reading = await source.consume({
      max_messages: consumer.runMany ? TOGETHER : 64,
      idle_heartbeat: 30_000,
      expires: 120_000,
      abort_on_missing_resource: true,
    })
    messages = reading
    if (stopped) void reading.close()
    for await (const message of reading) {
      if (consumer.runMany) {
        waiting.push(message)
        emptying ??= empty()
      } else {
        await gate.enter()
        void begin([message])
      }
    }
  }

  const reading = (async () => {
    while (!stopped) {
      await read().catch((err) => {
        if (!stopped) log.warn({ err: messageOf(err), handler, service }, 'reading events was interrupted, will go on')
      })
      if (!stopped) await wait(200)
    }
  })()

  return {
    again: () => void messages?.close(),
    async stop() {
      stopped = true
      void messages?.close()
      await reading
      await emptying
      await Promise.all(running)
    },
  }
}

function apart<T>(all: T[], is: (each: T) => boolean): [yes: T[], no: T[]] {
  return [all.filter(is), all.filter((each) => !is(each))]
}

type Gate = ReturnType<typeof createGate>
export function createGate(width: number) {
  let free = width
  const waiting: (() => void)[] = []
  return {
    async enter() {
      if (free > 0) return void free--
      await new Promise<void>((go) => waiting.push(go))
    },
    leave() {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}
