import { activityRecorded } from '@operon/contracts/analytics/events'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { afterCommit } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Heard, Trx } from '../facts/record.ts'
import type { AnalyticsDb } from '../schema.ts'
import { tell } from '../tell.ts'

export async function recordActivity(rt: Runtime<AnalyticsDb>, trx: Trx, heard: Heard[]): Promise<void> {
  const lines = heard.flatMap(({ event, envelope: { id, user_id, at, payload } }) => {
    const said = event.activity?.(payload)
    if (!said) return []
    const { command, status } = typeof said === 'string' ? { command: said, status: 'completed' } : said
    const shown = { id: newId(), user_id, command, status, link: event.link?.(payload) ?? null, created_at: new Date(at).toISOString() }
    return [{ shown, row: { ...shown, event_id: id } }]
  })
  if (!lines.length) return
  await sql`
    insert into activity_logs (id, user_id, event_id, command, status, link, created_at)
    select id, user_id, event_id, command, status, link, created_at
    from jsonb_to_recordset(${JSON.stringify(lines.map(({ row }) => row))})
      as line (id uuid, user_id uuid, event_id uuid, command text, status text, link text, created_at timestamptz)`.execute(trx)
  for (const { shown } of lines) afterCommit(trx, () => tell(rt, activityRecorded, shown))
}
