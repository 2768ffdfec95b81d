import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/coupons'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'

type Coupon = Output<typeof contract.createCoupon>
type Row = Omit<Coupon, 'coupon_id' | 'starts_at' | 'ends_at' | 'created_at'> & {
  id: string
  starts_at: Date | null
  ends_at: Date | null
  created_at: Date
}

const PAGE = 50
const MOST = 500

const columns = sql`id, code, percent_off, amount_off_cents, item_ids, max_uses, used, starts_at, ends_at, created_at,
  case when ended_at is not null then 'ended' when ends_at <= now() then 'expired' when used >= max_uses then 'used_up'
    when starts_at > now() then 'scheduled' else 'active' end as state`

export async function createCoupon(ctx: Ctx<MarketplaceDb>, input: Input<typeof contract.createCoupon>): Promise<Coupon> {
  const { id: userId } = signedIn(ctx)
  const { code, percent_off = null, amount_off_cents = null, item_ids, max_uses = null, starts_at = null, ends_at = null } = input
  if ((percent_off === null) === (amount_off_cents === null)) throw new DomainError('coupon_off')
  if (starts_at && ends_at && Date.parse(ends_at) <= Date.parse(starts_at)) throw new DomainError('coupon_dates')
  return inTransaction(ctx.db, async (trx) => {
    if (item_ids) {
      const own = await trx.selectFrom('items').select('id').where('id', 'in', item_ids).where('user_id', '=', userId).execute()
      if (own.length < new Set(item_ids).size) throw new DomainError('not_found')
    }
    const open = await trx
      .selectFrom('coupons')
      .select('id')
      .where('seller_id', '=', userId)
      .where('ended_at', 'is', null)
      .limit(MOST)
      .execute()
    if (open.length >= MOST) throw new DomainError('too_many_coupons')
    const { rows } = await sql<Row>`
      insert into coupons (id, seller_id, code, percent_off, amount_off_cents, item_ids, max_uses, starts_at, ends_at)
      values (${newId()}, ${userId}, ${code}, ${percent_off}, ${amount_off_cents}, ${item_ids ?? null}::uuid[], ${max_uses},
        ${starts_at}::timestamptz, ${ends_at}::timestamptz)
      on conflict (seller_id, code) where ended_at is null do nothing returning ${columns}`.execute(trx)
    if (!rows[0]) throw new DomainError('coupon_exists')
    return couponOf(rows[0])
  })
}

export async function listCoupons(
  ctx: Ctx<MarketplaceDb>,
  { after }: Input<typeof contract.listCoupons>,
): Promise<Output<typeof contract.listCoupons>> {
  const { id: userId } = signedIn(ctx)
  const from = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(after) ? sql`and id < ${after}::uuid` : sql``
  const { rows } = await sql<Row>`
    select ${columns} from coupons where seller_id = ${userId} ${from} order by id desc limit ${PAGE + 1}`.execute(ctx.db)
  return { coupons: rows.slice(0, PAGE).map(couponOf), next: rows.length > PAGE ? rows[PAGE - 1]!.id : null }
}

/** Twice is as good as once. */
export async function endCoupon(ctx: Ctx<MarketplaceDb>, { coupon_id }: Input<typeof contract.endCoupon>): Promise<Coupon> {
  const { rows } = await sql<Row>`
    update coupons set ended_at = coalesce(ended_at, now()) where id = ${coupon_id} and seller_id = ${signedIn(ctx).id}
    returning ${columns}`.execute(ctx.db)
  if (!rows[0]) throw new DomainError('not_found')
  return couponOf(rows[0])
}

function couponOf({ id, starts_at, ends_at, created_at, ...row }: Row): Coupon {
  return {
    ...row,
    coupon_id: id,
    starts_at: starts_at?.toISOString() ?? null,
    ends_at: ends_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
