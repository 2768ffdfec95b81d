import { z } from 'zod'
import { event, job, type Letter, personal, plain, request } from '../contract.ts'
import { day, money } from '../words.ts'
import { SaleKind } from './selling.ts'
import { Currency, time } from './shapes.ts'

// Events of a sale's money. Each is told under the seller.

/** Where a seller reads of it: the payments page, with the sale beside its list. */
const page = '/dashboard/payments'
const saleAt = ({ sale_id }: { sale_id: string }) => `${page}?sale=${sale_id}` as const

const Line = z.object({ item_id: z.uuid().nullable(), title: personal(z.string()), amount_cents: z.int() })
/** How a sale stands. `version` only rises: whoever keeps it keeps the newest. */
const sale = z.object({
  version: z.int(),
  sale_id: z.uuid(),
  kind: SaleKind,
  /** The order or booking, by its service's own id. */
  reference: plain(z.string()),
  seller_id: z.uuid(),
  buyer_id: z.uuid().nullable(),
  /** Where the buyer is written to. Absent from the version before. */
  email: personal(z.string()).nullable().optional(),
  title: personal(z.string()),
  /** The price without tax. */
  amount_cents: z.int(),
  currency: Currency,
  /** All that the buyer paid, with tax. Absent from the version before. */
  paid_cents: z.int().optional(),
  /** All that was given back so far. At the full amount nothing is delivered any more. */
  refunded_cents: z.int(),
})

type Bought = { email?: string | null | undefined; buyer_id: string | null; kind: z.output<typeof SaleKind> }
/** The email to the buyer, unless the sale came without their address. A guest opens what they bought by a link that they have already. */
const toBuyer = (
  { email, buyer_id, kind }: Bought,
  { after, ...words }: { subject: string; title: string; text: string; after: string },
): Letter | null => {
  if (!email) return null
  if (kind === 'product' && buyer_id)
    return { to: email, person: buyer_id, ...words, after, label: 'See your orders', path: '/buyer-dashboard/orders' }
  const link = kind === 'product' ? 'The link in your receipt opens the order.' : 'The link in your confirmation opens the booking.'
  return { to: email, person: buyer_id, ...words, after: `${after} ${link}`, label: 'Open the home page', path: '/' }
}

/** A buyer has paid. The service that owns this kind of sale delivers now, once, unless all of it was refunded meanwhile. */
export const saleSettled = event(
  'billing.sale_settled',
  sale.extend({
    email: personal(z.string()).nullable(),
    tax_cents: z.int(),
    share_cents: z.int(),
    lines: z.array(Line),
  }),
  {
    activity: ({ title }) => `Sold ${title}`,
    link: saleAt,
    timeline: ({ email, title, ...paid }) => (email ? { email, kind: 'sale', text: `Bought ${title} for ${money(paid)}` } : null),
    trigger: { title: 'A product was sold', description: 'With the product, the amount and what the seller keeps of it.' },
    live: 'sales',
    notice: (sold) => [
      {
        kind: 'sale',
        title: `You sold ${sold.title}`,
        body: `${money(sold)} was paid. Your share is ${money({ amount_cents: sold.share_cents, currency: sold.currency })}.`,
        link: saleAt(sold),
      },
    ],
  },
)
export const saleRefunded = event(
  'billing.sale_refunded',
  sale.extend({
    /** The amount of this refund alone, with tax. */
    returned_cents: z.int(),
  }),
  {
    activity: (refund) => `Refunded ${money({ amount_cents: refund.returned_cents, currency: refund.currency })} of ${refund.title}`,
    link: saleAt,
    trigger: { title: 'A sale was refunded', description: 'With the product, what was given back and the amount of the sale.' },
    live: 'sales',
    notice: (refund) => [
      {
        kind: 'sale',
        title: `A sale of ${refund.title} was refunded`,
        body: `${returned(refund)} went back to the buyer.`,
        link: saleAt(refund),
      },
    ],
    email: (refund, product) => ({
      subject: `A sale on ${product} was refunded`,
      title: `A sale of ${refund.title} was refunded`,
      text: `${returned(refund)} of ${paid(refund)} went back to the buyer. Your share of it comes off your balance.`,
      label: 'See the sale',
      path: saleAt(refund),
      after: 'The next payout is smaller by your share of the refund.',
    }),
    letter: (refund) => {
      // The calendar writes to the guest itself, with the link to the booking.
      if (refund.kind === 'booking') return null
      const isWhole = refund.refunded_cents >= refund.amount_cents
      return toBuyer(refund, {
        subject: `Your refund of ${returned(refund)} is on its way`,
        title: `${returned(refund)} is on its way back to you`,
        text: `${isWhole ? 'Your payment' : `Part of your payment of ${paid(refund)}`} for ${refund.title} was refunded to the card that paid.`,
        after: `Banks take 5 to 10 days to show it. ${isWhole ? 'The download has ended.' : 'You keep what you bought.'}`,
      })
    },
  },
)
const paid = ({ paid_cents, amount_cents, currency }: { paid_cents?: number | undefined; amount_cents: number; currency: string }) =>
  money({ amount_cents: paid_cents ?? amount_cents, currency })
const returned = ({ returned_cents, currency }: { returned_cents: number; currency: string }) =>
  money({ amount_cents: returned_cents, currency })

/** A refund that was sent to a buyer came back: their bank did not take it. */
export const saleRefundReturned = event('billing.sale_refund_returned', sale.extend({ returned_cents: z.int() }), {
  activity: (refund) => ({ command: `Refund of ${returned(refund)} of ${refund.title}`, status: 'failed' }),
  link: saleAt,
  trigger: { title: 'A refund of a sale came back', description: 'The buyer’s bank did not accept it. With the product and the amount.' },
  live: 'sales',
  notice: (refund) => [
    {
      kind: 'sale',
      title: `A refund of ${refund.title} came back`,
      body: `The buyer’s bank did not accept ${returned(refund)}. Our team finds another way to pay it, and there is nothing for you to do.`,
      link: saleAt(refund),
    },
  ],
  letter: (refund) =>
    toBuyer(refund, {
      subject: `Your refund of ${returned(refund)} came back`,
      title: `Your bank did not accept the refund of ${returned(refund)}`,
      text: `It was for ${refund.title}. The money is back with us, and our team finds another way to pay it to you.`,
      after: 'The card may have been closed or replaced.',
    }),
})

const disputed = sale.extend({ dispute: plain(z.string()), disputed_cents: z.int(), reason: plain(z.string()) })
/** A bank asks about a payment and has taken nothing yet. Unanswered, it may become a dispute. */
export const saleInquired = event('billing.sale_inquired', disputed.extend({ evidence_due_at: time.nullable() }), {
  activity: ({ title }) => `A bank asked about the payment for ${title}`,
  link: saleAt,
  trigger: { title: 'A bank asked about a sale', description: 'Before any dispute. With the amount and the day by which evidence is due.' },
  live: 'sales',
  notice: (asked) => [
    {
      kind: 'sale',
      title: `A bank asks about the payment for ${asked.title}`,
      body: `No money was taken. ${answerBy(asked)}`,
      link: saleAt(asked),
    },
  ],
  email: (asked, product) => ({
    subject: `A bank asks about a payment to you on ${product}`,
    title: `A bank asks about the payment for ${asked.title}`,
    text: `It is about ${of(asked)}, and no money was taken. ${answerBy(asked)}`,
    label: 'Add evidence',
    path: saleAt(asked),
    after: 'Without an answer it can become a dispute, and the bank then takes the money back.',
  }),
})
/** The bank has taken a buyer's payment back while it decides. */
export const saleDisputed = event('billing.sale_disputed', disputed.extend({ evidence_due_at: time.nullable() }), {
  activity: ({ title }) => ({ command: `Payment for ${title} disputed at the bank`, status: 'failed' }),
  link: saleAt,
  trigger: { title: 'A sale was disputed', description: 'At the buyer’s bank. With the amount and the day by which evidence is due.' },
  live: 'sales',
  notice: (dispute) => [
    {
      kind: 'sale',
      title: `A buyer disputes the payment for ${dispute.title}`,
      body: `Their bank holds ${of(dispute)}. ${answerBy(dispute)}`,
      link: saleAt(dispute),
    },
  ],
  email: (dispute, product) => ({
    subject: `A payment to you on ${product} is disputed`,
    title: `A buyer disputes the payment for ${dispute.title}`,
    text: `Their bank holds ${of(dispute)} while it decides. ${answerBy(dispute)}`,
    label: 'Add evidence',
    path: saleAt(dispute),
    after: 'Your share of it is set aside until the bank decides.',
  }),
  letter: (dispute) =>
    toBuyer(dispute, {
      subject: `Your bank disputes your payment for ${dispute.title}`,
      title: `Your bank has taken back ${of(dispute)}`,
      text: `It was your payment for ${dispute.title}. The seller can answer, and then the bank decides, which can take two to three months.`,
      after: 'If you know this payment, tell your bank. The seller cannot refund it until the bank has decided.',
    }),
})
type Disputed = { disputed_cents: number; currency: string; evidence_due_at?: string | null }
const of = ({ disputed_cents, currency }: Disputed) => money({ amount_cents: disputed_cents, currency })
const answerBy = ({ evidence_due_at }: Disputed) =>
  evidence_due_at ? `Add your evidence by ${day(evidence_due_at)}.` : 'Add your evidence soon.'

export const saleDisputeClosed = event('billing.sale_dispute_closed', disputed.extend({ outcome: z.enum(['won', 'lost']) }), {
  activity: ({ title, outcome }) => `Dispute about ${title} ${outcome}`,
  link: saleAt,
  trigger: { title: 'A dispute about a sale was decided', description: 'Won or lost, with the product and the amount.' },
  live: 'sales',
  notice: (closed) => [
    closed.outcome === 'won'
      ? {
          kind: 'sale',
          title: `You won the dispute about ${closed.title}`,
          body: `${of(closed)} is back, and your share with it.`,
          link: saleAt(closed),
        }
      : {
          kind: 'sale',
          title: `The dispute about ${closed.title} was lost`,
          body: `${of(closed)} went back to the buyer. Your share of it comes off your balance.`,
          link: saleAt(closed),
        },
  ],
  email: (closed, product) => ({
    subject: `The bank decided a dispute on ${product}`,
    title: closed.outcome === 'won' ? `You won the dispute about ${closed.title}` : `The dispute about ${closed.title} was lost`,
    text:
      closed.outcome === 'won'
        ? `${of(closed)} is back, and your share with it.`
        : `${of(closed)} went back to the buyer. Your share of it comes off your balance.`,
    label: 'See the sale',
    path: saleAt(closed),
    after: 'The bank’s decision is final.',
  }),
  letter: (closed) =>
    toBuyer(closed, {
      subject: `Your bank decided about your payment for ${closed.title}`,
      title: closed.outcome === 'won' ? `Your payment of ${of(closed)} stands` : `${of(closed)} is yours again`,
      text:
        closed.outcome === 'won'
          ? `Your bank decided for the seller of ${closed.title}.`
          : `Your bank decided for you and returns your payment for ${closed.title}.`,
      after: 'Your bank can tell you more about its decision.',
    }),
})

const path = z
  .string()
  .startsWith('/')
  .meta({ examples: ['/thank-you'] })
/** Asked by whoever sells: a payment page for what a buyer chose. The same reference gets the same page. */
export const openSaleCheckout = request(
  'billing.open_sale_checkout',
  z.object({
    kind: SaleKind,
    reference: z.uuid(),
    seller_id: z.uuid(),
    buyer_id: z.uuid().nullable(),
    email: z.email().nullable(),
    currency: z.string().length(3),
    lines: z
      .array(z.object({ item_id: z.uuid().nullable(), title: z.string().min(1).max(250), amount_cents: z.int().positive() }))
      .min(1)
      .max(20),
    /** As invoices name them. Absent from the version before. */
    seller: z.object({ name: z.string().max(200), details: z.array(z.string().max(200)).max(4) }).optional(),
    success_path: path,
    cancel_path: path,
  }),
  z.discriminatedUnion('state', [
    z.object({ state: z.literal('open'), url: z.url() }),
    z.object({ state: z.literal('settled') }),
    /** Too old to be paid: the buyer begins anew. */
    z.object({ state: z.literal('expired') }),
    z.object({ state: z.literal('seller_not_ready') }),
  ]),
)
/**
 * The tax on what sellers sell to people in a country, for a cart. Each country is asked of the provider at most once a day in a process, since
 * it counts what is asked. The payment page decides: a business enters its number there, and a whole address.
 */
export const saleTaxRate = request(
  'billing.sale_tax_rate',
  z.object({
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .meta({ examples: ['DE'] }),
  }),
  z.discriminatedUnion('state', [
    z.object({ state: z.literal('known'), name: z.string(), percent: z.number().nonnegative() }),
    /** Inside of the country rates differ. */
    z.object({ state: z.literal('by_address') }),
    z.object({ state: z.literal('none') }),
  ]),
)
/** Asked by the page that a buyer comes back to, so that nobody waits for a webhook. */
export const settleSale = request(
  'billing.settle_sale',
  z.object({ kind: SaleKind, reference: z.uuid() }),
  z.object({ state: z.enum(['unknown', 'open', 'settled', 'failed', 'expired']) }),
)

/** The hourly look: holds that end, checkouts that no webhook told of, and on Fridays the payouts. */
export const moveSellers = job('billing.move_sellers', z.object({}), { attempts: 1 })
