import { AckPolicy, DeliverPolicy, DiscardPolicy, type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager, type JsMsg, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import { connect, type Msg, type NatsConnection, nanos, type Subscription } from '@nats-io/transport-node'
import { setTimeout as wait } from 'node:timers/promises'
import type { Envelope } from '@operon/contracts/contract'
import { type Drain, messageOf, park, startDrain } from '../inbox.ts'
import { replayOutbox } from '../outbox.ts'
import type { Logger } from '../telemetry.ts'
import { type Bus, type BusOwner, type Consumer, MAX_DELIVERIES, retryDelayMs as usualDelayMs } from './bus.ts'
import { answerOf, nobodyAnswers, serviceOf, unwrap, type Wire } from './wire.ts'

/** One connection a process, that comes back by itself for as long as the process lives. */
export type Nats = {
  nc: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
  connected(): boolean
  onReconnect(run: () => void): () => void
  close(): Promise<void>
}

const HOUR_MS = 3_600_000
const SENT_IN_THE_LAST_MS = 24 * HOUR_MS
const CONCURRENCY = 4
const PUBLISH_TIMEOUT_MS = 5_000

export async function connectNats(url: string, log: Logger): Promise<Nats> {
  const nc = await firstConnection(url, log)
  const reconnects = new Set<() => void>()
  let connected = true
  void (async () => {
    for await (const { type } of nc.status()) {
      if (type === 'disconnect') connected = false
      if (type === 'disconnect' || type === 'reconnect') log.warn(`NATS: ${type}`)
      if (type !== 'reconnect') continue
      connected = true
      for (const run of reconnects) run()
    }
    connected = false
  })()
  return {
    nc,
    js: jetstream(nc, { timeout: PUBLISH_TIMEOUT_MS }),
    jsm: await jetstreamManager(nc, { checkAPI: false, timeout: PUBLISH_TIMEOUT_MS }),
    connected: () => connected,
    onReconnect(run) {
      reconnects.add(run)
      return () => reconnects.delete(run)
    },
    close: () => nc.close(),
  }
}

async function firstConnection(url: string, log: Logger): Promise<NatsConnection> {
  const { hostname, port, username, password } = new URL(url)
  const options = { servers: `${hostname}:${port || 4222}`, ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }) }
  for (;;) {
    try {
      return await connect({ ...options, name: 'operon', maxReconnectAttempts: -1, reconnectTimeWait: 250, reconnectJitter: 100, pingInterval: 10_000, maxPingOut: 2, timeout: 3_000 })
    } catch (err) {
      log.warn({ err: messageOf(err), server: options.servers }, 'NATS does not answer, will try again')
      await wait(1000)
    }
  }
}

/**
 * Events on JetStream: a stream a source service, a durable consumer a handler; requests and broadcasts on core NATS. Whoever comes first
 * makes what is missing, and makes it again after the broker has lost its store; the outbox then sends the last day again.
 */
export function createNatsBus(nats: Nats, owner: BusOwner, release: () => Promise<void> = async () => {}): Bus {
  const { nc, js, jsm } = nats
  const { service, db, log } = owner
  const consumers: Consumer[] = []
  const listeners: { name: string; handler: (payload: any) => void }[] = []
  const answers = new Map<string, (payload: any) => Promise<unknown>>()
  const subscriptions: Subscription[] = []
  const readers: Reader[] = []
  let drain: Drain | null = null
  let forgetReconnect = () => {}
  let newestSequence = 0

  async function checkOwnStream() {
    const { created, lastSequence } = await ensureStream(jsm, service)
    if (!created && lastSequence >= newestSequence) return
    newestSequence = lastSequence
    const now = Date.now()
    const rows = await replayOutbox(db, { from: new Date(now - SENT_IN_THE_LAST_MS), to: new Date(now + HOUR_MS), kind: 'event' })
    if (rows) log.warn({ rows }, 'the broker does not have what it had acknowledged; the last day is sent again')
  }

  async function publish(envelope: Envelope) {
    const { seq, duplicate } = await js.publish(`evt.${envelope.name}`, JSON.stringify(envelope), { msgID: envelope.id, timeout: PUBLISH_TIMEOUT_MS })
    if (!duplicate) newestSequence = Math.max(newestSequence, seq)
  }

  async function answer(name: string, handler: (payload: any) => Promise<unknown>, msg: Msg) {
    const wire = await answerOf(name, async () => handler(msg.json()), undefined, log)
    try {
      msg.respond(JSON.stringify(wire))
    } catch (err) {
      log.warn({ err, name }, 'an answer could not be sent')
    }
  }

  return {
    async send(envelopes) {
      const results = await Promise.allSettled(envelopes.map(publish))
      const failed = envelopes.filter((_, i) => results[i]!.status === 'rejected')
      if (!failed.length) return
      // The stream may be gone; its id keeps a second copy out where it is not.
      await checkOwnStream()
      await Promise.all(failed.map(publish))
    },
    consume: (consumer) => void consumers.push(consumer),
    async broadcast(name, payload) {
      nc.publish(`cast.${name}`, JSON.stringify(payload ?? null))
    },
    onBroadcast: (name, handler) => void listeners.push({ name, handler }),
    async request(name, payload, deadlineMs) {
      const until = Date.now() + deadlineMs
      const body = JSON.stringify(payload ?? null)
      for (;;) {
        try {
          const reply = await nc.request(`req.${name}`, body, { timeout: Math.max(1, until - Date.now()) })
          return unwrap(reply.json<Wire>())
        } catch (err) {
          if (!isTransport(err)) throw err
          // Nobody listens at this moment: it may be between two instances.
          if (!/no responders/i.test(messageOf(err)) || Date.now() + 100 >= until) throw nobodyAnswers(name, err)
          await wait(100)
        }
      }
    },
    reply: (name, handler) => void answers.set(name, handler),
    async start() {
      await checkOwnStream()
      forgetReconnect = nats.onReconnect(() => {
        checkOwnStream().catch((err) => log.warn({ err }, 'the stream could not be checked'))
        for (const reader of readers) reader.again()
      })
      for (const { name, handler } of listeners) subscriptions.push(nc.subscribe(`cast.${name}`, { callback: (_error, msg) => heard(log, name, () => handler(msg.json())) }))
      for (const [name, handler] of answers)
        subscriptions.push(nc.subscribe(`req.${name}`, { queue: service, callback: (_error, msg) => void answer(name, handler, msg) }))
      const gate = createGate(CONCURRENCY)
      for (const consumer of consumers) readers.push(startReader(nats, owner, consumer, gate))
      // What was parked and is replayed comes out of the inbox.
      drain = startDrain(owner, consumers)
      await nc.flush()
    },
    async drain() {
      forgetReconnect()
      await Promise.all(subscriptions.map((subscription) => (nc.isClosed() || !nats.connected() ? subscription.unsubscribe() : subscription.drain())))
      await Promise.all([drain?.stop(), ...readers.map((reader) => reader.stop())])
    },
    close: release,
    ready: nats.connected,
    async lag() {
      if (!nats.connected()) return {}
      const infos = await Promise.all(
        consumers.map(async ({ handler, event }) => {
          const info = await jsm.consumers.info(streamOf(serviceOf(event)), durableOf(handler, event)).catch(() => null)
          return [handler, info ? info.num_pending + info.num_ack_pending : 0] as const
        }),
      )
      const lag: Record<string, number> = {}
      for (const [handler, waiting] of infos) lag[handler] = (lag[handler] ?? 0) + waiting
      return lag
    },
  }
}

const streamOf = (service: string) => `evt_${service}`
const durableOf = (handler: string, event: string) => `${handler}__${event}`.replaceAll('.', '_')

async function ensureStream(jsm: JetStreamManager, service: string): Promise<{ created: boolean; lastSequence: number }> {
  const name = streamOf(service)
  const found = await jsm.streams.info(name).catch((err) => {
    if (!isMissing(err)) throw err
  })
  if (found) return { created: false, lastSequence: found.state.last_seq }
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
  return { created: true, lastSequence: info.state.last_seq }
}

async function ensureConsumer(jsm: JetStreamManager, { handler, event }: Consumer): Promise<void> {
  const source = serviceOf(event)
  await ensureStream(jsm, source)
  await jsm.consumers.add(streamOf(source), {
    durable_name: durableOf(handler, event),
    filter_subject: `evt.${event}`,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(30_000),
    max_ack_pending: 256,
    max_deliver: -1,
    inactive_threshold: nanos(168 * HOUR_MS),
  })
}

type Reader = { again(): void; stop(): Promise<void> }

/** Reads one durable consumer until it is stopped; whatever ends the reading, the next round makes what is missing and goes on. */
function startReader({ js, jsm }: Nats, { service, db, log, retryDelayMs = usualDelayMs }: BusOwner, consumer: Consumer, gate: Gate): Reader {
  const { handler, event } = consumer
  const running = new Set<Promise<void>>()
  let messages: { close(): Promise<void | Error> } | null = null
  let stopped = false

  async function take(message: JsMsg) {
    const attempt = message.info.deliveryCount
    const envelope = message.json<Envelope>()
    try {
      await consumer.run(envelope)
      message.ack()
    } catch (err) {
      const parked = attempt >= MAX_DELIVERIES
      log.warn({ err, handler, event: envelope.id, name: envelope.name, tries: attempt }, parked ? 'event parked' : 'event failed, will try again')
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
    const reading = await source.consume({ max_messages: 64, idle_heartbeat: 5_000, expires: 30_000, abort_on_missing_resource: true })
    messages = reading
    if (stopped) await reading.close()
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
      await messages?.close()
      await reading
      await Promise.all(running)
    },
  }
}

type Gate = ReturnType<typeof createGate>
function createGate(width: number) {
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

function heard(log: Logger, name: string, run: () => void) {
  try {
    run()
  } catch (err) {
    log.error({ err, name }, 'a broadcast could not be handled')
  }
}

const isMissing = (error: unknown) => /not found/i.test(messageOf(error))
const isTransport = (error: unknown) => !(error instanceof Error && error.name === 'DomainError')
