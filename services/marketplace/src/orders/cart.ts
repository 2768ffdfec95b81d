import { saleTaxRate } from '@operon/contracts/billing/selling-events'
import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/orders'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { pictureAt } from '../storefront/offers.ts'
import { discounted } from './discount.ts'

type Db = Ctx<MarketplaceDb>['db']
export type CartLine = { item_id: string; version_id: string; title: string; list_cents: number; amount_cents: number }
type Offered = CartLine & { seller_id: string; currency: string; slug: string | null; picture: string | null }

/** Price and currency are those of the version on sale, not of what its seller is editing. What is not on sale is left out. */
export async function offersIn(db: Db, itemIds: string[]): Promise<{ offered: Offered[]; leftOut: string[] }> {
  const ids = [...new Set(itemIds)]
  const rows = await db
    .selectFrom('items as i')
    .innerJoin('item_versions as v', 'v.id', 'i.current_version_id')
    .select(['i.id', 'i.user_id', 'i.title', 'i.slug', 'i.image_ids', 'v.id as version_id', 'v.price_cents', 'v.currency'])
    .where('i.id', 'in', ids)
    .where('i.is_active', '=', true)
    // Free products are downloaded from their page.
    .where('v.price_cents', '>', 0)
    .execute()
  const offered = ids.flatMap((id): Offered[] => {
    const row = rows.find((each) => each.id === id)
    if (!row) return []
    const { user_id: seller_id, title, version_id, price_cents, currency, slug, image_ids } = row
    const picture = image_ids[0] ? pictureAt(image_ids[0]) : null
    return [{ item_id: id, seller_id, title, version_id, currency, slug, picture, list_cents: price_cents, amount_cents: price_cents }]
  })
  if (offered.some(({ seller_id, currency }) => seller_id !== offered[0]!.seller_id || currency !== offered[0]!.currency))
    throw new DomainError('cart_mixed')
  return { offered, leftOut: ids.filter((id) => !offered.some(({ item_id }) => item_id === id)) }
}

export const totalOf = (lines: Pick<CartLine, 'amount_cents'>[]) => lines.reduce((sum, { amount_cents }) => sum + amount_cents, 0)

type Quote = Output<typeof contract.cartQuote>
export const cartQuote =
  ({ ask, log }: Pick<Runtime<MarketplaceDb, Config>, 'ask' | 'log'>) =>
  async ({ db }: Ctx<MarketplaceDb>, { item_ids, coupon, country }: Input<typeof contract.cartQuote>): Promise<Quote> => {
    const { offered, leftOut } = await offersIn(db, item_ids)
    const [first] = offered
    if (!first) throw new DomainError('not_for_sale')
    const seller = await sellerOf(db, first.seller_id)
    const { lines } = await discounted(db, first.seller_id, offered, coupon)
    const total_cents = totalOf(lines)
    return {
      seller,
      lines: lines.map(({ item_id, title, list_cents, amount_cents, slug, picture }) => ({
        ...{ item_id, title, list_cents, amount_cents, picture },
        path: seller.slug ? `/marketplace/${seller.slug}/${slug ?? item_id}` : null,
      })),
      left_out: leftOut,
      discount_cents: lines.reduce((sum, line) => sum + line.list_cents - line.amount_cents, 0),
      total_cents,
      currency: first.currency,
      tax: country ? await taxIn(country, lines) : null,
    }

    /** On each line, rounded as the payment page does. A cart is shown whether billing answers or not. */
    async function taxIn(country: string, lines: CartLine[]): Promise<Quote['tax']> {
      const rate = await ask(saleTaxRate, { country }, { deadlineMs: 4_000 }).catch((err: unknown) => {
        log.warn({ err, country }, 'the tax of a cart could not be calculated; the payment page shows it')
      })
      const none = { name: '', percent: 0, cents: 0 }
      if (!rate) return { state: 'unknown', ...none }
      if (rate.state !== 'known') return { state: rate.state, ...none }
      const { name, percent } = rate
      return { state: 'known', name, percent, cents: lines.reduce((sum, line) => sum + Math.round((line.amount_cents * percent) / 100), 0) }
    }
  }

type Named = { business_name: string; display_name: string | null; marketplace_slug: string | null }
/** As their storefront names them: an order, its messages and its letters speak of the same seller. */
export const nameOfSeller = (profile: Named | undefined) =>
  profile?.business_name || profile?.display_name || profile?.marketplace_slug || 'The seller'

export async function sellerOf(db: Db, userId: string): Promise<{ name: string; slug: string | null }> {
  const profile = await db
    .selectFrom('profiles')
    .select(['business_name', 'display_name', 'marketplace_slug'])
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return { name: nameOfSeller(profile), slug: profile?.marketplace_slug ?? null }
}
