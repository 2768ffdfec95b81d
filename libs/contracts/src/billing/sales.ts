import { z } from 'zod'
import { col, fn, id, reading } from '../contract.ts'
import { Paper } from './documents.ts'
import { BalanceRow } from './sellers.ts'
import { cursor, SaleKind, SaleStatus } from './selling.ts'
import { Currency, time } from './shapes.ts'

// A seller's sales: payments of buyers, refunds, disputes, the statement of a month.

export const Sale = z.object({
  id: z.uuid(),
  /** The buyer's name or email address. */
  customer: z.string(),
  amount_cents: z.int(),
  currency: Currency,
  status: SaleStatus,
  /** `card` and the last digits, where they are known. */
  method: z.string(),
  date: time,
  description: z.string(),
  kind: SaleKind,
  /** The order or booking that it paid for. */
  reference: z.string(),
  tax_cents: z.int(),
  /** The seller's part of it, before refunds. */
  share_cents: z.int(),
  fee_cents: z.int(),
  refunded_cents: z.int(),
  dispute: z.enum(['asked', 'open', 'won', 'lost']).nullable(),
  /** When its share leaves the hold; null before the delivery, and once it has left. */
  held_until: time.nullable(),
})
const saleExample = {
  id: '0190a1b2-0000-7000-8000-000000000002',
  customer: 'guest@example.com',
  amount_cents: 4900,
  currency: 'usd',
  status: 'completed' as const,
  method: 'card •••• 4242',
  date: '2026-11-13T10:00:00.000Z',
  description: 'Lead qualification',
  kind: 'product' as const,
  reference: '0190a1b2-0000-7000-8000-000000000004',
  tax_cents: 0,
  share_cents: 3920,
  fee_cents: 980,
  refunded_cents: 0,
  dispute: null,
  held_until: '2026-11-20T10:00:00.000Z',
}
const filters = {
  status: SaleStatus.optional(),
  /** Only those that were refunded, or that a bank disputes. */
  only: z.enum(['refunded', 'disputed']).optional(),
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
}
const evidence = {
  columns: {
    date: col.time('When'),
    customer: col.text('Customer'),
    description: col.text('What'),
    amount_cents: col.cents('Amount'),
    status: col.text('Status'),
  },
} as const

export const listSales = reading('list-sales', {
  summary: "Lists the payments of a seller's buyers, newest first",
  description: 'Days are in UTC; `to` is included. A refund stays on its payment, in `refunded_cents`.',
  body: z.object({ ...filters, limit: z.int().min(1).max(100).default(50), cursor: cursor.optional() }).prefault({}),
  reply: z.object({ sales: z.array(Sale), cursor: z.string().nullable() }),
  example: { request: { status: 'completed' }, reply: { sales: [saleExample], cursor: null } },
  errors: [],
  action: {
    title: 'List sales',
    when: 'The person asks what they sold, to whom, or for payments of a time or state',
    effect: 'reads',
    evidence: { rows: 'sales', ...evidence },
  },
})
export const findPayment = reading('find-payment', {
  summary: 'Finds payments of buyers by name, email address, product, order or amount',
  description:
    'The newest 20 that fit a part of a name, an email address or a product, an amount (`49` or `49.00`), or the id of a payment or an order. A search of two letters goes through the last 2,000 payments.',
  body: z.object({ query: z.string().trim().min(2).max(200) }),
  reply: z.object({
    sales: z.array(Sale),
    /** More than these fit. */
    more: z.boolean(),
    /** Only payments after this moment were looked through; absent where all were. */
    searched_back_to: time.optional(),
  }),
  example: { request: { query: 'guest@example.com' }, reply: { sales: [saleExample], more: false } },
  errors: [],
  action: {
    title: 'Find a payment',
    when: 'The person asks for the payment of a certain buyer, product, order or amount',
    effect: 'reads',
    evidence: { rows: 'sales', ...evidence },
  },
})
export const showSale = reading('show-sale', {
  summary: "Shows one payment of a buyer with every movement of the seller's money that it caused",
  description: 'Refunds and the dispute are listed with their states.',
  body: z.object({ sale_id: id('sale') }),
  reply: z.object({
    sale: Sale,
    refunds: z.array(z.object({ amount_cents: z.int(), at: time, state: z.enum(['sent', 'failed']), reason: z.string().nullable() })),
    disputes: z.array(
      z.object({
        dispute: z.string(),
        amount_cents: z.int(),
        reason: z.string(),
        state: z.enum(['asked', 'open', 'won', 'lost']),
        evidence_due_at: time.nullable(),
        /** The text that is ready for the bank, or was sent to it. */
        evidence: z.string().nullable(),
        evidence_sent_at: time.nullable(),
      }),
    ),
    movements: z.array(BalanceRow),
    /** The invoice, and a credit note for each refund. */
    documents: z.array(Paper).optional(),
  }),
  example: { request: { sale_id: saleExample.id }, reply: { sale: saleExample, refunds: [], disputes: [], movements: [] } },
  errors: ['not_found'],
  action: {
    title: 'Show a sale',
    when: 'The person asks for everything about one payment of a buyer',
    effect: 'reads',
    evidence: { rows: 'movements', columns: { at: col.time('When'), description: col.text('What'), amount_cents: col.cents('Amount') } },
  },
})

const refundBody = z.object({
  sale_id: id('sale'),
  /** All that is left of it when absent. */
  amount_cents: z.int().positive().optional(),
  reason: z.string().trim().min(3).max(500),
})
export const previewRefund = reading('preview-refund', {
  summary: 'Shows what a refund takes from the seller and from the platform',
  description: 'The parts are those that `refund-order` would move now, and add up to what the buyer gets.',
  body: refundBody.partial({ reason: true }),
  reply: z.object({
    sale: Sale,
    amount_cents: z.int(),
    currency: Currency,
    /** From what is held, from what is due, and what is owed after that. */
    from_held_cents: z.int(),
    from_due_cents: z.int(),
    becomes_owed_cents: z.int(),
    fee_returned_cents: z.int(),
    /** The tax in it, which is not paid on to the authorities. */
    tax_returned_cents: z.int(),
    /** Too much of it is no longer there: asked for, it waits for staff. */
    needs_staff: z.literal(true).optional(),
  }),
  example: {
    request: { sale_id: saleExample.id },
    reply: {
      sale: saleExample,
      amount_cents: 4900,
      currency: 'usd',
      from_held_cents: 3920,
      from_due_cents: 0,
      becomes_owed_cents: 0,
      fee_returned_cents: 980,
      tax_returned_cents: 0,
    },
  },
  errors: ['not_found', 'refund_too_large', 'refund_disputed'],
  action: {
    title: 'Preview a refund',
    when: 'The person asks what refunding an order would cost',
    effect: 'reads',
    evidence: {
      columns: {
        amount_cents: col.cents('To the buyer'),
        from_held_cents: col.cents('From what is held'),
        from_due_cents: col.cents('From what is due'),
        becomes_owed_cents: col.cents('Owed after it'),
        fee_returned_cents: col.cents('From the platform’s fee'),
        tax_returned_cents: col.cents('Tax'),
      },
    },
  },
})
export const refundOrder = fn('refund-order', {
  demo: 'never',
  access: 'user',
  summary: 'Gives a buyer their payment back, wholly or in part',
  description:
    'It goes to the card that paid. Without an amount, all that is left goes back. It cannot be undone. A refund of money that was paid out waits for staff where it would leave $100 or more of debt, or three others this week left one.',
  body: refundBody,
  reply: z.object({ refund: z.string(), amount_cents: z.int(), currency: Currency, sale_id: z.uuid() }),
  example: {
    request: { sale_id: saleExample.id, reason: 'Bought twice' },
    reply: { refund: 're_1', amount_cents: 4900, currency: 'usd', sale_id: saleExample.id },
  },
  errors: ['not_found', 'refund_too_large', 'refund_disputed', 'refund_needs_staff', 'upstream_failed'],
  idempotent: 'two-phase',
  action: {
    title: 'Refund an order',
    when: 'The person wants to give a buyer their money back',
    effect: 'spends',
    preview: previewRefund,
    does: ({ amount_cents, reason }) =>
      `Refunds ${amount_cents ? (amount_cents / 100).toFixed(2) : 'all that is left'} of the payment to the buyer. This cannot be undone. Reason: ${reason}`,
  },
})
export const submitEvidence = fn('submit-evidence', {
  demo: 'never',
  access: 'user',
  summary: 'Answers a disputed payment with evidence for the bank',
  description:
    'Order, delivery and buyer are added by themselves. Without `send` the text is kept and can be changed; what was sent to the bank is final.',
  body: z.object({
    sale_id: id('sale'),
    text: z.string().trim().min(10).max(10_000),
    send: z.boolean().default(false),
  }),
  reply: z.object({ dispute: z.string(), sent: z.boolean(), evidence_due_at: time.nullable() }),
  example: {
    request: { sale_id: saleExample.id, text: 'The buyer downloaded the files twice and wrote that they work.' },
    reply: { dispute: 'dp_1', sent: false, evidence_due_at: '2026-11-27T10:00:00.000Z' },
  },
  errors: ['not_found', 'dispute_closed', 'upstream_failed'],
  idempotent: 'two-phase',
  action: {
    title: 'Answer a dispute',
    when: 'The person wants to answer a disputed payment with evidence',
    effect: 'sends',
    preview: showSale,
    does: ({ send }) => (send ? 'Sends this evidence to the bank. It cannot be changed afterwards' : 'Keeps this evidence for the dispute'),
  },
})

/** Read before the evidence is sent. */
export const disputeEvidence = reading('dispute-evidence', {
  summary: 'Shows the evidence that goes to the bank beside your own words: the order, its delivery, downloads and messages',
  body: z.object({ sale_id: id('sale') }),
  reply: z.object({ parts: z.array(z.object({ title: z.string(), lines: z.array(z.string()) })) }),
  example: {
    request: { sale_id: saleExample.id },
    reply: { parts: [{ title: 'Delivery and downloads', lines: ['Delivered at 2026-11-13 10:00 UTC'] }] },
  },
  errors: ['not_found', 'unavailable'],
})

export const salesStatement = reading('sales-statement', {
  summary: 'Writes the monthly statement of a seller: sales, refunds, disputes, fees and payouts, as CSV or PDF',
  description: 'Months are in UTC. A PDF is in base64.',
  body: z.object({
    month: z
      .string()
      .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
      .meta({ examples: ['2026-11'] }),
    format: z.enum(['csv', 'pdf']).default('csv'),
  }),
  reply: z.object({
    filename: z.string(),
    content_type: z.enum(['text/csv', 'application/pdf']),
    csv: z.string().optional(),
    pdf: z
      .base64()
      .meta({ examples: ['JVBERi0x'] })
      .optional(),
    /** Not all rows fitted; the sums are of all. */
    cut: z.boolean(),
  }),
  example: {
    request: { month: '2026-11' },
    reply: { filename: 'sales-2026-11.csv', content_type: 'text/csv', csv: 'date,type,description,amount,currency\r\n', cut: false },
  },
  errors: [],
  action: {
    title: 'Write the sales statement',
    when: 'The person asks for a statement of what they sold and were paid in a month',
    effect: 'reads',
    evidence: { columns: { filename: col.text('File') } },
  },
})
