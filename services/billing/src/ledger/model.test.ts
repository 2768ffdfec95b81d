import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Account } from './chart.ts'
import {
  charged,
  creditMoved,
  disputeLost,
  disputeOpened,
  disputeWon,
  feeTaken,
  holdReleased,
  type Line,
  paidOut,
  refunded,
  type SellerBalance,
  saleDisputed,
  saleDisputeLost,
  saleDisputeWon,
  saleRefunded,
  sellerShare,
  sold,
} from './entries.ts'

// `LEDGER_HISTORIES=100000` is the long form.
const HISTORIES = Number(process.env.LEDGER_HISTORIES ?? 4000)

type Sale = { seller: string; cents: number; returned: number; disputed: boolean; held: number }
type Step = { kind: (typeof kinds)[number]; which: number; cents: number; part: number; seller: number }
const kinds = [
  'charge',
  'refund',
  'dispute',
  'decide',
  'credit',
  'use',
  'sell',
  'release',
  'return',
  'sale dispute',
  'sale decide',
  'pay out',
] as const
const sellers = ['ann', 'bob', 'cyd']
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  which: fc.nat(1000),
  cents: fc.integer({ min: 1, max: 500_000 }),
  part: fc.integer({ min: 1, max: 100 }),
  seller: fc.nat(2),
})

/** What each party should have, kept without accounts: the plain story that the books must agree with. */
function story() {
  return {
    cash: 0,
    feesPaid: 0,
    subscriptionIncome: 0,
    refunds: 0,
    disputed: 0,
    disputeLosses: 0,
    credit: 0,
    creditGiven: 0,
    platformIncome: 0,
    sellerNet: Object.fromEntries(sellers.map((seller) => [seller, 0])) as Record<string, number>,
    charges: [] as { cents: number; returned: number; disputed: number }[],
    sales: [] as Sale[],
  }
}

function books() {
  const balances = new Map<Account, number>()
  const of = (account: Account) => balances.get(account) ?? 0
  return {
    of,
    seller: (seller: string): SellerBalance => ({
      heldCents: 0 - of(`seller_held:${seller}`),
      dueCents: 0 - of(`seller_due:${seller}`),
      owesCents: of(`seller_owes:${seller}`),
    }),
    post(lines: Line[]) {
      if (lines.length === 0) return
      expect(lines.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(0)
      for (const { account, amountCents } of lines) {
        if (!Number.isSafeInteger(amountCents) || amountCents === 0) throw new Error(`${account}: ${amountCents}`)
        balances.set(account, of(account) + amountCents)
      }
    },
    total: () => [...balances.values()].reduce((sum, cents) => sum + cents, 0),
  }
}

function run(steps: Step[]) {
  const model = story()
  const real = books()
  const usd = 'usd'
  for (const { kind, which, cents, part, seller: at } of steps) {
    const seller = sellers[at]!
    const charge = model.charges[which % (model.charges.length || 1)]
    const sale = model.sales[which % (model.sales.length || 1)]
    const some = (most: number) => Math.max(1, Math.floor((most * part) / 100))
    if (kind === 'charge') {
      const fee = Math.round(cents * 0.029) + 30
      real.post(charged(usd, cents))
      real.post(feeTaken(usd, fee))
      model.cash += cents - fee
      model.feesPaid += fee
      model.subscriptionIncome += cents
      model.charges.push({ cents, returned: 0, disputed: 0 })
    } else if (kind === 'refund' && charge && charge.returned + charge.disputed < charge.cents) {
      const back = some(charge.cents - charge.returned - charge.disputed)
      real.post(refunded(usd, back))
      charge.returned += back
      model.cash -= back
      model.refunds += back
    } else if (kind === 'dispute' && charge && charge.disputed === 0 && charge.returned < charge.cents) {
      const amount = charge.cents - charge.returned
      real.post(disputeOpened(usd, amount))
      charge.disputed = amount
      model.cash -= amount
      model.disputed += amount
    } else if (kind === 'decide' && charge && charge.disputed > 0) {
      const won = part > 50
      real.post(won ? disputeWon(usd, charge.disputed) : disputeLost(usd, charge.disputed))
      model.disputed -= charge.disputed
      if (won) model.cash += charge.disputed
      else {
        model.disputeLosses += charge.disputed
        charge.returned += charge.disputed
      }
      charge.disputed = 0
    } else if (kind === 'credit') {
      real.post(creditMoved(usd, -cents, 'referral_credits'))
      model.credit += cents
      model.creditGiven += cents
    } else if (kind === 'use' && model.credit > 0) {
      const used = some(model.credit)
      real.post(creditMoved(usd, used, 'subscription_revenue'))
      model.credit -= used
      model.subscriptionIncome += used
    } else if (kind === 'sell') {
      real.post(sold(seller, usd, cents, real.seller(seller)))
      model.cash += cents
      model.sellerNet[seller]! += sellerShare(cents)
      model.platformIncome += cents - sellerShare(cents)
      model.sales.push({ seller, cents, returned: 0, disputed: false, held: sellerShare(cents) })
    } else if (kind === 'release' && sale) {
      const lines = holdReleased(sale.seller, usd, sale.held, real.seller(sale.seller))
      sale.held = 0
      real.post(lines)
    } else if ((kind === 'return' || kind === 'sale dispute') && sale && !sale.disputed && sale.returned < sale.cents) {
      if (kind === 'sale dispute') {
        real.post(saleDisputed(usd, sale.cents - sale.returned))
        sale.disputed = true
        model.cash -= sale.cents - sale.returned
        model.disputed += sale.cents - sale.returned
        continue
      }
      const back = some(sale.cents - sale.returned)
      real.post(saleRefunded(sale.seller, usd, back, sale.returned, real.seller(sale.seller)))
      model.cash -= back
      takeBack(model, sale, back)
    } else if (kind === 'sale decide' && sale?.disputed) {
      const amount = sale.cents - sale.returned
      const won = part > 50
      model.disputed -= amount
      sale.disputed = false
      if (won) {
        real.post(saleDisputeWon(usd, amount))
        model.cash += amount
      } else {
        real.post(saleDisputeLost(sale.seller, usd, amount, sale.returned, real.seller(sale.seller)))
        takeBack(model, sale, amount)
      }
    } else if (kind === 'pay out') {
      const due = real.seller(seller).dueCents
      real.post(paidOut(seller, usd, real.seller(seller)))
      model.cash -= due
      model.sellerNet[seller]! -= due
    }
  }
  return { model, real }
}

/** A sale given back wholly leaves nobody with anything of it, whatever parts it was given back in. */
function takeBack(model: ReturnType<typeof story>, sale: Sale, cents: number) {
  const before = sellerShare(sale.returned)
  sale.returned += cents
  const after = sellerShare(sale.returned)
  model.sellerNet[sale.seller]! -= after - before
  model.platformIncome -= cents - (after - before)
}

test(`the books agree with the story in ${HISTORIES} random histories, to the cent [spec-45]`, { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      const { model, real } = run(steps)
      expect(real.total()).toBe(0)
      expect({
        cash: real.of('provider_balance'),
        fees: real.of('provider_fees'),
        subscriptions: 0 - real.of('subscription_revenue'),
        refunds: real.of('refunds'),
        disputed: real.of('disputed'),
        losses: real.of('dispute_losses'),
        credit: 0 - real.of('customer_credit'),
        given: real.of('referral_credits'),
        platform: 0 - real.of('platform_fees'),
      }).toEqual({
        cash: model.cash,
        fees: model.feesPaid,
        subscriptions: model.subscriptionIncome,
        refunds: model.refunds,
        disputed: model.disputed,
        losses: model.disputeLosses,
        credit: model.credit,
        given: model.creditGiven,
        platform: model.platformIncome,
      })
      for (const seller of sellers) {
        const { heldCents, dueCents, owesCents } = real.seller(seller)
        // No negative balance is invented: what is missing stands as owed.
        expect(Math.min(heldCents, dueCents, owesCents)).toBeGreaterThanOrEqual(0)
        expect(heldCents + dueCents - owesCents).toBe(model.sellerNet[seller])
      }
    }),
    { numRuns: HISTORIES },
  )
})

test('a sale refunded in parts gives back exactly its shares [spec-45]', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 30 }), (cents, parts) => {
      const real = books()
      real.post(sold('ann', 'usd', cents, real.seller('ann')))
      let returnedCents = 0
      for (const part of [...parts, cents]) {
        const back = Math.min(part, cents - returnedCents)
        if (back > 0) real.post(saleRefunded('ann', 'usd', back, returnedCents, real.seller('ann')))
        returnedCents += back
      }
      const { heldCents, dueCents, owesCents } = real.seller('ann')
      expect([heldCents, dueCents, owesCents, real.of('platform_fees'), real.of('provider_balance')]).toEqual([0, 0, 0, 0, 0])
    }),
  )
})
