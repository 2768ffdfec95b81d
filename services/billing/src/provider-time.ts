import { reconcile } from '@operon/contracts/billing/events'
import { moveSellers } from '@operon/contracts/billing/selling-events'
import { enqueue } from '@operon/kit/tx'
import { type RawBuilder, sql } from 'kysely'
import type { Trx } from './deps.ts'
import type { ProviderEvent } from './stripe-shapes.ts'

type Times = { person: RawBuilder<string>; early?: RawBuilder<unknown> }

/** True once the provider's time for this person has come to a moment, or to so long before it. The first half is what an index answers. */
export const reached = (moment: RawBuilder<Date>, { person, early = sql`interval '0'` }: Times) =>
  sql<boolean>`(${moment} <= provider_latest() + ${early} and ${moment} <= provider_now(${person}) + ${early})`

/** The sandbox says that it moved the clock of one customer or seller: whose, and by how much it is ahead of all others. */
export function movedClock({ type, createdAt, raw }: ProviderEvent): { customer: string; aheadS: number } | null {
  if (type !== 'test_helpers.test_clock.ready') return null
  const { name, frozen_time } = (raw as { data: { object: { name: string | null; frozen_time: number } } }).data.object
  return name?.startsWith('cus_') || name?.startsWith('acct_')
    ? { customer: name, aheadS: frozen_time - Math.floor(createdAt.getTime() / 1000) }
    : null
}

/** It only goes forward, whatever order the events come in; what the time brings comes at once. */
export async function moveClock(trx: Trx, { customer, aheadS }: { customer: string; aheadS: number }): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ provider_ahead_s: aheadS })
    .where((or) =>
      or.or([
        or('stripe_customer_id', '=', customer),
        or('user_id', 'in', or.selectFrom('seller_accounts').select('user_id').where('account', '=', customer)),
      ]),
    )
    .where('provider_ahead_s', '<', aheadS)
    .execute()
  await enqueue(trx, reconcile, {})
  await enqueue(trx, moveSellers, {})
}
