import { setTimeout as wait } from 'node:timers/promises'
import type { JsMsg } from '@nats-io/jetstream'
import type { Envelope } from '@operon/contracts/contract'
import { messageOf, park, tellFailure } from '../inbox.ts'
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

  async function take(message: JsMsg) {
    // Taken off the stream for this handler: the same bytes would be refused again.
    if (!seal.accepts(message)) return message.term()
    const attempt = message.info.deliveryCount
    const envelope = message.json<Envelope>()
    try {
      await consumer.run(envelope)
      message.ack()
    } catch (err) {
      const parked = attempt >= MAX_DELIVERIES
      tellFailure(log, { err, handler, envelope, tries: attempt, parked })
      if (!parked) return message.nak(retryDelayMs(attempt))
      await park(db, { handler, envelope }, attempt, messageOf(err)).then(
        () => message.term(),
        () => message.nak(5_000),
      )
    }
  }

  async function read() {
    await ensureConsumer(jsm, consumer)
    const source = await js.consumers.get(streamOf(serviceOf(event)), durableOf(handler, event))
    if (stopped) return
    const reading = await source.consume({ max_messages: 64, idle_heartbeat: 5_000, expires: 30_000, abort_on_missing_resource: true })
    messages = reading
    if (stopped) void reading.close()
    for await (const message of reading) {
      await gate.enter()
      const work = take(message)
        .catch((err) => log.warn({ err, handler }, 'a message could not be answered'))
        .finally(() => {
          running.delete(work)
          gate.leave()
        })
      running.add(work)
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
      await Promise.all(running)
    },
  }
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
