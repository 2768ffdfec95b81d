import { UNSYNCED } from '@operon/kit/db'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { IntegrationsDb } from '../schema.ts'
import type { ConnectionRow } from './keep.ts'

type Rt = Pick<Runtime<IntegrationsDb, Config>, 'db' | 'log' | 'onStop'>
type Note = { id: string; connection_id: string; user_id: string; action: string; outcome: string; duration_ms: number }

/** The action of a call that only looks whether the connection still works. */
export const LOOK = 'look'
/** Failures that may be the other side's. */
export const FAILING = new Set(['upstream_failed', 'upstream_timeout', 'app_unknown_outcome'])

const SOON_MS = 40
const MOST = 500

/** The log of calls and the state that follows from them. What went well is written a moment later, many at once, so that no call waits for it. */
export function openNotes({ db, log, onStop }: Rt) {
  let waiting: Note[] = []
  let due: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function flush(): Promise<void> {
    clearTimeout(due)
    due = undefined
    const notes = waiting
    waiting = []
    if (notes.length)
      writing = writing
        .then(() => write(notes))
        .catch((err: unknown) => log.warn({ err, calls: notes.length }, 'calls to apps are missing from their log'))
    return writing
  }

  async function write(notes: Note[]) {
    const given = sql`(select * from jsonb_to_recordset(${JSON.stringify(notes)}::jsonb)
      as g(id uuid, connection_id uuid, user_id uuid, action text, outcome text, duration_ms integer)) g`
    // A look that found nothing is no use of the connection, and not worth a line of its log. The last failure of a batch stands last in it.
    await sql`
      with given as (select g.* from ${given} join connections c on c.id = g.connection_id and c.user_id = g.user_id),
      called as (
        insert into connection_calls (id, connection_id, user_id, action, outcome, duration_ms)
        select id, connection_id, user_id, action, outcome, duration_ms from given where not (action = ${LOOK} and outcome = 'ok')
      ),
      seen as (
        select connection_id, bool_or(action <> ${LOOK}) as used, bool_or(outcome = 'ok') as worked,
          case when bool_or(outcome = any(${[...FAILING]}::text[])) then 'degraded' when bool_or(outcome = 'ok') then 'connected' end as state
        from given group by connection_id
      )
      update connections c set last_call_at = case when used then now() else last_call_at end, checked_at = case when worked then now() else checked_at end,
        state = case when c.state in ('connected', 'degraded') then coalesce(seen.state, c.state) else c.state end,
        failure = case when c.state in ('connected', 'degraded') and seen.state is not null
          then case seen.state when 'degraded' then 'The last call failed on its side.' end else failure end
      from seen, ${sql.raw(UNSYNCED)} where c.id = seen.connection_id`.execute(db)
  }

  onStop(flush)
  return async (
    { id, user_id }: Pick<ConnectionRow, 'id' | 'user_id'>,
    action: string,
    outcome: string,
    startedAt: number,
  ): Promise<void> => {
    const isWell = outcome === 'ok' && action !== LOOK
    // Earlier results are written by themselves: a failure must not be covered by an older success.
    if (!isWell) void flush()
    waiting.push({
      ...{ id: newId(), connection_id: id, user_id, action, outcome },
      duration_ms: Math.round(performance.now() - startedAt),
    })
    if (!isWell || waiting.length >= MOST) return flush()
    due ??= setTimeout(flush, SOON_MS)
  }
}
