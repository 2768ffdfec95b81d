import { sql } from 'kysely'
import type { Db } from '../deps.ts'
import type { ProviderEvent } from '../stripe-shapes.ts'
import { isOfInterest } from './effects.ts'

/** How long an event is left to the instance that took it in. */
export const LEASE = sql`interval '10 seconds'`
const MOST_TOGETHER = 200

export type Intake = ReturnType<typeof openIntake>

/** Stores events, each once by its id. Those that come while a statement is on its way share the next: one commit for all of them. */
export function openIntake(db: Db) {
  let waiting: { event: ProviderEvent; resolve: (isNew: boolean) => void; reject: (error: unknown) => void }[] = []
  let writing = false

  async function write() {
    if (writing) return
    writing = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_TOGETHER)
      waiting = waiting.slice(MOST_TOGETHER)
      await store(batch.map(({ event }) => event)).then(
        (fresh) => batch.forEach(({ event, resolve }) => void resolve(fresh.delete(event.id))),
        (error) => batch.forEach(({ reject }) => void reject(error)),
      )
    }
    writing = false
  }

  /** Those that are to be handled: the new ones, and a failed one that is sent once more. */
  async function store(events: ProviderEvent[]): Promise<Set<string>> {
    const rows = events.map((event) => {
      const matters = isOfInterest(event)
      const { id, type, createdAt } = event
      return { id, type, created_at: createdAt, status: matters ? 'waiting' : 'done', payload: matters ? event.raw : null }
    })
    const { rows: kept } = await sql<{ id: string }>`
      insert into provider_events (id, type, created_at, status, attempts, payload, next_at)
      select distinct on (id) id, type, created_at, status, 0, payload, now() + ${LEASE}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e (id text, type text, created_at timestamptz, status text, payload jsonb)
      order by id
      on conflict (id) do update set next_at = excluded.next_at where provider_events.status = 'failed'
      returning id`.execute(db)
    return new Set(kept.map(({ id }) => id))
  }

  /** False when it is known already. */
  return (event: ProviderEvent): Promise<boolean> =>
    new Promise((resolve, reject) => {
      waiting.push({ event, resolve, reject })
      void write()
    })
}
