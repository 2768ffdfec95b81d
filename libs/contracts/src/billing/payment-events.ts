import { z } from 'zod'
import { event } from '../contract.ts'
import { PAST_DUE_GRACE_DAYS } from '../plans.ts'
import { day, money } from '../words.ts'
import { payment, time } from './shapes.ts'

// Each payment is told to the person: that it came, failed, went back or is disputed.

/** `top_up`: it did not pay for a plan, and its purchase has an email of its own. */
export const paymentSucceeded = event('billing.payment_succeeded', payment.extend({ top_up: z.boolean().optional() }), {
  activity: (paid) => `Paid ${money(paid)}`,
  link: () => '/pricing',
  trigger: { title: 'A payment succeeded', description: 'With the amount and the currency.' },
  email: (paid, product) =>
    paid.top_up
      ? null
      : {
          subject: `Your ${product} payment of ${money(paid)}`,
          title: `You paid ${money(paid)}`,
          text: `Thank you. Your payment of ${money(paid)} for your ${product} plan went through.`,
          label: 'See your invoices',
          path: '/pricing',
          after: 'Its invoice, with any tax, is on the plan page.',
        },
})
export const paymentFailed = event(
  'billing.payment_failed',
  payment.extend({
    /** When the card is asked again; null when it is not. Absent from the version before, as is the next. */
    retry_at: time.nullable().optional(),
    /** Until when the plan stays open all the same. */
    open_until: time.nullable().optional(),
  }),
  {
    trigger: { title: 'A payment failed', description: 'With the amount and the currency.' },
    activity: (failed) => ({ command: `Payment of ${money(failed)}`, status: 'failed' }),
    link: () => '/pricing',
    notice: (failed) => [
      {
        kind: 'payment',
        title: 'A payment did not go through',
        body: `We could not collect ${money(failed)}. Check your payment method. ${nextTry(failed)}`,
        link: '/pricing',
      },
    ],
    email: (failed, product) => ({
      subject: `Your ${product} payment did not go through`,
      title: 'A payment did not go through',
      text: `We could not collect ${money(failed)}. ${nextTry(failed)}`,
      label: 'Update your card',
      path: '/pricing',
      after: `${stillOpen(failed)} Your data is kept either way.`,
    }),
  },
)
type Failed = { retry_at?: string | null | undefined; open_until?: string | null | undefined }
const nextTry = ({ retry_at }: Failed) =>
  retry_at === null
    ? 'We will not try this card again.'
    : `We will try again${retry_at ? ` on ${day(retry_at)}` : ''}, or you can update your card and pay now.`
function stillOpen({ retry_at, open_until }: Failed): string {
  if (open_until) return `Your plan stays open until ${day(open_until)}.`
  if (open_until === null) return retry_at ? 'Your plan opens again once it is paid.' : 'You can choose a plan again at any time.'
  return `A running plan stays open for ${PAST_DUE_GRACE_DAYS} days.`
}
export const paymentRefunded = event('billing.payment_refunded', payment, {
  trigger: { title: 'A payment was refunded', description: 'With the amount and the currency.' },
  activity: (refund) => `Refunded ${money(refund)}`,
  link: () => '/pricing',
  notice: (refund) => [
    {
      kind: 'payment',
      title: `${money(refund)} is on its way back`,
      body: 'Your refund was sent. Banks take a few days to show it.',
      link: '/pricing',
    },
  ],
  email: (refund, product) => ({
    subject: `Your ${product} refund of ${money(refund)} is on its way`,
    title: `${money(refund)} is on its way back to you`,
    text: 'It goes to the card that paid. Banks take 5 to 10 days to show it.',
    label: 'See your plan',
    path: '/pricing',
    after: 'Your monthly statement lists it.',
  }),
})
/** A refund that was sent came back: the bank did not take it. */
export const refundReturned = event('billing.refund_returned', payment, {
  trigger: { title: 'A refund came back', description: 'The bank did not accept it. With the amount and the currency.' },
  activity: (refund) => ({ command: `Refund of ${money(refund)}`, status: 'failed' }),
  link: () => '/pricing',
  notice: (refund) => [
    {
      kind: 'payment',
      title: `Your bank did not accept the refund of ${money(refund)}`,
      body: 'The money is back with us, and our team finds another way to pay it to you.',
      link: '/pricing',
    },
  ],
  email: (refund, product) => ({
    subject: `Your ${product} refund came back`,
    title: `Your bank did not accept the refund of ${money(refund)}`,
    text: 'The money is back with us, and our team finds another way to pay it to you.',
    label: 'See your plan',
    path: '/pricing',
    after: 'The card may have been closed or replaced.',
  }),
})
const ofBank = payment.extend({ top_up: z.boolean().optional() })
const paused = ({ top_up }: { top_up?: boolean | undefined }) =>
  top_up
    ? 'What is left of the top-up that it paid for waits until then.'
    : 'The plan that it paid for is paused, and nothing more is charged for it until then.'
const lost = ({ top_up }: { top_up?: boolean | undefined }) =>
  top_up ? 'the top-up that it paid for is over' : 'the plan that it paid for has ended'
export const paymentDisputed = event('billing.payment_disputed', ofBank, {
  activity: (disputed) => ({ command: `Payment of ${money(disputed)} disputed at the bank`, status: 'failed' }),
  link: () => '/pricing',
  trigger: { title: 'A payment was disputed', description: 'At the bank. With the amount and the currency.' },
  notice: (disputed) => [
    {
      kind: 'payment',
      title: `Your bank disputes a payment of ${money(disputed)}`,
      body: 'The bank has taken the payment back while it decides. If that is a mistake, tell your bank that you know the payment.',
      link: '/pricing',
    },
  ],
  email: (disputed, product) => ({
    subject: `Your bank disputes a payment to ${product}`,
    title: `Your bank disputes a payment of ${money(disputed)}`,
    text: `The bank has taken the payment back while it decides. ${paused(disputed)}`,
    label: 'See your plan',
    path: '/pricing',
    after: 'If that is a mistake, tell your bank that you know the payment. Your data is kept.',
  }),
})
export const disputeClosed = event('billing.dispute_closed', ofBank.extend({ outcome: z.enum(['won', 'lost']) }), {
  activity: (closed) => `Dispute of ${money(closed)} ${closed.outcome === 'won' ? 'settled' : 'decided by the bank'}`,
  link: () => '/pricing',
  trigger: { title: 'A dispute was decided', description: 'Won or lost, with the amount and the currency.' },
  notice: (closed) => [
    closed.outcome === 'won'
      ? { kind: 'payment', title: 'The dispute is settled', body: `The payment of ${money(closed)} stands.`, link: '/pricing' as const }
      : {
          kind: 'payment',
          title: 'The bank has decided the dispute',
          body: `${money(closed)} went back to you, and ${lost(closed)}.`,
          link: '/pricing' as const,
        },
  ],
  email: (closed, product) => ({
    subject: `Your bank decided a dispute with ${product}`,
    title: closed.outcome === 'won' ? 'The dispute is settled' : 'The bank has decided the dispute',
    text: closed.outcome === 'won' ? `The payment of ${money(closed)} stands.` : `${money(closed)} went back to you, and ${lost(closed)}.`,
    label: 'See your plan',
    path: '/pricing',
    after: 'Your data is kept either way.',
  }),
})
