import { DomainError } from '@operon/kit/errors'
import type { KitDb } from '@operon/kit/schema'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'
import type { CartLine } from './cart.ts'

type Db = Kysely<MarketplaceDb & KitDb>
type Coupon = { id: string; percent_off: number | null; amount_off_cents: number | null; item_ids: string[] | null }

/** The smallest card payment, in cents. */
const SMALLEST_TOTAL = 50

/** The lines with a coupon's discount taken off those that it is for. A code of nothing, or of another seller, is refused. */
export async function discounted<L extends CartLine>(
  db: Db,
  sellerId: string,
  lines: L[],
  code: string | undefined,
): Promise<{ lines: L[]; coupon: string | null }> {
  if (!code) return { lines, coupon: null }
  const { rows } = await sql<Coupon>`
    select id, percent_off, amount_off_cents, item_ids from coupons
    where seller_id = ${sellerId} and code = ${code.toUpperCase()} and ended_at is null and (starts_at is null or starts_at <= now())
      and (ends_at is null or ends_at > now()) and (max_uses is null or used < max_uses)`.execute(db)
  const [coupon] = rows
  const isFor = ({ item_id }: L) => !coupon?.item_ids || coupon.item_ids.includes(item_id)
  if (!coupon || !lines.some(isFor)) throw new DomainError('coupon_invalid')
  const off = shares(coupon, lines.filter(isFor))
  const reduced = lines.map((line) => ({ ...line, amount_cents: line.list_cents - (off.get(line.item_id) ?? 0) }))
  if (reduced.reduce((sum, { amount_cents }) => sum + amount_cents, 0) < SMALLEST_TOTAL) throw new DomainError('coupon_invalid')
  return { lines: reduced, coupon: coupon.id }
}

/** A percentage of each line, or the amount spread over them by their prices; a cent of each stays. */
function shares({ percent_off, amount_off_cents }: Coupon, lines: CartLine[]): Map<string, number> {
  if (percent_off !== null)
    return new Map(
      lines.map(({ item_id, list_cents }) => [item_id, Math.min(list_cents - 1, Math.round((list_cents * percent_off) / 100))]),
    )
  const total = lines.reduce((sum, { list_cents }) => sum + list_cents, 0)
  let left = Math.min(amount_off_cents ?? 0, total - lines.length)
  return new Map(
    lines.map(({ item_id, list_cents }, at) => {
      const share = at === lines.length - 1 ? left : Math.floor(((amount_off_cents ?? 0) * list_cents) / total)
      const taken = Math.max(0, Math.min(share, left, list_cents - 1))
      left -= taken
      return [item_id, taken]
    }),
  )
}

/** One of its uses, if one is left: two checkouts at once do not share the last. */
export async function takeCoupon(trx: Transaction<MarketplaceDb & KitDb>, coupon: string): Promise<void> {
  const { rows } = await sql`
    update coupons set used = used + 1 where id = ${coupon} and ended_at is null and (max_uses is null or used < max_uses) returning id`.execute(
    trx,
  )
  if (!rows.length) throw new DomainError('coupon_invalid')
}

/** A checkout that nobody paid for gives its use back: the payment page has ended after a day. */
export async function giveCouponsBack({ db }: { db: Db }): Promise<void> {
  await sql`
    with ended as (
      update orders set coupon_id = null where state = 'open' and coupon_id is not null and created_at < now() - interval '25 hours'
      returning old.coupon_id as coupon_id
    ), counted as (select coupon_id, count(*)::int as n from ended group by coupon_id)
    update coupons c set used = greatest(0, used - n) from counted where c.id = counted.coupon_id`.execute(db)
}
