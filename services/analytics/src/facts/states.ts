import type { Event } from '@operon/contracts/contract'
import { sql } from 'kysely'
import type { Heard, Trx } from './record.ts'

/** Keeps the newest state that an event left each account in. News is what differs from the last one: renewals and late events are none. */
export async function onlyNews(trx: Trx, event: Event, heard: Heard[]): Promise<Heard[]> {
  const people = [...new Set(heard.map(({ envelope }) => envelope.user_id))].sort()
  // Two at once take turns, also at the first, when there is no row to lock yet.
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${event.name} || ' ' || person, 0)) from unnest(${people}::text[]) as person`.execute(trx)
  const before = await trx
    .selectFrom('states')
    .select(['user_id', 'state', 'version'])
    .where('event', '=', event.name)
    .where('user_id', '=', sql<string>`any(${people})`)
    .execute()
  const states = new Map(before.map((row) => [row.user_id, row]))
  const changed = new Set<string>()
  const news = heard.filter(({ envelope: { user_id, payload } }) => {
    const { version } = payload as { version: number }
    const last = states.get(user_id)
    if (last && last.version >= version) return false
    const state = event.state!(payload)
    states.set(user_id, { user_id, state, version })
    changed.add(user_id)
    return state !== last?.state
  })
  const rows = [...changed].map((user_id) => ({ ...states.get(user_id)!, event: event.name }))
  if (rows.length)
    await trx
      .insertInto('states')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['user_id', 'event'])
          .doUpdateSet((set) => ({ state: set.ref('excluded.state'), version: set.ref('excluded.version') })),
      )
      .execute()
  return news
}
