import type * as contract from '@operon/contracts/billing/plans-staff'
import type { Input, Output } from '@operon/contracts/contract'
import { userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { BillingCtx, Deps } from '../deps.ts'
import { callOnce } from '../provider-calls.ts'
import { refused } from '../stripe-errors.ts'
import { log } from './log.ts'

const SHOWN = 50

export async function staffCoupons(
  deps: Deps,
  ctx: BillingCtx,
  { reason, cursor }: Input<typeof contract.staffCoupons>,
): Promise<Output<typeof contract.staffCoupons>> {
  if (!cursor) await log(ctx, 'list promotion codes', reason, null, {})
  const { coupons, more } = await deps.provider.listCoupons(cursor, SHOWN)
  return { coupons, cursor: more ? (coupons.at(-1)?.id ?? null) : null }
}

export async function staffCreateCoupon(
  deps: Deps,
  ctx: BillingCtx,
  { reason, ...wanted }: Input<typeof contract.staffCreateCoupon>,
): Promise<Output<typeof contract.staffCreateCoupon>> {
  const staff = userIdOf(ctx.actor)
  if (!staff) throw new DomainError('forbidden')
  await log(ctx, 'create promotion code', reason, null, { about: wanted.code })
  const coupon = {
    code: wanted.code,
    percentOff: wanted.percent_off,
    amountOffCents: wanted.amount_off_cents,
    duration: wanted.duration,
    months: wanted.months,
    yearly: wanted.yearly,
    mostUses: wanted.most_uses,
    expiresAt: wanted.expires_at ? new Date(wanted.expires_at) : undefined,
  }
  const intention = { userId: staff, kind: `coupon:${wanted.code}`, request: wanted }
  return callOnce(ctx.db, intention, (key) => deps.provider.createCoupon(coupon, 'usd', key)).catch(refused)
}

export async function staffEndCoupon(
  deps: Deps,
  ctx: BillingCtx,
  { id, reason }: Input<typeof contract.staffEndCoupon>,
): Promise<Output<typeof contract.staffEndCoupon>> {
  await log(ctx, 'end promotion code', reason, null, { about: id })
  return deps.provider.endCoupon(id).catch(refused)
}
