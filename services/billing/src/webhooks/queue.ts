import { Rest } from '@operon/kit/rest'
import type { Logger } from '@operon/kit/telemetry'
import { sql } from 'kysely'
import type { Db, Deps } from '../deps.ts'
import { isOutage } from '../stripe-errors.ts'
import type { ProviderEvent } from '../stripe-shapes.ts'
import { untilFresh } from '../subscriptions/project.ts'
import { isOfInterest } from './effects.ts'
import { handle, keepFailed } from './handle.ts'
import { LEASE } from './intake.ts'

const AT_ONCE = 8
const TOGETHER = 100
/** More events than this stay in the table until there is room. */
const MOST_HELD = 5_000
const POLL_MS = 3_000
const REST_MS = 10_000
const CLAIMED = 500

/** How it went: null, or why it could not be handled now. */
export type Outcome = unknown
type Held = { event: ProviderEvent; settle: (outcome: Outcome) => void; settled: Promise<Outcome> }
export type EventQueue = ReturnType<typeof openQueue>

/**
 * Handles stored events. What has come about one customer while the last look at them was on its way is handled by one further look, so
 * that a burst costs the provider and us little. What an instance that died has left, and what failed, is found in the table.
 */
export function openQueue(deps: Deps, db: Db, log: Logger) {
  const held = new Map<string, Held>()
  const waiting = new Map<string, Held[]>()
  const running = new Map<string, Promise<void>>()
  const rest = new Rest(POLL_MS, REST_MS)
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function add(event: ProviderEvent): Promise<Outcome> {
    if (!isOfInterest(event)) return Promise.resolve(null)
    const known = held.get(event.id)
    if (known) return known.settled
    const { promise: settled, resolve: settle } = Promise.withResolvers<Outcome>()
    const one = { event, settle, settled }
    held.set(event.id, one)
    const about = event.customer ?? event.charge ?? event.account ?? event.id
    waiting.set(about, [...(waiting.get(about) ?? []), one])
    next()
    return settled
  }

  function next() {
    for (const about of waiting.keys()) {
      if (stopped || running.size >= AT_ONCE) return
      if (!running.has(about))
        running.set(
          about,
          work(about).finally(() => done(about)),
        )
    }
  }

  function done(about: string) {
    running.delete(about)
    next()
  }

  async function work(about: string) {
    const all = waiting.get(about)!
    const some = all.slice(0, TOGETHER)
    if (all.length > TOGETHER) waiting.set(about, all.slice(TOGETHER))
    else waiting.delete(about)
    await settle(some).catch((err) => log.warn({ err }, 'a provider event could not be marked, and will be taken up again'))
    for (const one of some) {
      held.delete(one.event.id)
      one.settle(new Error('left for later'))
    }
  }

  async function settle(some: Held[]) {
    const events = some.map(({ event }) => event)
    try {
      await untilFresh(() => handle(deps, db, events))
      for (const one of some) one.settle(null)
    } catch (error) {
      // One that cannot be handled is not to hold up the others; where nothing answers, trying each would only take longer.
      if (some.length > 1 && !isOutage(error)) {
        for (const one of some) await settle([one])
        return
      }
      log.warn({ err: error, events: events.map(({ id, type }) => `${type} ${id}`) }, 'a provider event failed and will be tried again')
      await keepFailed(db, events, error)
      for (const one of some) one.settle(error)
    }
  }

  /** Due events that nobody holds: left by an instance that died, failed before, or more than could be held. */
  async function takeUp(): Promise<number> {
    if (held.size > MOST_HELD - CLAIMED) return 0
    const { rows } = await sql<{ payload: unknown }>`
      update provider_events set next_at = now() + ${LEASE} where id in (
        select id from provider_events where status <> 'done' and next_at <= now() and payload is not null
        order by next_at limit ${CLAIMED} for update skip locked)
      returning payload`.execute(db)
    for (const { payload } of rows) void add(deps.provider.eventFrom(payload))
    return rows.length
  }

  async function poll() {
    const taken = await takeUp().catch((err) => {
      log.warn({ err }, 'provider events cannot be read, will try again')
      return 0
    })
    if (taken) rest.end()
    if (!stopped) timer = setTimeout(poll, taken === CLAIMED ? 100 : rest.next()).unref()
  }

  return {
    /** Settles when the event is handled or has failed; never rejects. */
    add,
    /** The same where nobody waits for it; beyond what can be held it stays where it is stored. */
    offer(event: ProviderEvent) {
      if (held.size < MOST_HELD) void add(event)
    },
    start: () => void poll(),
    async stop() {
      stopped = true
      clearTimeout(timer)
      await Promise.all(running.values())
    },
  }
}
