import { activityRecorded } from '@operon/contracts/analytics/events'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { afterCommit } from '@operon/kit/tx'
import type { Heard, Trx } from '../facts/record.ts'
import type { AnalyticsDb } from '../schema.ts'
import { tell } from '../tell.ts'
import { activityOf } from './wording.ts'

export async function recordActivity(rt: Runtime<AnalyticsDb>, trx: Trx, heard: Heard): Promise<void> {
  const activity = activityOf(heard)
  if (!activity) return
  const row = {
    id: newId(),
    user_id: heard.user_id!,
    event_id: heard.id,
    command: activity.command,
    status: activity.status ?? 'completed',
    created_at: new Date(heard.at),
  }
  await trx.insertInto('activity_logs').values(row).execute()
  const { event_id, created_at, ...shown } = row
  afterCommit(trx, () => tell(rt, activityRecorded, { ...shown, created_at: created_at.toISOString() }))
}
