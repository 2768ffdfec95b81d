import type * as contract from '@operon/contracts/billing/plans-staff'
import type { Input, Output } from '@operon/contracts/contract'
import { DomainError } from '@operon/kit/errors'
import { isUuid } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx } from '../deps.ts'
import { pair } from '../ledger/entries.ts'
import { post } from '../ledger/post.ts'
import { log } from './log.ts'
import { closeMatter } from './matters.ts'

const SHOWN = 50
const CLEARED = 'suspense_cleared'

export async function staffSuspense(
  ctx: BillingCtx,
  { reason, cursor }: Input<typeof contract.staffSuspense>,
): Promise<Output<typeof contract.staffSuspense>> {
  if (cursor !== undefined && !isUuid(cursor)) throw new DomainError('invalid', { message: 'This cursor is not from here.' })
  if (!cursor) await log(ctx, 'look at unknown money', reason, null, {})
  const found = await ctx.db
    .selectFrom('ledger_postings as p')
    .innerJoin('ledger_entries as e', 'e.id', 'p.entry_id')
    .leftJoin('accounts as a', 'a.user_id', 'e.user_id')
    .select(['e.id', 'e.occurred_at', 'e.kind', 'e.description', 'e.reference', 'e.user_id', 'a.email', 'p.currency'])
    .select(sql<number>`0 - p.amount_cents`.as('amount_cents'))
    .select(sql<string | null>`(select c.description from ledger_entries c where c.reference = ${CLEARED} || ':' || e.id)`.as('cleared_as'))
    .where('p.account', '=', 'suspense')
    .$if(cursor !== undefined, (query) => query.where('p.entry_id', '<', cursor!))
    .orderBy('p.entry_id', 'desc')
    .limit(SHOWN + 1)
    .execute()
  return {
    rows: found.slice(0, SHOWN).map(({ occurred_at, amount_cents, ...row }) => ({
      ...row,
      at: occurred_at.toISOString(),
      amount_cents: Number(amount_cents),
    })),
    cursor: found.length > SHOWN ? found[SHOWN - 1]!.id : null,
  }
}

const names = { subscription_revenue: 'Booked as subscription revenue', platform_fees: 'Booked as fees', refunds: 'Booked as a refund' }

/** By an entry of its own, under the name of the one that it clears: a second is none. */
export async function staffClearSuspense(
  ctx: BillingCtx,
  { entry_id, as, reason }: Input<typeof contract.staffClearSuspense>,
): Promise<Output<typeof contract.staffClearSuspense>> {
  const moved = await ctx.db
    .selectFrom('ledger_postings as p')
    .innerJoin('ledger_entries as e', 'e.id', 'p.entry_id')
    .select(['p.amount_cents', 'p.currency', 'e.user_id', 'e.kind', 'e.reference'])
    .where('p.account', '=', 'suspense')
    .where('p.entry_id', '=', entry_id)
    .executeTakeFirst()
  if (!moved || moved.kind === CLEARED) throw new DomainError('not_found')
  const { amount_cents, currency, user_id: userId } = moved
  await log(ctx, 'clear unknown money', reason, userId, { about: moved.reference })
  const isNew = await inTransaction(ctx.db, async (trx) => {
    await closeMatter(trx, 'suspense', moved.reference.slice(moved.reference.indexOf(':') + 1))
    return post(trx, {
      ...{ reference: `${CLEARED}:${entry_id}`, kind: CLEARED, userId, description: names[as], occurredAt: new Date() },
      lines: pair(currency, -Number(amount_cents), 'suspense', as),
    })
  })
  if (!isNew) throw new DomainError('conflict', { message: 'It was booked already.' })
  return { cleared: true }
}
