import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/trust'
import { type Ctx, userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { sql } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'

/** So many open reports of one thing are kept: more of them say nothing new. */
const MOST_OPEN = 50

export async function reportListing(
  { db, actor }: Ctx<MarketplaceDb>,
  { item_id, slug, reason, text }: Input<typeof contract.reportListing>,
): Promise<Output<typeof contract.reportListing>> {
  const reporter = userIdOf(actor)
  const found = item_id
    ? sql`select i.id as item_id, i.user_id as seller_id from items i where i.id = ${item_id} and i.is_active`
    : sql`select null::uuid as item_id, p.user_id as seller_id from profiles p where p.marketplace_slug = ${slug} and p.deleted_at is null`
  const { rows } = await sql<{ seller_id: string }>`
    with found as (${found}),
    kept as (
      insert into reports (id, item_id, seller_id, reason, text, reporter_id)
      select ${newId()}, item_id, seller_id, ${reason}, ${text}, ${reporter}::uuid from found
      where (select count(*) from (
        select from reports r where r.seller_id = found.seller_id and r.item_id is not distinct from found.item_id and r.closed_at is null
        limit ${MOST_OPEN}) open) < ${MOST_OPEN}
    )
    select seller_id from found`.execute(db)
  if (!rows[0]) throw new DomainError('not_found')
  return { reported: true }
}
