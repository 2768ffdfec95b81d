import { openSaleCheckout, settleSale } from '@operon/contracts/billing/selling-events'
import { orderDelivered } from '@operon/contracts/marketplace/events'
import { newId } from '@operon/kit/ids'
import type { TestUser } from '@operon/kit/testing/service'
import { expect, vi } from 'vitest'
import { DAY, GOOD_CARD, type TestBilling } from '../fixture.ts'
import { readSetting } from '../settings.ts'
import { MOVED_AT } from './sweep.ts'

const within = { timeout: 10_000, interval: 50 }
export const GETS_DISPUTED = '4000000000000259'
export const BANKS = { takes: '000123456789', refuses: '000111111116', returns: '000999999991' }
type Sold = { reference: string; seller: TestUser; amountCents: number }

/** Steps of sellers and their buyers, over a running billing. */
export function sellingOn(billing: TestBilling) {
  const { ask } = billing.platform.services.sandbox!.rt
  const { db } = billing

  async function onboard(user: TestUser, fields: Record<string, string> = {}) {
    const { body } = await billing.call('start-payouts', user, {})
    await billing.submit(new URL(body.url).pathname, { number: BANKS.takes, outcome: 'complete', ...fields })
  }

  const selling = {
    onboard,
    /** A seller whose account is verified, or as far as its outcome goes. */
    async seller(fields: Record<string, string> = {}, state = 'ready', user: TestUser = billing.user()) {
      await onboard(user, fields)
      await billing.control('stripe/clock/advance', { seconds: 61 })
      await vi.waitFor(
        async () => expect((await billing.call('payout-account', user, { refresh: true })).body).toMatchObject({ state }),
        within,
      )
      return user
    },
    async open(seller: TestUser, amountCents = 10_000, more: { buyer?: TestUser; reference?: string } = {}) {
      const reference = more.reference ?? newId()
      const opened = await ask(openSaleCheckout, {
        ...{ kind: 'product', reference, seller_id: seller.id, buyer_id: more.buyer?.id ?? null, email: null, currency: 'usd' },
        lines: [{ item_id: null, title: 'Lead qualification', amount_cents: amountCents }],
        ...{ success_path: '/thank-you', cancel_path: '/marketplace' },
      })
      return { reference, seller, amountCents, opened }
    },
    /** Paid and settled. */
    async sell(
      seller: TestUser,
      amountCents = 10_000,
      { card = GOOD_CARD, fields = {}, ...more }: { card?: string; buyer?: TestUser; fields?: Record<string, string> } = {},
    ) {
      const { opened, ...sold } = await selling.open(seller, amountCents, more)
      if (opened.state !== 'open') throw new Error(opened.state)
      expect((await billing.pay(opened.url, card, fields)).status).toBeLessThan(400)
      await vi.waitFor(async () => expect(await selling.row(sold)).toMatchObject({ status: 'completed' }), within)
      return sold
    },
    async deliver({ reference, seller }: Sold) {
      await billing.platform.emit(orderDelivered, seller.id, { kind: 'product', reference, seller_id: seller.id })
      await vi.waitFor(
        async () =>
          expect(
            await db.selectFrom('sales').select('delivered_at').where('reference', '=', reference).executeTakeFirstOrThrow(),
          ).not.toMatchObject({ delivered_at: null }),
        within,
      )
    },
    async delivered(
      seller: TestUser,
      amountCents = 10_000,
      more: { card?: string; buyer?: TestUser; fields?: Record<string, string> } = {},
    ) {
      const sold = await selling.sell(seller, amountCents, more)
      await selling.deliver(sold)
      return sold
    },
    row: ({ reference }: { reference: string }) => db.selectFrom('sales').selectAll().where('reference', '=', reference).executeTakeFirst(),
    settle: ({ reference }: { reference: string }) => ask(settleSale, { kind: 'product', reference }),
    balance: async (seller: TestUser) => {
      const { body } = await billing.call('seller-balance', seller)
      const { currency: _, ...cents } = body.balances[0] ?? {}
      return cents as Record<string, number>
    },
    next: async (seller: TestUser) => (await billing.call('seller-balance', seller)).body.next[0],
    payouts: async (seller: TestUser) => (await billing.call('list-payouts', seller, {})).body.payouts as any[],
    payoutIs: (seller: TestUser, state: object) =>
      vi.waitFor(async () => expect((await selling.payouts(seller))[0]).toMatchObject(state), within),
    /** Holds end, Fridays come, payouts go on: as the schedule does it. */
    async sweep() {
      const asked = new Date().toISOString()
      await billing.sweep('billing.move_sellers')
      // The one that was asked for runs after any that was on its way.
      await vi.waitFor(async () => expect((await readSetting<string>(db, MOVED_AT)) ?? '').toSatisfy((at: string) => at > asked), {
        timeout: 30_000,
        interval: 20,
      })
      await billing.quiet()
    },
    async advance(days: number) {
      await billing.control('stripe/clock/advance', { seconds: Math.round(days * DAY) })
      await billing.quiet()
      await selling.sweep()
    },
    /** Past the hold and on to the next Friday. */
    async toFriday() {
      await selling.advance(7.1)
      await selling.advance(await daysToFriday())
    },
  }
  /** By the provider's clock, a little past midnight. */
  async function daysToFriday(): Promise<number> {
    const { iso } = await (await fetch(`${billing.sandbox.addresses.stripe}/sandbox/api/stripe/clock`))
      .json()
      .then((at) => at as { iso: string })
    const now = new Date(iso)
    const days = (5 - now.getUTCDay() + 7) % 7 || 7
    const friday = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days, 0, 5)
    return (friday - now.getTime()) / 86_400_000
  }
  return selling
}
export type Selling = ReturnType<typeof sellingOn>
