import type * as contract from '@operon/contracts/billing/sales'
import type { Input, Output } from '@operon/contracts/contract'
import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import type { BillingCtx, Db, Deps } from '../deps.ts'
import { beginCall, begunCall, callOnce } from '../provider-calls.ts'
import { lockBalance } from '../sellers/balance.ts'
import { askStaff, weighRefund } from '../sellers/debt.ts'
import { refused } from '../stripe-errors.ts'
import { ownSale, saleJson } from './list.ts'
import type { SaleRow } from './rows.ts'
import { settle } from './settle.ts'

/** The amount that goes back now: the whole rest, or a part of it. A dispute that the bank decides about is not overtaken. */
function refundable(sale: SaleRow, amountCents?: number): number {
  const left = sale.gross_cents - sale.refunded_cents
  if (sale.status !== 'completed') throw new DomainError('not_found')
  if (sale.dispute === 'open') throw new DomainError('refund_disputed')
  if (left === 0 || (amountCents ?? left) > left) throw new DomainError('refund_too_large')
  return amountCents ?? left
}

export async function previewRefund(
  ctx: BillingCtx,
  { sale_id, amount_cents }: Input<typeof contract.previewRefund>,
): Promise<Output<typeof contract.previewRefund>> {
  const sale = await ownSale(ctx, sale_id)
  const cents = refundable(sale, amount_cents)
  const { due_cents, owed_cents } = await ctx.db
    .selectFrom('seller_balances')
    .select(['due_cents', 'owed_cents'])
    .where('seller_id', '=', sale.seller_id)
    .where('currency', '=', sale.currency)
    .executeTakeFirstOrThrow()
  const { parts, needsStaff } = await weighRefund(ctx.db, sale, cents, { dueCents: due_cents, owedCents: owed_cents })
  return {
    sale: saleJson(sale),
    amount_cents: cents,
    currency: sale.currency,
    from_held_cents: parts.fromHeld + parts.fromReserve,
    from_due_cents: parts.fromDue,
    becomes_owed_cents: parts.owed,
    fee_returned_cents: parts.feeCents,
    tax_returned_cents: parts.taxCents,
    ...(needsStaff && { needs_staff: true as const }),
  }
}

export async function refundOrder(
  deps: Deps,
  ctx: BillingCtx,
  { sale_id, amount_cents, reason }: Input<typeof contract.refundOrder>,
): Promise<Output<typeof contract.refundOrder>> {
  return refundSale(deps, ctx, await ownSale(ctx, sale_id), amount_cents, reason, 'seller')
}

type By = 'seller' | 'staff'
type Fixed = { cents: number; takes_cents?: number }
/** One refund an intention: who asks again before the answer came gets the same one. */
export async function refundSale(deps: Deps, ctx: BillingCtx, sale: SaleRow, amountCents: number | undefined, reason: string, by: By) {
  // The request alone, and nothing of how the sale stands: the webhook may have told of a refund whose answer was lost.
  const request = { charge: sale.charge, amountCents: amountCents ?? null, asked: ctx.idempotencyKey ?? null }
  const asked = { userId: sale.seller_id, kind: `refund:${sale.charge}`, request, asked: ctx.idempotencyKey }
  const begun = await begunCall<Fixed>(ctx.db, asked)
  const fixed: Fixed = begun ?? { cents: refundable(sale, amountCents) }
  if (!begun && by === 'seller') fixed.takes_cents = await mayTake(ctx.db, sale, { ...asked, fixed })
  const { refund } = await callOnce(
    ctx.db,
    { ...asked, fixed },
    async (key, { cents }) => {
      const refund = await deps.provider.refund({ charge: sale.charge, amountCents: cents }, key)
      return { refund, charge: await deps.provider.getCharge(sale.charge) }
    },
    async (trx, { refund, charge }) => {
      await settle(trx, charge)
      await trx.updateTable('sale_refunds').set({ reason }).where('id', '=', refund.id).execute()
    },
  ).catch(refused)
  return { refund: refund.id, amount_cents: refund.amountCents, currency: refund.currency, sale_id: sale.id }
}

/**
 * Whether the seller may send it themselves. It is decided as its call begins, under the lock of their balance: the next refund counts this
 * one. What would leave too much of a debt is told to staff instead.
 */
async function mayTake(db: Db, sale: SaleRow, asked: Parameters<typeof beginCall<Fixed>>[1]): Promise<number> {
  const cents = asked.fixed!.cents
  const weighed = await inTransaction(db, async (trx) => {
    const found = await weighRefund(trx, sale, cents, await lockBalance(trx, sale.seller_id, sale.currency))
    if (found.needsStaff) await askStaff(trx, sale, cents, found)
    else await beginCall(trx, { ...asked, fixed: { cents, takes_cents: found.takesCents } })
    return found
  })
  if (weighed.needsStaff) throw new DomainError('refund_needs_staff')
  return weighed.takesCents
}
