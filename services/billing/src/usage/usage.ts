import { budgetThreshold, type usageLive, usageThreshold } from '@operon/contracts/billing/events'
import type { Envelope, Payload } from '@operon/contracts/contract'
import type { aiUsageRecorded } from '@operon/contracts/usage'
import { publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Trx } from '../deps.ts'

type Usage = Envelope<Payload<typeof aiUsageRecorded>>
export type TellUsage = (live: Payload<typeof usageLive>) => unknown

/** The use of a unit in a period. It only grows, so the greatest wins in any order; agents are a count, of which the newest holds. */
export async function projectUsage(trx: Trx, { user_id: userId, at, payload }: Usage, tell: TellUsage): Promise<void> {
  if (!userId) return
  const { unit, limit, period_start } = payload
  const spent = { cost_used_microusd: payload.cost_used_microusd ?? 0, budget_microusd: payload.budget_microusd ?? null }
  const row = await trx
    .insertInto('usage')
    .values({ user_id: userId, unit, period_start: new Date(period_start), used: payload.used, max: limit, at: new Date(at), ...spent })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'unit', 'period_start'])
        .doUpdateSet({
          used: sql`case when excluded.unit = 'agents' then excluded.used else greatest(usage.used, excluded.used) end`,
          max: limit,
          at: new Date(at),
          cost_used_microusd: sql`greatest(usage.cost_used_microusd, excluded.cost_used_microusd)`,
          budget_microusd: spent.budget_microusd,
        })
        .where(
          sql<boolean>`case when excluded.unit = 'agents' then excluded.at > usage.at
            else excluded.used > usage.used or excluded.cost_used_microusd > usage.cost_used_microusd end`,
        ),
    )
    .returning('used')
    .executeTakeFirst()
  await warnOfBudget(trx, userId, payload)
  if (!row) return
  const { used } = row
  tell({ user_id: userId, unit, used, limit })
  const percent = reached(used, limit)
  if (!percent || !limit) return
  if (await isFirst(trx, userId, payload, 'warned', percent)) await publish(trx, usageThreshold, userId, { unit, percent, used, limit })
}

/** An answer may cost something and count no unit, so this looks at every settlement. */
async function warnOfBudget(trx: Trx, userId: string, payload: Usage['payload']) {
  const { unit, cost_used_microusd: used_microusd = 0, budget_microusd } = payload
  const percent = reached(used_microusd, budget_microusd)
  if (!percent || !budget_microusd) return
  if (await isFirst(trx, userId, payload, 'cost_warned', percent))
    await publish(trx, budgetThreshold, userId, { unit, percent, used_microusd, budget_microusd })
}

const reached = (used: number, limit: number | null | undefined) => (!limit || used * 5 < limit * 4 ? null : used < limit ? 80 : 100)

/** Each threshold is told once a period. */
async function isFirst(
  trx: Trx,
  userId: string,
  { unit, period_start }: Usage['payload'],
  column: 'warned' | 'cost_warned',
  percent: 80 | 100,
): Promise<boolean> {
  const marked = await trx
    .updateTable('usage')
    .set({ [column]: percent })
    .where('user_id', '=', userId)
    .where('unit', '=', unit)
    .where('period_start', '=', new Date(period_start))
    .where(column, '<', percent)
    .returning('unit')
    .executeTakeFirst()
  return Boolean(marked)
}
