import fc from 'fast-check'
import type { Account } from './chart.ts'
import { feeTaken, type Line, refundFailed } from './entries.ts'
import * as selling from './selling.ts'

// Random lives of sellers. The provider's log is kept beside the books, as plain sums of what it was asked to move; every account has to be
// what the log and the plain story say.

const sellers = ['ann', 'bob', 'cyd'] as const
const kinds = [
  'sell',
  'refund',
  'fail',
  'dispute',
  'aside',
  'decide',
  'release',
  'friday',
  'transfer',
  'arrive',
  'return',
  'reverse',
] as const
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  seller: fc.constantFrom(...sellers),
  currency: fc.constantFrom('usd', 'eur'),
  which: fc.nat(1000),
  cents: fc.integer({ min: 200, max: 500_000 }),
  taxPercent: fc.constantFrom(0, 0, 7, 19),
  part: fc.integer({ min: 1, max: 100 }),
  /** A bank may take a little less or more than was paid, where currencies are exchanged. */
  disputePercent: fc.integer({ min: 90, max: 110 }),
})
export const histories = fc.array(step, { minLength: 1, maxLength: 80 })
type Step = (typeof histories extends fc.Arbitrary<infer T> ? T : never)[number]

type Sale = selling.Terms & selling.SaleMoney & { disputedCents: number; isDisputed: boolean }
type Refund = { currency: string; cents: number; hasFailed: boolean }
type Payout = { seller: string; currency: string; cents: number; state: 'planned' | 'transferred' | 'paid' | 'reversing' | 'returned' }

function books() {
  const balances = new Map<string, number>()
  const of = (account: Account, currency: string) => balances.get(`${account} ${currency}`) ?? 0
  return {
    of,
    seller: (seller: string, currency: string): selling.SellerBalance => ({
      heldCents: 0 - of(`seller_held:${seller}`, currency),
      dueCents: 0 - of(`seller_due:${seller}`, currency),
      reservedCents: 0 - of(`seller_reserve:${seller}`, currency),
      payingCents: 0 - of(`seller_paying:${seller}`, currency),
      owedCents: of(`seller_owes:${seller}`, currency),
      connectedCents: of(`seller_connected:${seller}`, currency),
    }),
    post(lines: Line[]) {
      const sums = new Map<string, number>()
      for (const { account, currency, amountCents } of lines) {
        if (!Number.isSafeInteger(amountCents) || amountCents === 0) throw new Error(`${account}: ${amountCents}`)
        sums.set(currency, (sums.get(currency) ?? 0) + amountCents)
        balances.set(`${account} ${currency}`, of(account, currency) + amountCents)
      }
      for (const [currency, sum] of sums) if (sum !== 0) throw new Error(`${currency} is off by ${sum}`)
    },
  }
}

/** The provider's movements, by the person they belong to. */
function log() {
  const sums = new Map<string, number>()
  return {
    move: (whose: string, currency: string, cents: number) =>
      sums.set(`${whose} ${currency}`, (sums.get(`${whose} ${currency}`) ?? 0) + cents),
    of: (whose: string, currency: string) => sums.get(`${whose} ${currency}`) ?? 0,
  }
}

export function live(steps: Step[]): { wrong: string[] } {
  const real = books()
  const truth = log()
  const sales: Sale[] = []
  const payouts: Payout[] = []
  const refunds: Refund[] = []
  const takeFee = (currency: string, cents: number) => {
    real.post(feeTaken(currency, cents))
    truth.move('platform', currency, -cents)
    truth.move('fees', currency, cents)
  }
  const pick = <T>(list: T[], which: number) => list[which % (list.length || 1)]

  for (const { kind, seller, currency, which, cents, taxPercent, part, disputePercent } of steps) {
    const sale = pick(sales, which)
    const payout = pick(payouts, which)
    const refund = pick(refunds, which)
    const balanceOf = (one: { seller: string; currency: string }) => real.seller(one.seller, one.currency)
    if (kind === 'sell') {
      const taxCents = Math.round((cents * taxPercent) / 100)
      const terms = { seller, currency, grossCents: cents + taxCents, taxCents, shareCents: Math.floor(cents * 0.8) }
      const { lines, heldCents } = selling.sold(terms, real.seller(seller, currency))
      real.post(lines)
      truth.move('platform', currency, terms.grossCents)
      takeFee(currency, Math.round(terms.grossCents * 0.029) + 30)
      sales.push({ ...terms, heldCents, reservedCents: 0, returnedCents: 0, disputedCents: 0, isDisputed: false })
    } else if (kind === 'refund' && sale && !sale.isDisputed && sale.returnedCents < sale.grossCents) {
      const back = Math.max(1, Math.floor(((sale.grossCents - sale.returnedCents) * part) / 100))
      const parts = selling.returnedOf(sale, sale, back, balanceOf(sale))
      real.post(selling.saleRefunded(sale, back, parts))
      truth.move('platform', sale.currency, -back)
      giveBack(sale, back, parts)
      refunds.push({ currency: sale.currency, cents: back, hasFailed: false })
    } else if (kind === 'fail' && refund && !refund.hasFailed) {
      // The card was closed: the money is back, and stays owed to the buyer.
      refund.hasFailed = true
      real.post(refundFailed(refund.currency, refund.cents))
      truth.move('platform', refund.currency, refund.cents)
      truth.move('unclaimed', refund.currency, refund.cents)
    } else if (kind === 'aside' && sale?.isDisputed) {
      setAside(sale)
    } else if (kind === 'dispute' && sale && !sale.isDisputed && sale.returnedCents < sale.grossCents) {
      sale.disputedCents = Math.max(1, Math.floor(((sale.grossCents - sale.returnedCents) * disputePercent) / 100))
      sale.isDisputed = true
      real.post(selling.saleDisputed(sale.currency, sale.disputedCents))
      truth.move('platform', sale.currency, -sale.disputedCents)
      truth.move('banks', sale.currency, sale.disputedCents)
      takeFee(sale.currency, 1500)
      setAside(sale)
    } else if (kind === 'decide' && sale?.isDisputed) {
      sale.isDisputed = false
      truth.move('banks', sale.currency, -sale.disputedCents)
      if (part > 50) {
        real.post(selling.saleDisputeWon(sale.currency, sale.disputedCents))
        truth.move('platform', sale.currency, sale.disputedCents)
      } else {
        const parts = selling.returnedOf(sale, sale, sale.disputedCents, balanceOf(sale))
        real.post(selling.saleDisputeLost(sale, sale.disputedCents, parts))
        truth.move('lost', sale.currency, parts.beyond)
        giveBack(sale, sale.disputedCents, parts)
      }
      real.post(selling.reserveFreed(sale.seller, sale.currency, sale.reservedCents, balanceOf(sale)))
      sale.reservedCents = 0
    } else if (kind === 'release' && sale && !sale.isDisputed) {
      real.post(selling.holdReleased(sale.seller, sale.currency, sale, balanceOf(sale)))
      sale.heldCents = 0
    } else if (kind === 'friday') {
      const { dueCents } = real.seller(seller, currency)
      if (dueCents < 5000) continue
      real.post(selling.payoutStarted(seller, currency, dueCents))
      payouts.push({ seller, currency, cents: dueCents, state: 'planned' })
    } else if (payout) carry(kind, payout)
  }

  function setAside(sale: Sale) {
    const aside = selling.reserveFor(sale, sale, real.seller(sale.seller, sale.currency))
    real.post(selling.setAside(sale.seller, sale.currency, aside))
    sale.reservedCents += aside
  }

  function carry(kind: Step['kind'], payout: Payout) {
    const { seller, currency, cents, state } = payout
    if (kind === 'transfer' && state === 'planned') {
      real.post(selling.transferred(seller, currency, cents))
      truth.move('platform', currency, -cents)
      truth.move(seller, currency, cents)
      payout.state = 'transferred'
    } else if (kind === 'arrive' && state === 'transferred') {
      real.post(selling.payoutPaid(seller, currency, cents))
      truth.move(seller, currency, -cents)
      payout.state = 'paid'
    } else if (kind === 'return' && (state === 'transferred' || state === 'paid')) {
      if (state === 'paid') {
        real.post(selling.payoutReturned(seller, currency, cents))
        truth.move(seller, currency, cents)
      }
      payout.state = 'reversing'
    } else if (kind === 'reverse' && state === 'reversing') {
      real.post(selling.transferReversed(seller, currency, cents))
      truth.move(seller, currency, -cents)
      truth.move('platform', currency, cents)
      real.post(selling.payoutRestored(seller, currency, cents, real.seller(seller, currency)))
      payout.state = 'returned'
    }
  }
  return { wrong: ['usd', 'eur'].flatMap((currency) => compare(currency)) }

  function compare(currency: string): string[] {
    const wrong: string[] = []
    const demand = (what: string, ours: number, theirs: number) =>
      void (ours === theirs || wrong.push(`${what} ${currency}: ${ours}, not ${theirs}`))
    const mine = sales.filter((sale) => sale.currency === currency)
    const sum = (list: number[]) => list.reduce((all, each) => all + each, 0)
    const shareLeft = (sale: Sale) => sale.shareCents - Math.floor((sale.shareCents * sale.returnedCents) / sale.grossCents)
    const taxLeft = (sale: Sale) => sale.taxCents - Math.floor((sale.taxCents * sale.returnedCents) / sale.grossCents)
    demand('the balance at the provider', real.of('provider_balance', currency), truth.of('platform', currency))
    demand('fees', real.of('provider_fees', currency), truth.of('fees', currency))
    demand('refunds that came back', 0 - real.of('suspense', currency), truth.of('unclaimed', currency))
    demand('what banks took beyond sales', real.of('dispute_losses', currency), truth.of('lost', currency))
    demand('what banks hold', real.of('disputed', currency), truth.of('banks', currency))
    demand('tax', 0 - real.of('sales_tax_payable', currency), sum(mine.map(taxLeft)))
    demand(
      'the platform’s share',
      0 - real.of('platform_fees', currency),
      sum(mine.map((sale) => sale.grossCents - sale.returnedCents - shareLeft(sale) - taxLeft(sale))),
    )
    for (const seller of sellers) {
      const own = mine.filter((sale) => sale.seller === seller)
      const { heldCents, dueCents, reservedCents, payingCents, owedCents, connectedCents } = real.seller(seller, currency)
      const least = Math.min(heldCents, dueCents, reservedCents, payingCents, owedCents, connectedCents)
      if (least < 0) wrong.push(`a balance of ${seller} is ${least}`)
      demand(`the account of ${seller} at the provider`, connectedCents, truth.of(seller, currency))
      demand(`what is held for ${seller}`, heldCents, sum(own.map((sale) => sale.heldCents)))
      demand(`what is set aside for ${seller}`, reservedCents, sum(own.map((sale) => sale.reservedCents)))
      const paidOut = sum(
        payouts.filter((each) => each.seller === seller && each.currency === currency && each.state === 'paid').map(({ cents }) => cents),
      )
      demand(`all of ${seller}`, heldCents + dueCents + reservedCents + payingCents - owedCents, sum(own.map(shareLeft)) - paidOut)
    }
    return wrong
  }
}

function giveBack(sale: Sale, cents: number, parts: selling.Returned) {
  const { fromHeld, fromReserve, fromDue, owed, beyond } = parts
  if (Math.min(fromHeld, fromReserve, fromDue, owed, beyond) < 0) throw new Error(`gives back less than nothing: ${JSON.stringify(parts)}`)
  sale.returnedCents += cents - parts.beyond
  sale.heldCents -= parts.fromHeld
  sale.reservedCents -= parts.fromReserve
}
