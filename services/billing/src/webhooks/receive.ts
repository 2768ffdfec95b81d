import { inTransaction } from '@operon/kit/tx'
import type { Db, Deps, Trx } from '../deps.ts'
import type { ProviderEvent } from '../stripe-shapes.ts'
import { untilFresh } from '../subscriptions/project.ts'
import { gather } from './effects.ts'

/**
 * Handles an event once. What it is about is fetched as it is now, since events come late, twice and in any order; the event's id and its
 * effect commit together. A failure is kept, so that it can be replayed when the provider's own retries are over.
 */
export async function receive(deps: Deps, db: Db, event: ProviderEvent): Promise<'done' | 'duplicate'> {
  const known = await db.selectFrom('provider_events').select('status').where('id', '=', event.id).executeTakeFirst()
  if (known?.status === 'done') return 'duplicate'
  try {
    return await untilFresh(() => handle(deps, db, event))
  } catch (error) {
    await keepFailed(db, event, error)
    throw error
  }
}

async function handle(deps: Deps, db: Db, event: ProviderEvent): Promise<'done' | 'duplicate'> {
  const effects = await gather(deps, db, event)
  const told = await inTransaction(db, async (trx) => {
    if (!(await markDone(trx, event))) return null
    const changes = []
    for (const effect of effects) changes.push(await effect(trx))
    return changes
  })
  if (!told) return 'duplicate'
  for (const change of told) if (change) deps.tell(change)
  return 'done'
}

/** False when another delivery has done it; one that runs at the same time is waited for here. */
async function markDone(trx: Trx, event: ProviderEvent): Promise<boolean> {
  const mine = await trx
    .insertInto('provider_events')
    .values({ id: event.id, type: event.type, created_at: event.createdAt, status: 'done', error: null, payload: null })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ status: 'done', error: null, payload: null, handled_at: new Date() })
        .where('provider_events.status', '=', 'failed'),
    )
    .returning('id')
    .executeTakeFirst()
  return mine !== undefined
}

async function keepFailed(db: Db, event: ProviderEvent, error: unknown) {
  const text = (error instanceof Error ? error.message : String(error)).slice(0, 500)
  await db
    .insertInto('provider_events')
    .values({
      id: event.id,
      type: event.type,
      created_at: event.createdAt,
      status: 'failed',
      error: text,
      payload: JSON.stringify(event.raw),
    })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((set) => ({ attempts: set('provider_events.attempts', '+', 1), error: text, handled_at: new Date() }))
        .where('provider_events.status', '=', 'failed'),
    )
    .execute()
}
