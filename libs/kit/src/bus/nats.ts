import { setTimeout as wait } from 'node:timers/promises'
import type { Msg, Subscription } from '@nats-io/transport-node'
import type { Envelope } from '@operon/contracts/contract'
import { type Drain, messageOf, startDrain } from '../inbox.ts'
import { replayOutbox } from '../outbox.ts'
import type { Logger } from '../telemetry.ts'
import type { Bus, BusOwner, Consumer } from './bus.ts'
import { type Nats, PUBLISH_TIMEOUT_MS } from './nats-connection.ts'
import { createGate, type Reader, startReader } from './nats-reader.ts'
import { durableOf, ensureStream, streamOf } from './nats-streams.ts'
import type { Seal } from './seal.ts'
import { answerOf, nobodyAnswers, serviceOf, unwrap, type Wire } from './wire.ts'

const HOUR_MS = 3_600_000
const SENT_IN_THE_LAST_MS = 24 * HOUR_MS
const CONCURRENCY = 4
const ANSWERS_WITHIN_MS = 3_000
const ASKED_AGAIN_AFTER_MS = 1_000
const ASKED_AT_MOST = 3

/**
 * Events on JetStream: a stream a source service, a durable consumer a handler; requests and broadcasts on core NATS. The first process
 * creates missing streams and consumers, also after the broker has lost its store; the outbox then sends the last day again.
 */
export function createNatsBus(nats: Nats, owner: BusOwner, seal: Seal, release: () => Promise<void> = async () => {}): Bus {
  const { nc, js, jsm } = nats
  const { service, db, log } = owner
  const consumers: Consumer[] = []
  const listeners = new Map<string, ((payload: any) => void)[]>()
  const answers = new Map<string, (payload: any) => Promise<unknown>>()
  const subscriptions: Subscription[] = []
  const answering = new Set<Promise<void>>()
  const readers: Reader[] = []
  let drain: Drain | null = null
  let forgetReconnect = () => {}
  let newestSequence = 0
  let checks = 0
  let checked = 0
  const unchecked: (() => void)[] = []
  let stopped = false

  /** A store that went back in time ends before what we know it had taken: by its number, or after our own restart by its time. */
  async function checkOwnStream() {
    const { created, lastSequence, lastAt } = await ensureStream(jsm, service)
    if (!created && lastSequence >= newestSequence && !(await hasSentAfter(db, lastAt))) return
    newestSequence = lastSequence
    const now = Date.now()
    const rows = await replayOutbox(db, { from: new Date(now - SENT_IN_THE_LAST_MS), to: new Date(now + HOUR_MS), kind: 'event' })
    if (rows) log.warn({ rows }, 'the broker lost messages that it had acknowledged; the last day is sent again')
  }

  // Right after a broker's start its JetStream may not answer yet, and a service starts without one too.
  async function checkUntilKnown() {
    const mine = ++checks
    while (!stopped && mine === checks) {
      try {
        await checkOwnStream()
        checked = mine
        for (const go of unchecked.splice(0)) go()
        return
      } catch (err) {
        log.warn({ err: messageOf(err) }, 'the event stream cannot be checked, will try again')
        await wait(300)
      }
    }
  }

  async function publish(envelope: Envelope) {
    const [subject, body] = [`evt.${envelope.name}`, JSON.stringify(envelope)]
    const { seq, duplicate } = await js.publish(subject, body, {
      msgID: envelope.id,
      headers: seal.sign(subject, body),
      timeout: PUBLISH_TIMEOUT_MS,
    })
    if (!duplicate) newestSequence = Math.max(newestSequence, seq)
  }

  /** The instance that got a question may stand still: after a second another one is asked as well, and the first to answer counts. */
  async function firstReply(subject: string, body: string, until: number, times: number): Promise<Msg> {
    const asking: Promise<Msg>[] = []
    for (;;) {
      asking.push(nc.request(subject, body, { timeout: Math.max(1, until - Date.now()), headers: seal.sign(subject, body) }))
      const first = Promise.any(asking).catch(({ errors }: AggregateError) => Promise.reject(errors[0]))
      const again = asking.length < times && Date.now() + ASKED_AGAIN_AFTER_MS < until
      const reply = await Promise.race([first, ...(again ? [wait(ASKED_AGAIN_AFTER_MS, null, { ref: false })] : [])])
      if (reply) return reply
      first.catch(() => {})
    }
  }

  function begin(name: string, handler: (payload: any) => Promise<unknown>, msg: Msg) {
    const work = answer(name, handler, msg).finally(() => answering.delete(work))
    answering.add(work)
  }

  async function answer(name: string, handler: (payload: any) => Promise<unknown>, msg: Msg) {
    if (!seal.accepts(msg, { once: true })) return
    const wire = await answerOf(name, async () => handler(msg.json()), undefined, log)
    try {
      const body = JSON.stringify(wire)
      msg.respond(body, { headers: seal.sign(msg.reply ?? '', body) })
    } catch (err) {
      log.warn({ err, name }, 'the answer to a request could not be sent; its caller runs into its deadline')
    }
  }

  return {
    async send(envelopes) {
      // Sending a new message first would hide that earlier ones are missing.
      if (checked !== checks) await new Promise<void>((go) => unchecked.push(go))
      const results = await Promise.allSettled(envelopes.map(publish))
      const failed = envelopes.filter((_, i) => results[i]!.status === 'rejected')
      if (!failed.length) return
      // The stream may be gone; its id keeps a second copy out where it is not.
      await checkOwnStream()
      await Promise.all(failed.map(publish))
    },
    consume: (consumer) => void consumers.push(consumer),
    async broadcast(name, payload) {
      const [subject, body] = [`cast.${name}`, JSON.stringify(payload ?? null)]
      nc.publish(subject, body, { headers: seal.sign(subject, body) })
    },
    onBroadcast: (name, handler) => void listeners.set(name, [...(listeners.get(name) ?? []), handler]),
    async request(name, payload, deadlineMs, { mayRepeat = false } = {}) {
      const until = Date.now() + deadlineMs
      const [subject, body] = [`req.${name}`, JSON.stringify(payload ?? null)]
      for (;;) {
        try {
          const reply = await firstReply(subject, body, until, mayRepeat ? ASKED_AT_MOST : 1)
          if (!seal.accepts(reply)) throw new Error('the answer was not signed by this fleet')
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
      stopped = false
      // The gateway has no database, and nothing to say that must not be lost.
      const check = () => void (db && checkUntilKnown())
      check()
      forgetReconnect = nats.onReconnect(() => {
        check()
        for (const reader of readers) reader.again()
      })
      for (const [name, handlers] of listeners) {
        const callback = (_error: unknown, msg: Msg) => {
          if (!seal.accepts(msg, { once: true })) return
          for (const handler of handlers) heard(log, name, () => handler(msg.json()))
        }
        subscriptions.push(nc.subscribe(`cast.${name}`, { callback }))
      }
      for (const [name, handler] of answers)
        subscriptions.push(nc.subscribe(`req.${name}`, { queue: service, callback: (_error, msg) => begin(name, handler, msg) }))
      const gate = createGate(CONCURRENCY)
      for (const consumer of consumers) readers.push(startReader(nats, owner, consumer, gate, seal))
      // A parked event that is replayed comes out of the inbox.
      drain = startDrain(owner, consumers)
      // From here on the others' requests and broadcasts arrive; without a broker they will, once it is there.
      if (nats.connected()) await Promise.race([nc.flush(), wait(2000, undefined, { ref: false })])
    },
    async drain() {
      stopped = true
      for (const go of unchecked.splice(0)) go()
      forgetReconnect()
      await Promise.all(
        subscriptions.map((subscription) => (nc.isClosed() || !nats.connected() ? subscription.unsubscribe() : subscription.drain())),
      )
      // A caller that asked just before we stopped listening gets the answer; nobody else was asked.
      const answered = Promise.race([Promise.all(answering), wait(ANSWERS_WITHIN_MS, undefined, { ref: false })])
      await Promise.all([drain?.stop(), answered, ...readers.map((reader) => reader.stop())])
      if (nats.connected() && !nc.isClosed()) await Promise.race([nc.flush(), wait(2000, undefined, { ref: false })])
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

const CLOCKS_DIFFER_MS = 1_000

/** An event is stored after it was made, so the broker's newest message is never older than what it acknowledged. */
async function hasSentAfter(db: BusOwner['db'], lastAt: Date): Promise<boolean> {
  const row = await db
    .selectFrom('outbox')
    .select('id')
    .where('kind', '=', 'event')
    .where('sent_at', '>', lastAt)
    .where('created_at', '>', new Date(lastAt.getTime() + CLOCKS_DIFFER_MS))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

function heard(log: Logger, name: string, run: () => void) {
  try {
    run()
  } catch (err) {
    log.error({ err, name }, 'a broadcast could not be handled')
  }
}

const isTransport = (error: unknown) => !(error instanceof Error && error.name === 'DomainError')
