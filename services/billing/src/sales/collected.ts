import type * as contract from '@operon/contracts/billing/sales'
import type { Input, Output } from '@operon/contracts/contract'
import type { orderEvidence } from '@operon/contracts/marketplace/evidence'
import type { z } from 'zod'
import type { BillingCtx, Deps } from '../deps.ts'
import { ownSale } from './list.ts'
import type { SaleRow } from './rows.ts'

export type OrderOnRecord = z.output<(typeof orderEvidence)['reply']>['order']
type Part = Output<typeof contract.disputeEvidence>['parts'][number]
/** A text of the provider's takes 20,000 letters. */
const LETTERS = 18_000

/** The part of the evidence that the seller need not write. */
export async function disputeEvidence(
  deps: Deps,
  ctx: BillingCtx,
  { sale_id }: Input<typeof contract.disputeEvidence>,
): Promise<Output<typeof contract.disputeEvidence>> {
  const sale = await ownSale(ctx, sale_id)
  return { parts: partsOf(sale, await onRecord(deps, sale)) }
}

/** The service that sold it keeps the rest. Evidence is sent once, so without its answer nothing is sent. */
export const onRecord = (deps: Deps, sale: SaleRow): Promise<OrderOnRecord> =>
  sale.kind === 'product' ? deps.orderEvidence(sale.reference) : Promise.resolve(null)

export function partsOf(sale: SaleRow, order: OrderOnRecord): Part[] {
  const bought = [
    `${sale.title}, order ${sale.reference}, paid ${when(sale.paid_at.toISOString())}`,
    sale.email ? `Bought with the email address ${sale.email}${order?.has_account ? ', by an account holder' : ''}` : '',
    sale.customer ? `Name on the payment: ${sale.customer}` : '',
  ]
  const delivered = sale.delivered_at ? [`Delivered at ${when(sale.delivered_at.toISOString())}`] : ['Not delivered yet']
  const used = (order?.lines ?? []).flatMap(({ title, version, files, first_download_at, activations, reviewed_at, rating }) => [
    files > 0
      ? `${title}${version ? `, version ${version}` : ''}, ${counted(files, 'file')}: ${first_download_at ? `first downloaded ${when(first_download_at)}` : 'not downloaded yet'}`
      : `${title}: no files, delivered in person`,
    activations > 0 ? `${title}: license key in use on ${counted(activations, 'machine')}` : '',
    reviewed_at ? `${title}: the buyer reviewed it with ${rating} of 5 on ${when(reviewed_at)}` : '',
  ])
  const messages = (order?.messages ?? []).map(({ from, at, text }) => `${when(at)}, ${from}: ${text}`)
  const refund = order?.refund
    ? [
        `Asked for ${when(order.refund.asked_at)}: ${order.refund.reason.replaceAll('_', ' ')}. ${order.refund.text}`,
        `${order.refund.state}${order.refund.answer ? `: ${order.refund.answer}` : ''}`,
      ]
    : []
  return [
    { title: 'The purchase', lines: bought },
    { title: 'Delivery and downloads', lines: [...delivered, ...used] },
    { title: 'Messages', lines: messages },
    { title: 'Refund request', lines: refund },
  ]
    .map(({ title, lines }) => ({ title, lines: lines.filter((line) => line !== '') }))
    .filter(({ lines }) => lines.length > 0)
}

export const textOf = (parts: Part[]) =>
  parts
    .map(({ title, lines }) => [title, ...lines].join('\n'))
    .join('\n\n')
    .slice(0, LETTERS)

const when = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`
