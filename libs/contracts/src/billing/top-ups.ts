import { z } from 'zod'
import { col, event, fn, id, reading } from '../contract.ts'
import { topUpOf, topUpUnits } from '../plans.ts'
import { day, money, topUpTitle } from '../words.ts'
import { Currency, time } from './shapes.ts'

// Units bought beside a plan. The month's own allowance is used first, and what was bought does not end with it.

const TopUpUnit = z.enum(topUpUnits)
const Offer = z.object({ unit: TopUpUnit, units: z.int(), amount_cents: z.int(), currency: Currency })
const TopUp = Offer.extend({
  id: z.uuid(),
  /** Not used and not set aside for what runs now. */
  left: z.int(),
  /** `held` while a bank disputes the payment, `refunding` until its refund is sent. */
  state: z.enum(['open', 'held', 'refunding', 'closed']),
  bought_at: time,
  refunded_cents: z.int(),
  /** The amount of a refund made now; null where none is possible any more. */
  refund_cents: z.int().nullable(),
  refundable_until: time,
})
const example = {
  id: '0190a1b2-0000-7000-8000-000000000009',
  ...{ unit: 'prompts' as const, units: 500, amount_cents: 1900, currency: 'usd', left: 420, state: 'open' as const },
  ...{ bought_at: '2026-11-13T10:00:00.000Z', refunded_cents: 0, refund_cents: 1596, refundable_until: '2026-12-13T10:00:00.000Z' },
}

export const listTopUps = reading('list-top-ups', {
  summary: 'Lists the top-ups that can be bought, and those that were, newest first',
  description: 'The allowance of the plan is used first. A top-up does not expire. A refund covers what is left of it.',
  reply: z.object({ offers: z.array(Offer), top_ups: z.array(TopUp), more: z.boolean() }),
  example: {
    reply: { offers: [{ unit: 'prompts', units: 500, amount_cents: 1900, currency: 'usd' }], top_ups: [example], more: false },
  },
  errors: [],
  action: {
    title: 'List top-ups',
    when: 'The person asks which extra prompts, images or minutes of speech they can buy or have left',
    effect: 'reads',
    evidence: {
      rows: 'top_ups',
      columns: { unit: col.text('What'), left: col.count('Left'), units: col.count('Of'), bought_at: col.time('Bought') },
    },
  },
})
export const buyTopUp = fn('buy-top-up', {
  demo: 'never',
  access: 'user',
  summary: 'Opens the payment page for more prompts, images or minutes of speech',
  description:
    'Nothing is charged before the person pays there. The units are added within seconds, are used after the plan’s own, and do not expire.',
  body: z.object({ unit: TopUpUnit }),
  reply: z.object({ top_up_id: z.uuid(), url: z.url(), amount_cents: z.int(), currency: Currency }),
  example: {
    request: { unit: 'prompts' },
    reply: { top_up_id: example.id, url: 'https://checkout.stripe.com/c/pay/cs_1', amount_cents: 1900, currency: 'usd' },
  },
  errors: ['checkout_failed'],
  idempotent: 'two-phase',
  action: {
    title: 'Buy a top-up',
    when: 'The person wants more prompts, images or minutes of speech without a larger plan',
    effect: 'spends',
    noPreview: 'This opens a payment page, which shows the price before you pay.',
    does: ({ unit }) => {
      const offer = topUpOf(unit)
      return `Opens the payment page for ${topUpTitle(offer)}, ${money({ amount_cents: offer.priceCents, currency: offer.currency })} plus any tax`
    },
  },
})
/** Asked by the page that the provider sends a person back to: it does not wait for a webhook. */
export const topUpStatus = reading('top-up-status', {
  demo: 'never',
  summary: 'How the checkout of a top-up ended',
  body: z.object({ top_up_id: id('top_up') }),
  reply: z.object({ status: z.enum(['open', 'complete', 'expired']), unit: TopUpUnit, units: z.int() }),
})
export const previewTopUpRefund = reading('preview-top-up-refund', {
  summary: 'Shows what ending a top-up would give back',
  description: 'As it stands now: what is used in the meantime is paid for.',
  body: z.object({ top_up_id: id('top_up') }),
  reply: z.object({ top_up: z.string(), left: z.int(), amount_cents: z.int(), currency: Currency }),
  example: {
    request: { top_up_id: example.id },
    reply: { top_up: '500 AI prompts', left: 420, amount_cents: 1596, currency: 'usd' },
  },
  errors: ['not_found', 'top_up_closed', 'top_up_used', 'top_up_late', 'refund_disputed'],
  action: {
    title: 'Preview the refund of a top-up',
    when: 'The person asks what they would get back for a top-up',
    effect: 'reads',
    evidence: { columns: { top_up: col.text('Top-up'), left: col.count('Left'), amount_cents: col.cents('To the card') } },
  },
})
export const refundTopUp = fn('refund-top-up', {
  demo: 'never',
  access: 'user',
  summary: 'Ends a top-up and gives back the money for what is left of it',
  description: 'Within 30 days of the purchase, to the card that paid. What was used stays paid for, in proportion to the price.',
  body: z.object({ top_up_id: id('top_up') }),
  reply: z.object({ amount_cents: z.int(), currency: Currency, left: z.int() }),
  example: { request: { top_up_id: example.id }, reply: { amount_cents: 1596, currency: 'usd', left: 420 } },
  errors: ['not_found', 'top_up_closed', 'top_up_used', 'top_up_late', 'refund_disputed', 'upstream_failed'],
  idempotent: 'two-phase',
  action: {
    title: 'Refund a top-up',
    when: 'The person wants their money back for a top-up that they do not need',
    effect: 'destroys',
    preview: previewTopUpRefund,
    does: () => 'Ends the top-up and refunds what is left of it to the card that paid. This cannot be undone',
  },
})

/** For whoever meters the unit. `version` only rises. */
export const topUpChanged = event(
  'billing.top_up_changed',
  z.object({
    top_up_id: z.uuid(),
    unit: TopUpUnit,
    units: z.int(),
    unit_microusd: z.int(),
    state: z.enum(['open', 'held', 'closed']),
    version: z.int(),
    bought_at: time,
  }),
)
/** Once, when it is paid. */
export const topUpBought = event(
  'billing.top_up_bought',
  z.object({ top_up_id: z.uuid(), unit: TopUpUnit, units: z.int(), amount_cents: z.int(), currency: Currency, refundable_until: time }),
  {
    activity: (bought) => `Bought ${topUpTitle(bought)}`,
    link: () => '/pricing',
    trigger: { title: 'A top-up was bought', description: 'With its unit, how many, and the amount.' },
    live: 'subscription',
    notice: (bought) => [
      {
        kind: 'payment',
        title: `${topUpTitle(bought)} added`,
        body: 'They are used after your monthly allowance runs out, and they do not expire.',
        link: '/pricing',
      },
    ],
    email: (bought, product) => ({
      subject: `Your ${product} top-up: ${topUpTitle(bought)}`,
      title: `${topUpTitle(bought)} added`,
      text: `You paid ${money(bought)}. They are used after your monthly allowance runs out, and they do not expire.`,
      label: 'See plan and usage',
      path: '/pricing',
      after: `Its invoice is on the plan page. Until ${day(bought.refundable_until)} you can have what is left refunded there.`,
    }),
  },
)
