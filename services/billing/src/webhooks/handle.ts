import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Db, Deps, Trx } from '../deps.ts'
import type { ProviderEvent } from '../stripe-shapes.ts'
import { gather } from './effects.ts'

/**
 * The objects of the events are fetched as they are now, since events come late, twice and in any order; that they are done and what comes of
 * them commit together.
 */
export async function handle(deps: Deps, db: Db, events: ProviderEvent[]): Promise<void> {
  const effects = await gather(deps, db, events)
  const told = await inTransaction(db, async (trx) => {
    const mine = await markDone(trx, events)
    const changes = []
    for (const { of, write } of effects) if (of.some(({ id }) => mine.has(id))) changes.push(await write(trx))
    return changes
  })
  for (const change of told) if (change) deps.tell(change)
}

/** Those that nobody else has done meanwhile; one that is being done is waited for here. */
async function markDone(trx: Trx, events: ProviderEvent[]): Promise<Set<string>> {
  const ids = events.map(({ id }) => id)
  const { rows } = await sql<{ id: string }>`
    update provider_events set status = 'done', error = null, payload = null, handled_at = now()
    where id in (select id from provider_events where id = any(${ids}::text[]) and status <> 'done' order by id for update)
    returning id`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

/** Kept with why, and tried again later and later; after so many tries it waits for staff. */
export async function keepFailed(db: Db, events: ProviderEvent[], error: unknown): Promise<void> {
  const ids = events.map(({ id }) => id)
  const text = (error instanceof Error ? error.message : String(error)).slice(0, 500)
  await sql`
    update provider_events set status = 'failed', attempts = attempts + 1, error = ${text}, handled_at = now(),
      next_at = case when attempts < 19 then now() + least(600, 5 * 2 ^ attempts) * interval '1 second' else 'infinity' end
    where id = any(${ids}::text[]) and status <> 'done'`.execute(db)
}
