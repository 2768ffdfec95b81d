import type Stripe from 'stripe'
import type { TestBilling } from '../fixture.ts'

// Every account of the ledger, worked out anew: from the provider's own objects and from what a test did, by sums of a line each and without
// a line of the ledger's code.

/** The terms of a sale; the provider knows the rest. */
export type Agreed = { reference: string; seller: string; currency: string; priceCents: number }
export type Story = {
  sales: Agreed[]
  /** Bought, with what their meter has counted. `isOver` once refunded or lost. */
  topUps: { id: string; units: number; drawn: number; isOver: boolean }[]
  /** The payout account of each seller. */
  accounts: Map<string, string>
  /** Credit that staff gave. */
  goodwillCents: number
  /** Unearned at the end of the month that was closed last. */
  deferredCents: number
  deferredTopUpCents: number
}
export type Figures = Record<string, number>

export async function figuresOf({ stripe }: TestBilling, story: Story): Promise<Figures> {
  const all = <T>(list: { autoPagingToArray(options: { limit: number }): Promise<T[]> }) => list.autoPagingToArray({ limit: 10_000 })
  const [movements, charges, refunds, disputes, customers] = await Promise.all([
    all(stripe.balanceTransactions.list({ limit: 100 })),
    all(stripe.charges.list({ limit: 100 })),
    all(stripe.refunds.list({ limit: 100 })),
    all(stripe.disputes.list({ limit: 100 })),
    all(stripe.customers.list({ limit: 100 })),
  ])
  const figures: Figures = {}
  const add = (account: string, currency: string, cents: number) => {
    const key = `${account} ${currency}`
    figures[key] = (figures[key] ?? 0) + cents
  }
  for (const { currency, net, fee } of movements) {
    add('provider_balance', currency, net)
    add('provider_fees', currency, fee)
  }
  for (const { currency, balance_transactions, status } of disputes)
    if (status === 'needs_response' || status === 'under_review')
      add('disputed', currency, 0 - sum(balance_transactions.map(({ amount }) => amount)))

  for (const charge of charges.filter(({ status }) => status === 'succeeded')) {
    const returned = sum(refunds.filter(({ charge: of, status }) => of === charge.id && status === 'succeeded').map(({ amount }) => amount))
    const lost = sum(disputes.filter(({ charge: of, status }) => of === charge.id && status === 'lost').map(({ amount }) => amount))
    const sale = story.sales.find(({ reference }) => reference === charge.metadata.reference)
    if (sale) saleFigures(add, sale, charge, returned, lost)
    else {
      const isTopUp = story.topUps.some(({ id }) => id === charge.metadata.top_up)
      add(isTopUp ? 'top_up_revenue' : 'subscription_revenue', charge.currency, -charge.amount)
      add('refunds', charge.currency, returned)
      add('dispute_losses', charge.currency, lost)
    }
  }

  const left = 0 - sum(customers.map(({ balance }) => balance))
  add('customer_credit', 'usd', -left)
  add('goodwill_credits', 'usd', story.goodwillCents)
  add('subscription_revenue', 'usd', left - story.goodwillCents + story.deferredCents)
  add('deferred_revenue', 'usd', -story.deferredCents)
  add('top_up_revenue', 'usd', story.deferredTopUpCents)
  add('deferred_top_ups', 'usd', -story.deferredTopUpCents)
  for (const [seller, account] of story.accounts) await sellerFigures(stripe, add, seller, account)
  return withoutZeros(figures)
}

type Add = (account: string, currency: string, cents: number) => void

/** Four fifths of the price are the seller's. Of what went back each part is the same share, rounded down over all of it. */
function saleFigures(add: Add, { seller, currency, priceCents }: Agreed, { amount: gross }: Stripe.Charge, returned: number, lost: number) {
  const [tax, share] = [gross - priceCents, Math.floor((priceCents * 80) / 100)]
  const gone = Math.min(gross, returned + lost)
  const back = (whole: number) => Math.floor((whole * gone) / gross)
  add('sales_tax_payable', currency, back(tax) - tax)
  add('platform_fees', currency, gone - back(tax) - back(share) - (priceCents - share))
  add('dispute_losses', currency, returned + lost - gone)
  add(`seller:${seller}`, currency, back(share) - share)
}

/** Money that has left us is no longer due to a seller. Until it has reached their bank it is on its way, in both of the accounts that say so. */
async function sellerFigures(stripe: Stripe, add: Add, seller: string, account: string) {
  const transfers = await stripe.transfers.list({ destination: account, limit: 100 }).autoPagingToArray({ limit: 1_000 })
  const payouts = await stripe.payouts.list({ limit: 100 }, { stripeAccount: account }).autoPagingToArray({ limit: 1_000 })
  for (const { currency, amount, amount_reversed } of transfers) {
    add(`seller_connected:${seller}`, currency, amount - amount_reversed)
    add(`seller_paying:${seller}`, currency, amount_reversed - amount)
    add(`seller:${seller}`, currency, amount - amount_reversed)
  }
  for (const { currency, amount } of payouts.filter(({ status }) => status === 'paid')) {
    add(`seller_connected:${seller}`, currency, -amount)
    add(`seller_paying:${seller}`, currency, amount)
  }
}

/** The ledger's balances in the same terms: the parts of what is a seller's together, apart from what is on its way. */
export function inTheSameTerms(balances: { account: string; currency: string; amount_cents: number }[]): Figures {
  const figures: Figures = {}
  for (const { account, currency, amount_cents } of balances) {
    const [part, seller] = account.split(':')
    const isOnItsWay = part === 'seller_connected' || part === 'seller_paying'
    const key = `${seller && !isOnItsWay ? `seller:${seller}` : account} ${currency}`
    figures[key] = (figures[key] ?? 0) + amount_cents
  }
  return withoutZeros(figures)
}

/** Of each plan's payment, what its period has left after the end of a month: by the provider's invoices, less what went back. */
export async function unearnedAt({ stripe }: TestBilling, monthEnd: Date, returnedOf: (charge: string) => number): Promise<number> {
  const at = monthEnd.getTime() / 1000
  const invoices = await stripe.invoices.list({ limit: 100, status: 'paid', expand: ['data.payments'] }).autoPagingToArray({ limit: 1_000 })
  const intents = new Map(
    (await stripe.charges.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })).map(({ payment_intent, id, amount }) => [
      String(payment_intent),
      { id, amount },
    ]),
  )
  const parts = invoices.map(({ payments, lines }) => {
    const charge = intents.get(String(payments?.data[0]?.payment.payment_intent))
    const paid = lines.data.filter(({ amount }) => amount > 0)
    if (!charge || paid.length === 0) return 0
    const [from, to] = [Math.min(...paid.map(({ period }) => period.start)), Math.max(...paid.map(({ period }) => period.end))]
    return from < at && at < to ? Math.floor(((charge.amount - returnedOf(charge.id)) * (to - at)) / (to - from)) : 0
  })
  return sum(parts)
}

const sum = (cents: number[]) => cents.reduce((all, each) => all + each, 0)
const withoutZeros = (figures: Figures): Figures =>
  Object.fromEntries(
    Object.entries(figures)
      .filter(([, cents]) => cents !== 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
