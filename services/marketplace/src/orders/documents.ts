import { saleDocument, saleDocuments } from '@operon/contracts/billing/documents'
import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/orders'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { orderOf } from './access.ts'

type Rt = Pick<Runtime<MarketplaceDb, Config>, 'ask' | 'vault'>

/** Billing writes them; the right to the order is checked here. */
export const orderDocuments =
  ({ ask, vault }: Rt) =>
  async (ctx: Ctx<MarketplaceDb>, ref: Input<typeof contract.orderDocuments>): Promise<Output<typeof contract.orderDocuments>> => {
    const order = await orderOf(vault, ctx, ref)
    return ask(saleDocuments, { kind: 'product', reference: order.id })
  }

export const orderDocument =
  ({ ask, vault }: Rt) =>
  async (
    ctx: Ctx<MarketplaceDb>,
    { document_id, ...ref }: Input<typeof contract.orderDocument>,
  ): Promise<Output<typeof contract.orderDocument>> => {
    const order = await orderOf(vault, ctx, ref)
    const { file } = await ask(saleDocument, { kind: 'product', reference: order.id, document: document_id })
    if (!file) throw new DomainError('not_found')
    return file
  }

/** As the seller has put it into their business profile by then: an invoice does not change with the profile. */
export async function invoiceNameOf(db: Ctx<MarketplaceDb>['db'], sellerId: string): Promise<{ name: string; details: string[] }> {
  const profile = await db
    .selectFrom('profiles')
    .select(['business_name', 'display_name', 'marketplace_slug', 'location', 'contact_email'])
    .where('user_id', '=', sellerId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  const name = profile?.business_name || profile?.display_name || profile?.marketplace_slug || 'A seller'
  const details = [profile?.location, profile?.contact_email].filter((line): line is string => Boolean(line))
  return { name: name.slice(0, 200), details: details.map((line) => line.slice(0, 200)) }
}
