import { subscriptionChanged } from '@operon/contracts/billing/events'
import type { Tier } from '@operon/contracts/plans'
import type { Runtime } from './service.ts'

/** Every service keeps each user's plan, so that no request waits on billing. The newest version wins, whatever order they come in. */
export function projectEntitlements(rt: Runtime) {
  rt.on(subscriptionChanged, 'project-entitlements', async (trx, { user_id, payload }) => {
    if (!user_id) return
    const row = {
      tier: payload.tier satisfies Tier,
      status: payload.status,
      limits: JSON.stringify(payload.limits),
      budget_microusd: payload.budgets_microusd?.[rt.name] ?? null,
      period_start: new Date(payload.period_start),
      period_end: payload.period_end ? new Date(payload.period_end) : null,
      version: payload.version,
    }
    await trx
      .insertInto('entitlements')
      .values({ user_id, ...row })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row).where('entitlements.version', '<', payload.version))
      .execute()
  })
}
