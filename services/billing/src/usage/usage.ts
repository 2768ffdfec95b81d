import { type usageLive, usageThreshold } from '@operon/contracts/billing/events'
import type { Envelope, Payload } from '@operon/contracts/contract'
import type { aiUsageRecorded } from '@operon/contracts/usage'
import { publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Trx } from '../deps.ts'

type Usage = Envelope<Payload<typeof aiUsageRecorded>>
export type TellUsage = (live: Payload<typeof usageLive>) => unknown

/** What is used of a unit in a period. It only grows, so the greatest wins in any order; agents are a count, of which the newest holds. */
export async function projectUsage(trx: Trx, { user_id: userId, at, payload }: Usage, tell: TellUsage): Promise<void> {
  if (!userId) return
  const { unit, used, limit, period_start } = payload
  const row = await trx
    .insertInto('usage')
    .values({ user_id: userId, unit, period_start: new Date(period_start), used, max: limit, at: new Date(at) })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'unit', 'period_start'])
        .doUpdateSet({ used, max: limit, at: new Date(at) })
        .where(sql<boolean>`case when excluded.unit = 'agents' then excluded.at > usage.at else excluded.used > usage.used end`),
    )
    .returning('unit')
    .executeTakeFirst()
  if (!row) return
  tell({ user_id: userId, unit, used, limit })
  const percent = limit ? (used >= limit ? 100 : used * 5 >= limit * 4 ? 80 : null) : null
  if (!percent || !limit) return
  const isNew = await trx
    .updateTable('usage')
    .set({ warned: percent })
    .where('user_id', '=', userId)
    .where('unit', '=', unit)
    .where('period_start', '=', new Date(period_start))
    .where('warned', '<', percent)
    .returning('unit')
    .executeTakeFirst()
  if (isNew) await publish(trx, usageThreshold, userId, { unit, percent, used, limit })
}
