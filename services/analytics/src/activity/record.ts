import { activityRecorded } from '@operon/contracts/analytics/events'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { afterCommit } from '@operon/kit/tx'
import type { Heard, Trx } from '../facts/record.ts'
import type { AnalyticsDb } from '../schema.ts'
import { tell } from '../tell.ts'

export async function recordActivity(rt: Runtime<AnalyticsDb>, trx: Trx, { event, envelope }: Heard): Promise<void> {
  const said = event.activity?.(envelope.payload)
  if (!said) return
  const { command, status } = typeof said === 'string' ? { command: said, status: 'completed' } : said
  const link = event.link?.(envelope.payload) ?? null
  const shown = { id: newId(), user_id: envelope.user_id, command, status, link }
  await trx
    .insertInto('activity_logs')
    .values({ ...shown, event_id: envelope.id, created_at: new Date(envelope.at) })
    .execute()
  afterCommit(trx, () => tell(rt, activityRecorded, { ...shown, created_at: new Date(envelope.at).toISOString() }))
}
