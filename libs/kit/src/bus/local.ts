import type { Envelope } from '@operon/contracts/contract'
import { addPending, type Drain, pendingByHandler, startDrain } from '../inbox.ts'
import type { Bus, BusOwner, Consumer } from './bus.ts'
import { answerOf, nobodyAnswers, unwrap, type Wire } from './wire.ts'

/** Every service of the process; one may be there more than once. */
export type Hub = Set<Member>
type Member = {
  owner: BusOwner
  consumers: Consumer[]
  listeners: { name: string; handler: (payload: any) => void }[]
  answers: Map<string, (payload: any) => Promise<unknown>>
  nudge(): void
}

/** The bus of one process: durable through the inboxes of its services, otherwise as if a wire lay between them. */
export function createLocalBus(hub: Hub, owner: BusOwner): Bus {
  let drain: Drain | null = null
  const self: Member = { owner, consumers: [], listeners: [], answers: new Map(), nudge: () => drain?.nudge() }
  hub.add(self)

  return {
    async send(envelopes) {
      const deliveries = await Promise.allSettled([...hub].map((member) => deliver(member, envelopes)))
      const failed = deliveries.find((delivery) => delivery.status === 'rejected')
      if (failed) throw failed.reason
    },
    consume: (consumer) => void self.consumers.push(consumer),
    async broadcast(name, payload) {
      const text = JSON.stringify(payload ?? null)
      for (const { owner: to, listeners } of hub)
        for (const { handler } of listeners.filter((listener) => listener.name === name))
          queueMicrotask(() => {
            try {
              handler(JSON.parse(text))
            } catch (err) {
              to.log.error({ err, name }, 'a broadcast could not be handled')
            }
          })
    },
    onBroadcast: (name, handler) => void self.listeners.push({ name, handler }),
    async request(name, payload, deadlineMs) {
      const member = [...hub].find(({ answers }) => answers.has(name))
      if (!member) throw nobodyAnswers(name, 'it does not run here')
      const answer = answerOf(name, member.answers.get(name)!, asSent(payload), member.owner.log)
      return unwrap(asSent(await inTime(answer, deadlineMs, name)) as Wire)
    },
    reply: (name, handler) => void self.answers.set(name, handler),
    async start() {
      drain = startDrain(owner, self.consumers)
    },
    async drain() {
      await drain?.stop()
    },
    async close() {
      hub.delete(self)
    },
    ready: () => true,
    // A handler for which nothing waits is told as well, or its last figure would stand for ever.
    lag: async () => ({ ...Object.fromEntries(self.consumers.map(({ handler }) => [handler, 0])), ...(await pendingByHandler(owner.db)) }),
  }
}

async function deliver({ owner, consumers, nudge }: Member, envelopes: Envelope[]): Promise<void> {
  const rows = envelopes.flatMap((envelope) =>
    consumers.filter(({ event }) => event === envelope.name).map(({ handler }) => ({ handler, envelope })),
  )
  if (!rows.length) return
  await addPending(owner.db, rows)
  nudge()
}

/** Copies a value as the wire would: no classes, no dates, nothing shared. */
const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

async function inTime<T>(work: Promise<T>, ms: number, name: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(nobodyAnswers(name, `no answer in ${ms} ms`)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
