import { demoPrompts, demoTrialBegan } from '@operon/contracts/ai-gateway/demo'
import type { Envelope, Payload } from '@operon/contracts/contract'
import type { demoCreated } from '@operon/contracts/identity/events'
import { budgetsOf, limitsOf } from '@operon/contracts/plans'
import { sql } from 'kysely'
import { ensureAccount } from '../accounts.ts'
import type { Trx } from '../deps.ts'
import { publishSubscription } from './entitlement.ts'

/**
 * A demo is on the last day of a trial that the provider knows nothing of: no customer, no card, and the model budget of a free account. The
 * reminder before the first charge counts as sent.
 */
export async function seedDemo(trx: Trx, { user_id: userId, payload }: Envelope<Payload<typeof demoCreated>>): Promise<void> {
  if (!userId || payload.portal !== 'seller') return
  await ensureAccount(trx, { userId, email: null, name: payload.name, version: 0 })
  const began = demoTrialBegan(payload.ends_at)
  const endsAt = new Date(payload.ends_at)
  const row = await trx
    .updateTable('subscriptions')
    .set({
      plan: 'pro',
      tier: 'trial',
      status: 'trialing',
      period_start: began,
      period_end: endsAt,
      trial_end: endsAt,
      reminded_at: sql`now()`,
      version: sql`version + 1`,
      looks: sql`looks + 1`,
      updated_at: sql`now()`,
    })
    .where('user_id', '=', userId)
    .where('stripe_subscription_id', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (!row) return
  await trx.updateTable('accounts').set({ trial_used_at: began }).where('user_id', '=', userId).execute()
  await trx
    .insertInto('usage')
    .values({ user_id: userId, unit: 'prompts', period_start: began, used: demoPrompts, max: limitsOf('trial').prompts, at: sql`now()` })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await publishSubscription(trx, row, budgetsOf('none'))
}
