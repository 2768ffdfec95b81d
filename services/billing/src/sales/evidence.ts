import type * as contract from '@operon/contracts/billing/sales'
import type { Input, Output } from '@operon/contracts/contract'
import { day } from '@operon/contracts/words'
import { DomainError } from '@operon/kit/errors'
import type { BillingCtx, Deps } from '../deps.ts'
import { onRecord, partsOf, textOf } from './collected.ts'
import { ownSale } from './list.ts'
import type { SaleRow } from './rows.ts'

export async function submitEvidence(
  deps: Deps,
  ctx: BillingCtx,
  { sale_id, text, send }: Input<typeof contract.submitEvidence>,
): Promise<Output<typeof contract.submitEvidence>> {
  const sale = await ownSale(ctx, sale_id)
  return answerDispute(deps, ctx, { column: 'sale_id', is: sale.id }, { evidence: await evidenceOf(deps, sale, text, send), text }, send)
}

type Evidence = Parameters<Deps['provider']['submitEvidence']>[1]
/** Kept until it is sent, and sent once. What we know of the order and its delivery goes with it. */
export async function answerDispute(
  deps: Deps,
  ctx: BillingCtx,
  about: { column: 'sale_id' | 'id'; is: string },
  { evidence, text }: { evidence: Evidence; text: string },
  send: boolean,
) {
  const open = await ctx.db
    .updateTable('disputes')
    .set({ evidence: text })
    .where(about.column, '=', about.is)
    .where('state', 'in', ['asked', 'open'])
    .where('evidence_sent_at', 'is', null)
    .returning(['id', 'evidence_due_at'])
    .executeTakeFirst()
  if (!open) throw new DomainError('dispute_closed')
  if (send) {
    await deps.provider.submitEvidence(open.id, evidence, true, `evidence-${open.id}`)
    await ctx.db.updateTable('disputes').set({ evidence_sent_at: new Date() }).where('id', '=', open.id).execute()
  }
  return { dispute: open.id, sent: send, evidence_due_at: open.evidence_due_at?.toISOString() ?? null }
}

/** The seller's own words, and once they are sent all that is on record of the order. */
export async function evidenceOf(deps: Deps, sale: SaleRow, text: string, send: boolean): Promise<Evidence> {
  return {
    product_description: sale.title,
    ...(sale.email && { customer_email_address: sale.email }),
    ...(sale.customer && { customer_name: sale.customer }),
    ...(sale.delivered_at && { service_date: day(sale.delivered_at.toISOString()) }),
    ...(send && { access_activity_log: textOf(partsOf(sale, await onRecord(deps, sale))) }),
    uncategorized_text: text,
  }
}
