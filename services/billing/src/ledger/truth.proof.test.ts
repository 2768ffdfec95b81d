import { openSaleCheckout } from '@operon/contracts/billing/selling-events'
import { topUpOf } from '@operon/contracts/plans'
import { aiCloseTopUp, aiTopUpDrawn } from '@operon/contracts/top-ups'
import { newId } from '@operon/kit/ids'
import type { ServiceDefinition } from '@operon/kit/service'
import type { TestUser } from '@operon/kit/testing/service'
import fc from 'fast-check'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { startBilling } from '../fixture.ts'
import { closeMonths, endOf } from '../months/close.ts'
import { BANKS, sellingOn } from '../sellers/fixture.ts'
import { ledgerBalances } from './post.ts'
import { type Figures, figuresOf, inTheSameTerms, type Story, unearnedAt } from './truth.ts'

// A random life of the whole service beside the stand-in. Whatever happened, each account of the ledger has to be what the provider's own
// objects make of it. `TRUTH_STEPS=400 TRUTH_SEED=7` for a long one.
const STEPS = Number(process.env.TRUTH_STEPS ?? 120)
const SEED = Number(process.env.TRUTH_SEED ?? 1)

/** Meters prompts: what is left of a top-up, by its own count. */
const meter: ServiceDefinition = {
  name: 'ai-gateway',
  config: z.object({}),
  migrations: {},
  setup: (rt) =>
    rt.answer(aiCloseTopUp, async (_ctx, { top_up_id, units }) => ({
      left: units - (story.topUps.find(({ id }) => id === top_up_id)?.drawn ?? 0),
    })),
}
const billing = await startBilling({}, [meter])
const selling = sellingOn(billing)
afterAll(() => billing.close())

const within = { timeout: 30_000, interval: 100 }
const story: Story = { sales: [], topUps: [], accounts: new Map(), goodwillCents: 0, deferredCents: 0, deferredTopUpCents: 0 }
const buyers = new Map<string, TestUser>()
type Sold = Story['sales'][number] & { user: TestUser }
const sold: Sold[] = []
const sellers: TestUser[] = []
const customers: TestUser[] = []

const step = fc.record({
  kind: fc.constantFrom(
    ...(['sell', 'sell', 'sell', 'sell', 'refund', 'refund', 'dispute', 'decide', 'decide', 'week', 'week'] as const),
    ...(['subscribe', 'subscribe', 'refund plan', 'refund plan', 'dispute plan', 'credit', 'month'] as const),
    ...(['top up', 'top up', 'use top-up', 'use top-up', 'return top-up', 'dispute top-up'] as const),
  ),
  which: fc.nat(1000),
  cents: fc.integer({ min: 500, max: 90_000 }),
  part: fc.integer({ min: 1, max: 100 }),
  country: fc.constantFrom('US', 'US', 'DE', 'FR'),
  currency: fc.constantFrom('usd', 'usd', 'eur'),
  /** A bank may take a little less or more than was paid, where currencies are exchanged. */
  disputePercent: fc.constantFrom(92, 100, 108, 110),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
const pick = <T>(list: T[], which: number) => list[which % (list.length || 1)]
const isTaken = async (charge: string) => (await billing.stripe.charges.retrieve(charge)).disputed

const steps: Record<Step['kind'], (step: Step) => Promise<unknown>> = {
  async sell({ which, cents: priceCents, country, currency }) {
    const [user, reference] = [pick(sellers, which)!, newId()]
    const opened = await billing.platform.services.sandbox!.rt.ask(openSaleCheckout, {
      ...{ kind: 'product', reference, seller_id: user.id, buyer_id: null, email: null, currency },
      lines: [{ item_id: null, title: 'Lead qualification', amount_cents: priceCents }],
      ...{ success_path: '/thank-you', cancel_path: '/marketplace' },
    })
    // A seller whose bank has sent a payout back sells again once there is another bank.
    if (opened.state !== 'open') return
    await billing.pay(opened.url, undefined, { country, postal_code: country === 'US' ? '97201' : '10115' })
    await vi.waitFor(async () => expect(await selling.row({ reference })).toMatchObject({ status: 'completed' }), within)
    const one = { reference, seller: user.id, currency, priceCents, user }
    sold.push(one)
    story.sales.push(one)
    // A few are never delivered, and stay held.
    if (which % 5) await selling.deliver({ reference, seller: user, amountCents: priceCents })
  },
  async refund({ which, part }) {
    const sale = pick(sold, which)
    const row = sale && (await selling.row(sale))
    if (!sale || !row || row.refunded_cents >= row.gross_cents) return
    const amount_cents = Math.max(1, Math.floor(((row.gross_cents - row.refunded_cents) * part) / 100))
    // While a bank decides it is refused, and nothing moves.
    await billing.call('refund-order', sale.user, { sale_id: row.id, amount_cents, reason: 'A random part' })
  },
  async dispute({ which, disputePercent }) {
    const row = await selling.row(pick(sold, which) ?? { reference: newId() })
    if (!row || row.refunded_cents > 0 || (await isTaken(row.charge))) return
    await billing.control('stripe/disputes', { charge: row.charge, amount: Math.floor((row.gross_cents * disputePercent) / 100) })
    await vi.waitFor(async () => expect(await selling.row(row)).toMatchObject({ dispute: 'open' }), within)
  },
  async decide({ part }) {
    const disputed = await billing.db.selectFrom('sales').selectAll().where('dispute', '=', 'open').orderBy('id').execute()
    const row = pick(disputed, part)
    const sale = sold.find(({ reference }) => reference === row?.reference)
    if (!row || !sale) return
    const text = part > 50 ? 'winning_evidence' : 'losing_evidence'
    await billing.call('submit-evidence', sale.user, { sale_id: row.id, text, send: true })
    await vi.waitFor(async () => expect((await selling.row(sale))?.dispute).not.toBe('open'), within)
  },
  async week() {
    await selling.toFriday()
    // The banks have decided by then, and those that send back have done so.
    await selling.advance(6)
    await selling.sweep()
  },
  async subscribe({ which }) {
    customers.push(await billing.subscribed(['basic', 'pro', 'enterprise'][which % 3]))
    await selling.advance(3.1)
  },
  async 'refund plan'({ which, part }) {
    const payment = pick(await planPayments(), which)
    if (!payment || (await isTaken(payment))) return
    const { amount, amount_refunded } = await billing.stripe.charges.retrieve(payment)
    if (amount === amount_refunded) return
    const amount_cents = Math.max(1, Math.floor(((amount - amount_refunded) * part) / 100))
    await billing.call('staff-refund', billing.staff(), { payment, amount_cents, reason: 'A random part' })
  },
  async 'dispute plan'({ which, part }) {
    const charge = pick(await planPayments(), which)
    if (!charge || (await isTaken(charge)) || (await billing.stripe.charges.retrieve(charge)).amount_refunded > 0) return
    const { id } = await billing.control('stripe/disputes', { charge })
    if (part > 60) return
    await billing.quiet()
    const uncategorized_text = part > 30 ? 'winning_evidence' : 'losing_evidence'
    await billing.stripe.disputes.update(id, { evidence: { uncategorized_text } })
  },
  async 'top up'({ which }) {
    const user = pick(customers, which) ?? billing.user()
    const { body } = await billing.call('buy-top-up', user, { unit: 'prompts' })
    await billing.pay(body.url)
    const { status } = (await billing.call('top-up-status', user, { top_up_id: body.top_up_id })).body
    expect(status).toBe('complete')
    buyers.set(body.top_up_id, user)
    story.topUps.push({ id: body.top_up_id, units: topUpOf('prompts').units, drawn: 0, isOver: false })
  },
  async 'use top-up'({ which, part }) {
    const one = pick(
      story.topUps.filter(({ isOver }) => !isOver),
      which,
    )
    if (!one) return
    const version = one.drawn + Math.floor(((one.units - one.drawn) * part) / 100)
    if (version === one.drawn) return
    one.drawn = version
    await billing.platform.emit(aiTopUpDrawn, buyers.get(one.id)!.id, { top_up_id: one.id, drawn: version, version })
    const row = () => billing.db.selectFrom('top_ups').select('drawn').where('id', '=', one.id).executeTakeFirst()
    await vi.waitFor(async () => expect(await row()).toEqual({ drawn: version }), within)
  },
  async 'return top-up'({ which }) {
    const one = pick(story.topUps, which)
    if (!one) return
    // Late, used up, disputed or over: it is refused, and nothing moves.
    const { status } = await billing.call('refund-top-up', buyers.get(one.id)!, { top_up_id: one.id })
    if (status === 200) one.isOver = true
  },
  async 'dispute top-up'({ which, part }) {
    const one = pick(
      story.topUps.filter(({ isOver }) => !isOver),
      which,
    )
    const charge = one && (await topUpCharge(one.id))
    if (!one || !charge || charge.disputed || charge.amount_refunded > 0) return
    const { id } = await billing.control('stripe/disputes', { charge: charge.id })
    if (part > 60) return
    await billing.quiet()
    const uncategorized_text = part > 30 ? 'winning_evidence' : 'losing_evidence'
    await billing.stripe.disputes.update(id, { evidence: { uncategorized_text } })
    if (part <= 30) one.isOver = true
  },
  async credit({ which, cents }) {
    const user = pick(customers, which)
    if (!user) return
    const amount_cents = Math.min(cents, 5_000)
    const { status } = await billing.call('staff-credit', billing.staff(), { user_id: user.id, amount_cents, reason: 'For the trouble' })
    if (status === 200) story.goodwillCents += amount_cents
  },
  async month() {
    await selling.advance(31)
    const { iso } = (await (await fetch(`${billing.sandbox.addresses.stripe}/sandbox/api/stripe/clock`)).json()) as { iso: string }
    const closed = (await closeMonths(billing.db, new Date(iso))).at(-1)
    if (!closed) return
    const cents = topUpOf('prompts').priceCents
    const open = story.topUps.filter(({ isOver }) => !isOver)
    story.deferredTopUpCents = open.reduce((sum, { units, drawn }) => sum + Math.floor((cents * (units - drawn)) / units), 0)
    const back = await givenBack()
    story.deferredCents = await unearnedAt(billing, endOf(closed), (charge) => back.get(charge) ?? 0)
  },
}

async function topUpCharge(id: string) {
  const charges = await billing.stripe.charges.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })
  return charges.find(({ status, metadata }) => status === 'succeeded' && metadata.top_up === id)
}

async function planPayments(): Promise<string[]> {
  const charges = await billing.stripe.charges.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })
  return charges.filter(({ status, metadata }) => status === 'succeeded' && !metadata.kind).map(({ id }) => id)
}

/** The sum that went back of each charge, by refund or lost dispute. */
async function givenBack(): Promise<Map<string, number>> {
  const [refunds, disputes] = [
    await billing.stripe.refunds.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 }),
    await billing.stripe.disputes.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 }),
  ]
  const back = new Map<string, number>()
  for (const { charge, amount } of [...refunds, ...disputes.filter(({ status }) => status === 'lost')])
    back.set(String(charge), (back.get(String(charge)) ?? 0) + amount)
  return back
}

async function compared(after: string) {
  // A payout that waits for money at the provider is tried now, not at its next turn.
  await billing.db
    .updateTable('payouts')
    .set({ next_at: new Date() })
    .where('waits_for', '=', 'funds')
    .where('next_at', 'is not', null)
    .execute()
  await selling.sweep()
  await vi.waitFor(
    async () => {
      const ours = inTheSameTerms((await ledgerBalances(billing.db)).balances)
      expect(ours, after).toEqual(await withWaiting(await figuresOf(billing, story)))
    },
    { timeout: 20_000, interval: 500 },
  )
}

/** A payout waits while less than it is available at the provider: it is set aside, and nothing has moved. */
async function withWaiting(figures: Figures): Promise<Figures> {
  const waiting = await billing.db
    .selectFrom('payouts')
    .selectAll()
    .where('state', '=', 'planned')
    .where('waits_for', '=', 'funds')
    .execute()
  const { available } = await billing.stripe.balance.retrieve()
  for (const { seller_id, currency, amount_cents } of waiting) {
    const [mine, paying] = [`seller:${seller_id} ${currency}`, `seller_paying:${seller_id} ${currency}`]
    expect(available.find((each) => each.currency === currency)?.amount ?? 0).toBeLessThan(amount_cents)
    figures[mine] = (figures[mine] ?? 0) + amount_cents
    figures[paying] = (figures[paying] ?? 0) - amount_cents
  }
  return Object.fromEntries(Object.entries(figures).filter(([, cents]) => cents !== 0))
}

test(`${STEPS} random steps of sellers, buyers, banks, plans and top-ups: every account of the ledger is what the provider's own objects make of it [spec-45] [spec-136]`, {
  timeout: 60_000 + STEPS * 20_000,
}, async () => {
  for (const number of [BANKS.takes, BANKS.returns, BANKS.refuses]) sellers.push(await selling.seller({ number }))
  for (const { id } of sellers) {
    const { account } = await billing.db.selectFrom('seller_accounts').select('account').where('user_id', '=', id).executeTakeFirstOrThrow()
    story.accounts.set(id, account!)
  }
  const life = fc.sample(step, { seed: SEED, numRuns: STEPS })
  for (const [n, each] of life.entries()) {
    await steps[each.kind](each)
    await billing.quiet()
    if (each.kind === 'week' || each.kind === 'month' || n === life.length - 1) await compared(`step ${n}, ${each.kind}`)
  }
  const { entries, unbalanced } = await ledgerBalances(billing.db)
  expect(unbalanced).toBe(0)
  expect(entries).toBeGreaterThan(STEPS)
})
