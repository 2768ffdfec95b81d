import { z } from 'zod'
import { col, fn, id, reading } from '../contract.ts'
import { BalancePart, cursor, PayoutAccountState, PayoutStatus, Why } from './selling.ts'
import { Currency, time } from './shapes.ts'

// Getting paid: the payout account, what stands in the balance, and the payouts of each Friday.

export const PayoutAccount = z.object({
  state: PayoutAccountState,
  /** Whether sales are open: a buyer can pay, and the next Friday can be paid out. */
  ready: z.boolean(),
  /** The payment provider's open questions, a sentence each. */
  requirements: z.array(z.object({ code: z.string(), text: z.string() })),
  /** By when, before payouts stop. */
  deadline: time.nullable(),
  /** Why payouts have stopped. */
  stopped_because: z.string().nullable(),
  bank_last4: z.string().nullable(),
  /** When the provider was asked last. */
  checked_at: time.nullable(),
})
const accountExample = {
  state: 'ready' as const,
  ready: true,
  requirements: [],
  deadline: null,
  stopped_because: null,
  bank_last4: '6789',
  checked_at: '2026-11-20T10:00:00.000Z',
}
export const startPayouts = fn('start-payouts', {
  access: 'aal2',
  summary: "The payment provider's page where a seller sets up payouts, or completes and changes them",
  description:
    'Asks for a fresh proof, since the bank account is named there. The address opens once and for five minutes. Afterwards the person is sent back to the payments page.',
  body: z.object({ country: z.string().length(2).toUpperCase().default('US') }).prefault({}),
  reply: z.object({ url: z.url() }),
  idempotent: 'two-phase',
})
export const payoutAccount = reading('payout-account', {
  summary: 'Shows whether payouts are set up, and what is missing in plain words',
  description: 'With `refresh` the payment provider is asked now, as after returning from its page.',
  body: z.object({ refresh: z.boolean().default(false) }).prefault({}),
  reply: PayoutAccount,
  example: { request: {}, reply: accountExample },
  errors: ['upstream_failed'],
  action: {
    title: 'Show the payout account',
    when: 'The person asks whether they can sell or be paid, or what the payment provider needs from them',
    effect: 'reads',
    evidence: { columns: { state: col.text('State'), bank_last4: col.text('Bank account') } },
  },
})

const Balance = z.object({
  currency: Currency,
  /** Sold, and not yet seven days past the delivery. */
  held_cents: z.int(),
  /** For the next payout. */
  due_cents: z.int(),
  /** Set aside while a bank decides about a payment that was due already. */
  reserved_cents: z.int(),
  /** In a payout that has begun and has not arrived. */
  on_its_way_cents: z.int(),
  /** Refunded or lost beyond what was there; the next sales settle it first. */
  owed_cents: z.int(),
})
const NextPayout = z.object({
  currency: Currency,
  date: z.iso.date(),
  amount_cents: z.int(),
  why: z.array(Why),
})
const balanceExample = { currency: 'usd', held_cents: 4000, due_cents: 9600, reserved_cents: 0, on_its_way_cents: 0, owed_cents: 0 }
const nextExample = {
  currency: 'usd',
  date: '2026-11-27',
  amount_cents: 9600,
  why: [
    {
      code: 'payout_ready' as const,
      text: '$96.00 is paid out on Friday, November 27.',
      amount_cents: 9600,
      at: null,
      rows: 'due' as const,
    },
  ],
}
export const sellerBalance = reading('seller-balance', {
  summary: "Shows a seller's balance and the next payout, with why it is what it is",
  description: 'Each part of the balance is the sum of the rows that `balance-rows` lists for it.',
  reply: z.object({
    balances: z.array(Balance),
    next: z.array(NextPayout),
    account: PayoutAccount,
    /** When the first buyer paid; null before that, absent from the version before. */
    since: time.nullable().optional(),
  }),
  example: { reply: { balances: [balanceExample], next: [nextExample], account: accountExample, since: '2026-11-13T10:00:00.000Z' } },
  errors: [],
  action: {
    title: 'Show the seller balance',
    when: 'The person asks what they earned by selling, what is held or due, or what the next payout will be',
    effect: 'reads',
    evidence: {
      rows: 'balances',
      columns: {
        due_cents: col.cents('Due'),
        held_cents: col.cents('Held'),
        on_its_way_cents: col.cents('On its way'),
        owed_cents: col.cents('Owed'),
      },
    },
  },
})

/** A movement of a seller's money. `sale_id` and `payout_id` lead to what it belongs to. */
export const BalanceRow = z.object({
  id: z.string(),
  at: time,
  description: z.string(),
  amount_cents: z.int(),
  currency: Currency,
  kind: z.string(),
  sale_id: z.uuid().nullable(),
  payout_id: z.uuid().nullable(),
})
export const balanceRows = reading('balance-rows', {
  summary: "Lists the movements behind one part of a seller's balance, newest first",
  description: 'The amounts of all rows of a part add up to it, to the cent.',
  body: z.object({
    part: BalancePart,
    currency: Currency.default('usd'),
    limit: z.int().min(1).max(100).default(50),
    cursor: cursor.optional(),
  }),
  reply: z.object({ rows: z.array(BalanceRow), cursor: z.string().nullable() }),
  example: {
    request: { part: 'due' },
    reply: {
      rows: [
        {
          id: '0190a1b2-0000-7000-8000-000000000001',
          at: '2026-11-20T10:00:00.000Z',
          description: 'Lead qualification, hold ended',
          amount_cents: 3920,
          currency: 'usd',
          kind: 'hold_released',
          sale_id: '0190a1b2-0000-7000-8000-000000000002',
          payout_id: null,
        },
      ],
      cursor: null,
    },
  },
  errors: [],
  action: {
    title: 'List balance movements',
    when: 'The person asks what a part of their seller balance is made of',
    effect: 'reads',
    evidence: { rows: 'rows', columns: { at: col.time('When'), description: col.text('What'), amount_cents: col.cents('Amount') } },
  },
})

export const Payout = z.object({
  id: z.uuid(),
  status: PayoutStatus,
  amount_cents: z.int(),
  currency: Currency,
  /** The Friday that it belongs to. */
  date: z.iso.date(),
  arrives_at: time.nullable(),
  paid_at: time.nullable(),
  bank_last4: z.string().nullable(),
  /** The bank's reason, where it sent the money back. */
  returned_because: z.string().nullable(),
})
const payoutExample = {
  id: '0190a1b2-0000-7000-8000-000000000003',
  status: 'paid' as const,
  amount_cents: 9600,
  currency: 'usd',
  date: '2026-11-27',
  arrives_at: '2026-11-29T12:00:00.000Z',
  paid_at: '2026-11-29T12:00:00.000Z',
  bank_last4: '6789',
  returned_because: null,
}
export const listPayouts = reading('list-payouts', {
  summary: 'Lists the payouts of a seller, newest first',
  description: 'The next Friday is in `seller-balance`, as long as its payout has not begun.',
  body: z
    .object({
      status: PayoutStatus.exclude(['scheduled']).optional(),
      limit: z.int().min(1).max(100).default(50),
      cursor: cursor.optional(),
    })
    .prefault({}),
  reply: z.object({ payouts: z.array(Payout), cursor: z.string().nullable() }),
  example: { request: {}, reply: { payouts: [payoutExample], cursor: null } },
  errors: [],
  action: {
    title: 'List payouts',
    when: 'The person asks for the payouts that they got or that are on their way',
    effect: 'reads',
    evidence: { rows: 'payouts', columns: { date: col.text('Friday'), status: col.text('Status'), amount_cents: col.cents('Amount') } },
  },
})
export const explainPayout = reading('explain-payout', {
  summary: 'Explains one payout line by line, or the next one where none is named',
  description:
    'The lines of a payout add up to its amount. Those of the next one add up to what is due, of which `why` says whether it is paid out. `why` also says what made a payout come late, smaller or not at all.',
  body: z.object({ payout_id: id('payout').optional(), currency: Currency.default('usd'), cursor: cursor.optional() }).prefault({}),
  reply: z.object({
    payout: Payout.nullable(),
    amount_cents: z.int(),
    currency: Currency,
    date: z.iso.date(),
    why: z.array(Why),
    lines: z.array(BalanceRow),
    cursor: z.string().nullable(),
  }),
  example: {
    request: {},
    reply: { payout: null, amount_cents: 9600, currency: 'usd', date: '2026-11-27', why: nextExample.why, lines: [], cursor: null },
  },
  errors: ['not_found'],
  action: {
    title: 'Explain a payout',
    when: 'The person asks why a payout is what it is, came late, came smaller or did not come',
    effect: 'reads',
    evidence: { rows: 'lines', columns: { at: col.time('When'), description: col.text('What'), amount_cents: col.cents('Amount') } },
  },
})
