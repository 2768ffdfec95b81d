import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Account } from './chart.ts'
import { charged, creditMoved, disputeLost, disputeOpened, disputeWon, feeTaken, type Line, type PaidFor, refunded } from './entries.ts'

// `LEDGER_HISTORIES=100000` is the long form.
const HISTORIES = Number(process.env.LEDGER_HISTORIES ?? 4000)

type Step = { kind: (typeof kinds)[number]; which: number; cents: number; part: number }
const kinds = ['charge', 'top up', 'refund', 'dispute', 'decide', 'credit', 'use'] as const
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  which: fc.nat(1000),
  cents: fc.integer({ min: 1, max: 500_000 }),
  part: fc.integer({ min: 1, max: 100 }),
})

/** Each party's money, kept without accounts: the plain story that the books must agree with. */
function story() {
  return {
    cash: 0,
    feesPaid: 0,
    subscriptionIncome: 0,
    topUpIncome: 0,
    refunds: 0,
    disputed: 0,
    disputeLosses: 0,
    credit: 0,
    creditGiven: 0,
    charges: [] as { cents: number; returned: number; disputed: number; paidFor: PaidFor }[],
  }
}

function books() {
  const balances = new Map<Account, number>()
  const of = (account: Account) => balances.get(account) ?? 0
  return {
    of,
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
  for (const { kind, which, cents, part } of steps) {
    const charge = model.charges[which % (model.charges.length || 1)]
    const some = (most: number) => Math.max(1, Math.floor((most * part) / 100))
    if (kind === 'charge' || kind === 'top up') {
      const paidFor = kind === 'charge' ? 'subscription' : 'top_up'
      const fee = Math.round(cents * 0.029) + 30
      real.post(charged(usd, cents, paidFor))
      real.post(feeTaken(usd, fee))
      model.cash += cents - fee
      model.feesPaid += fee
      if (kind === 'charge') model.subscriptionIncome += cents
      else model.topUpIncome += cents
      model.charges.push({ cents, returned: 0, disputed: 0, paidFor })
    } else if (kind === 'refund' && charge && charge.returned + charge.disputed < charge.cents) {
      const back = some(charge.cents - charge.returned - charge.disputed)
      real.post(refunded(usd, back, charge.paidFor))
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
      real.post(won ? disputeWon(usd, charge.disputed) : disputeLost(usd, charge.disputed, charge.paidFor))
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
    }
  }
  return { model, real }
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
        topUps: 0 - real.of('top_up_revenue'),
        refunds: real.of('refunds'),
        disputed: real.of('disputed'),
        losses: real.of('dispute_losses'),
        credit: 0 - real.of('customer_credit'),
        given: real.of('referral_credits'),
      }).toEqual({
        cash: model.cash,
        fees: model.feesPaid,
        subscriptions: model.subscriptionIncome,
        topUps: model.topUpIncome,
        refunds: model.refunds,
        disputed: model.disputed,
        losses: model.disputeLosses,
        credit: model.credit,
        given: model.creditGiven,
      })
    }),
    { numRuns: HISTORIES },
  )
})
