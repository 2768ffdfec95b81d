import type * as contract from '@operon/contracts/billing/sales'
import type { Input, Output } from '@operon/contracts/contract'
import { DomainError } from '@operon/kit/errors'
import type { BillingCtx, Deps } from '../deps.ts'
import { returnedOf } from '../ledger/selling.ts'
import { callOnce } from '../provider-calls.ts'
import { refused } from '../stripe-errors.ts'
import { ownSale, saleJson } from './list.ts'
import { moneyOf, type SaleRow, termsOf } from './rows.ts'
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
  const row = await ctx.db
    .selectFrom('seller_balances')
    .select('due_cents')
    .where('seller_id', '=', sale.seller_id)
    .where('currency', '=', sale.currency)
    .executeTakeFirstOrThrow()
  const parts = returnedOf(termsOf(sale), moneyOf(sale), cents, { dueCents: row.due_cents })
  return {
    sale: saleJson(sale),
    amount_cents: cents,
    currency: sale.currency,
    from_held_cents: parts.fromHeld + parts.fromReserve,
    from_due_cents: parts.fromDue,
    becomes_owed_cents: parts.owed,
    fee_returned_cents: parts.feeCents,
  }
}

export async function refundOrder(
  deps: Deps,
  ctx: BillingCtx,
  { sale_id, amount_cents, reason }: Input<typeof contract.refundOrder>,
): Promise<Output<typeof contract.refundOrder>> {
  return refundSale(deps, ctx, await ownSale(ctx, sale_id), amount_cents, reason)
}

/** One refund an intention: who asks again before the answer came gets the same one. */
export async function refundSale(deps: Deps, ctx: BillingCtx, sale: SaleRow, amountCents: number | undefined, reason: string) {
  const cents = refundable(sale, amountCents)
  // The request alone, and nothing of how the sale stands: the webhook may have told of a refund whose answer was lost.
  const request = { charge: sale.charge, amountCents: amountCents ?? null, asked: ctx.idempotencyKey ?? null }
  const intention = { userId: sale.seller_id, kind: `refund:${sale.charge}`, request, fixed: { cents }, asked: ctx.idempotencyKey }
  const { refund } = await callOnce(
    ctx.db,
    intention,
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
