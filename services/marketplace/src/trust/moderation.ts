import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/trust'
import { listingModerated } from '@operon/contracts/marketplace/trust'
import { type Ctx, userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'

const PAGE = 50
const MOST_READ = 2_000

type Queue = Output<typeof contract.moderationQueue>
type Target = { item_id: string | null; seller_id: string; title: string }
type Open = Target & {
  seller: string
  path: string | null
  suspended: boolean
  reports: number
  newest: { reason: Queue['open'][number]['newest'][number]['reason']; text: string; at: string }[]
  first_at: Date
}

export async function moderationQueue({ db }: Ctx<MarketplaceDb>): Promise<Queue> {
  const [open, decided] = await Promise.all([
    // The index of open reports alone is read: what was decided is not in it.
    sql<Open>`
      with grouped as (
        select seller_id, item_id, count(*)::int as reports, min(created_at) as first_at from (
          select seller_id, item_id, created_at from reports where closed_at is null order by id limit ${MOST_READ}
        ) oldest group by seller_id, item_id order by 4 limit ${PAGE + 1}
      )
      select g.*, coalesce(i.title, 'The whole storefront') as title,
        coalesce(nullif(p.business_name, ''), p.display_name, g.seller_id::text) as seller,
        case when p.marketplace_slug is null then null when g.item_id is null then '/marketplace/' || p.marketplace_slug
          else '/marketplace/' || p.marketplace_slug || '/' || coalesce(i.slug, i.id::text) end as path,
        coalesce(i.suspended_at, p.suspended_at) is not null as suspended,
        (select jsonb_agg(jsonb_build_object('reason', r.reason, 'text', r.text, 'at', to_jsonb(r.created_at))) from (
          (select reason, text, created_at, id from reports r where g.item_id is not null and r.seller_id = g.seller_id and r.item_id = g.item_id
            and r.closed_at is null order by id desc limit 5)
          union all
          (select reason, text, created_at, id from reports r where g.item_id is null and r.seller_id = g.seller_id and r.item_id is null
            and r.closed_at is null order by id desc limit 5) order by id desc) r) as newest
      from grouped g left join items i on i.id = g.item_id left join profiles p on p.user_id = g.seller_id order by g.first_at`.execute(db),
    sql<Target & { decision: string; reason: string; by: string; at: Date }>`
      select item_id, seller_id, title, decision, reason, staff_id::text as by, created_at as at
      from moderation_actions order by id desc limit 20`.execute(db),
  ])
  return {
    open: open.rows.slice(0, PAGE).map(({ first_at, newest, ...row }) => ({
      ...row,
      newest: newest.map((one) => ({ ...one, at: new Date(one.at).toISOString() })),
      first_at: first_at.toISOString(),
    })),
    more: open.rows.length > PAGE,
    decided: decided.rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() })),
  }
}

/** Stands for the service key, which decides in nobody's name. */
const OPERATOR = '00000000-0000-0000-0000-000000000000'

/** The decision, its record and the word to the seller commit together. Nothing of an order changes: buyers keep what they bought. */
export async function moderate(
  ctx: Ctx<MarketplaceDb>,
  { item_id, seller_id, decision, reason }: Input<typeof contract.moderate>,
): Promise<Output<typeof contract.moderate>> {
  const staffId = userIdOf(ctx.actor) ?? OPERATOR
  const ofItem = decision === 'takedown' || decision === 'restore'
  if (ofItem && !item_id) throw new DomainError('not_found')
  return inTransaction(ctx.db, async (trx) => {
    const item = item_id
      ? await trx
          .selectFrom('items')
          .select(['title'])
          .where('id', '=', item_id)
          .where('user_id', '=', seller_id)
          .forUpdate()
          .executeTakeFirst()
      : null
    if (item === undefined) throw new DomainError('not_found')
    const seller = await trx.selectFrom('profiles').select('user_id').where('user_id', '=', seller_id).forUpdate().executeTakeFirst()
    if (!seller) throw new DomainError('not_found')
    const down = decision === 'takedown' || decision === 'suspend'
    const values = { suspended_at: down ? sql<Date>`now()` : null, suspended_because: down ? reason : null }
    if (ofItem) await trx.updateTable('items').set(values).where('id', '=', item_id!).where('user_id', '=', seller_id).execute()
    if (decision === 'suspend' || decision === 'reinstate') {
      await trx.updateTable('profiles').set(values).where('user_id', '=', seller_id).execute()
      // The trigger takes all of theirs off sale, or puts on sale again what was.
      await sql`update items set status = status where user_id = ${seller_id} and status = 'active'`.execute(trx)
    }
    const title = item?.title ?? 'The whole storefront'
    await trx
      .insertInto('moderation_actions')
      .values({
        id: newId(),
        staff_id: staffId,
        item_id: ofItem || decision === 'dismiss' ? item_id : null,
        seller_id,
        title,
        decision,
        reason,
      })
      .execute()
    if (decision !== 'dismiss')
      await publish(trx, listingModerated, seller_id, { item_id: ofItem ? item_id : null, title, decision, reason })
    const closed = await trx
      .updateTable('reports')
      .set({ closed_at: sql`now()` })
      .where('seller_id', '=', seller_id)
      .where((eb) =>
        item_id && decision !== 'suspend' ? eb('item_id', '=', item_id) : decision === 'suspend' ? eb.val(true) : eb('item_id', 'is', null),
      )
      .where('closed_at', 'is', null)
      .executeTakeFirst()
    return { reports_closed: Number(closed.numUpdatedRows) }
  })
}
