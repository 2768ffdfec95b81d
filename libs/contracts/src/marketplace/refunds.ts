import { z } from 'zod'
import { changing, col, event, fn, id, job, personal, plain, reading, time } from '../contract.ts'
import { day, money } from '../words.ts'
import { REFUND_ANSWER_DAYS, type RefundReason, refundReasons } from './refund-rules.ts'
import { cursor } from './shapes.ts'

// A buyer asks for a refund, the seller has three days, and the platform's rule decides after that.

export const Reason = z.enum(Object.keys(refundReasons) as [RefundReason, ...RefundReason[]])
/** `open` waits for the seller; `accepted` is being paid back; `refunded` and `declined` are final. */
export const RefundState = z.enum(['open', 'accepted', 'refunded', 'declined'])
export const RefundRequest = z.object({
  id: z.uuid(),
  order_id: z.uuid(),
  title: z.string(),
  amount_cents: z.int(),
  currency: z.string(),
  reason: Reason,
  text: z.string(),
  state: RefundState,
  /** When the rule decides, where the seller has not. */
  due_at: time,
  at: time,
  decided_by: z.enum(['seller', 'rule']).nullable(),
  answer: z.string().nullable(),
})
const example = {
  id: '0190a1b2-0000-7000-8000-000000000041',
  order_id: '0190a1b2-0000-7000-8000-000000000004',
  title: 'Lead qualification',
  amount_cents: 4900,
  currency: 'usd',
  reason: 'not_working' as const,
  text: 'It stops at the second step.',
  state: 'open' as const,
  due_at: '2026-11-27T10:00:00.000Z',
  at: '2026-11-24T10:00:00.000Z',
  decided_by: null,
  answer: null,
}

export const requestRefund = fn('request-refund', {
  demo: 'never',
  access: 'public',
  rate: 'write',
  summary: 'Asks the seller of an order for the money back',
  description: 'By the token of the order’s link, or as the buyer whose order it is. Once for each order.',
  body: z.object({
    token: z.string().min(20).max(100).optional(),
    order_id: id('order').optional(),
    reason: Reason,
    text: z.string().trim().max(2_000).default(''),
  }),
  reply: z.object({ request: RefundRequest }),
  errors: ['not_found', 'refund_window_over', 'refund_asked_before'],
  idempotent: true,
})
export const listRefundRequests = reading('list-refund-requests', {
  summary: 'Lists what buyers asked to have refunded, with how often each reason was given',
  description: 'Those that wait for your answer come alone where `open` is true.',
  body: z.object({ open: z.boolean().default(false), cursor: cursor.optional() }),
  reply: z.object({
    requests: z.array(RefundRequest.extend({ from: z.string() })),
    cursor: cursor.nullable(),
    /** Of the newest 1,000 requests. */
    reasons: z.array(z.object({ reason: Reason, count: z.int() })),
  }),
  example: {
    request: { open: true },
    reply: { requests: [{ ...example, from: 'guest@example.com' }], cursor: null, reasons: [{ reason: 'not_working', count: 1 }] },
  },
  errors: [],
  action: {
    title: 'List refund requests',
    when: 'The person asks which buyers want their money back, or why',
    effect: 'reads',
    evidence: {
      rows: 'requests',
      columns: { title: col.text('Product'), from: col.text('Buyer'), amount_cents: col.cents('Amount'), due_at: col.time('Decided by') },
    },
  },
})
export const answerRefundRequest = changing('answer-refund-request', {
  demo: 'never',
  summary: 'Accepts or declines a buyer’s request for a refund',
  description:
    'Accepting pays everything that is left of the order back. Declining an order of which nothing was downloaded pays it back as well: that is the rule.',
  body: z.object({ request_id: id('refund_request'), accept: z.boolean(), text: z.string().trim().max(2_000).default('') }),
  reply: z.object({ request: RefundRequest }),
  example: {
    request: { request_id: example.id, accept: true },
    reply: { request: { ...example, state: 'accepted', decided_by: 'seller' } },
  },
  errors: ['not_found', 'refund_decided'],
  action: {
    title: 'Answer a refund request',
    when: 'The person decides about a buyer’s request for a refund',
    effect: 'spends',
    does: ({ accept }) =>
      accept ? 'Pays the buyer everything back that is left of the order' : 'Declines the buyer’s request for a refund',
  },
})

/** Told under the seller. */
export const refundRequested = event(
  'marketplace.refund_requested',
  z.object({
    request_id: z.uuid(),
    order_id: z.uuid(),
    title: personal(z.string()),
    amount_cents: z.int(),
    currency: plain(z.string()),
    reason: Reason,
    text: personal(z.string()),
    due_at: time,
  }),
  {
    activity: ({ title }) => `Refund requested for ${title}`,
    link: () => '/dashboard/marketplace?tab=messages',
    trigger: { title: 'A refund was requested', description: 'With the order, the amount, the reason and when the rule decides.' },
    live: 'sales',
    notice: (asked) => [
      {
        kind: 'refund',
        title: `A buyer asks for ${money(asked)} back`,
        body: askedFor(asked),
        link: '/dashboard/marketplace?tab=messages',
      },
    ],
    email: (asked, product) => ({
      subject: `A buyer on ${product} asks for a refund of ${asked.title}`,
      title: `A buyer asks for ${money(asked)} back`,
      text: askedFor(asked),
      label: 'Answer the request',
      path: '/dashboard/marketplace?tab=messages',
      after: `Without your answer within ${REFUND_ANSWER_DAYS} days the buyer is refunded.`,
    }),
  },
)
const askedFor = ({ title, reason, due_at }: { title: string; reason: RefundReason; due_at: string }) =>
  `${title}: ${refundReasons[reason]}. Accept or decline by ${day(due_at)}.`

/** Pays an accepted request back, through billing, in the seller's name. */
export const payRefund = job('marketplace.pay_refund', z.object({ request_id: z.uuid() }))
/** The letter with the seller's answer. */
export const refundLetter = job('marketplace.refund_letter', z.object({ request_id: z.uuid() }))
/** Requests that nobody answered in time. */
export const sweepRefunds = job('marketplace.sweep_refunds', z.object({}), { attempts: 1 })
