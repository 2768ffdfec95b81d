import { sql } from 'kysely'
import type { Heard, Trx } from './record.ts'

/** Keeps the newest state that an event left. True where it differs from the last one: renewals and late events are no news. */
export async function isNews(trx: Trx, { event, envelope: { name, user_id, payload } }: Heard): Promise<boolean> {
  const state = event.state!(payload)
  const { version } = payload as { version: number }
  // Two at once take turns, also at the first, when there is no row to lock yet.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${name} ${user_id}`}, 0))`.execute(trx)
  const before = await trx.selectFrom('states').selectAll().where('user_id', '=', user_id).where('event', '=', name).executeTakeFirst()
  if (before && before.version >= version) return false
  await trx
    .insertInto('states')
    .values({ user_id, event: name, state, version })
    .onConflict((conflict) => conflict.columns(['user_id', 'event']).doUpdateSet({ state, version }))
    .execute()
  return before?.state !== state
}
