import { z } from 'zod'
import { col, fn, reading, text, time } from '../contract.ts'

// Tools that rest on answers: ads, figures of the Content Creator, names.

/** Ad copy has limits that a platform enforces: they are validated, and repaired by asking again, before anyone sees them. */
export const AdVariation = z.object({
  primary_text: z.string().max(125),
  headline: z.string().max(27),
  description: z.string().max(30),
  targeting: z.string(),
  format: z.string(),
  tone: z.string(),
})
const exampleAd = {
  primary_text: 'Your bike, fixed at your door before work.',
  headline: '20% off in March',
  description: 'Book in a minute',
  targeting: 'Commuters, 25-50',
  format: 'Single image',
  tone: 'Friendly',
}
export const generateAds = fn('generate-ads', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Writes three ad variations within 125/27/30 characters',
  description: 'When no model gave usable ones, the built-in samples come instead, with `sample: true`. Nothing is published.',
  body: z.object({
    details: text(5000).min(1),
    audience: text(500).optional(),
    objective: text(200).optional(),
    model: text(200).optional(),
  }),
  reply: z.object({
    variations: z.array(AdVariation).length(3),
    sample: z.boolean(),
    repaired: z.int(),
    answered_by: z.string().nullable(),
    sandbox: z.boolean(),
  }),
  example: {
    request: { details: 'Mobile bike repair, 20% off in March' },
    reply: {
      variations: [exampleAd, exampleAd, exampleAd],
      sample: false,
      repaired: 0,
      answered_by: 'gpt-4o-mini',
      sandbox: false,
    },
  },
  errors: ['limit_prompts', 'limit_budget'],
  action: {
    title: 'Write ad variations',
    when: 'The person wants ads written for a social ads platform. It writes texts and publishes nothing',
    effect: 'spends',
    unit: 'prompts',
    does: ({ details }) =>
      `Writes three ad variations for “${details.slice(0, 160)}”. Nothing is published. Uses 1 prompt, or up to 3 if the first answer cannot be used.`,
    evidence: {
      rows: 'variations',
      columns: { headline: col.text('Headline'), primary_text: col.text('Primary text'), description: col.text('Description') },
    },
  },
})
/** Pieces that the Content Creator wrote for the account. */
export const contentStats = reading('content-stats', {
  body: z.object({}),
  reply: z.object({ pieces: z.int(), words: z.int(), finished: z.int(), this_month: z.int() }),
})
/** Availability comes from the registry of each extension, or is `unknown`. It is never guessed. */
export const checkDomains = reading('check-domains', {
  // It asks registries and shops.
  demo: 'changes',
  body: z.object({ name: text(63).min(1) }),
  reply: z.object({
    results: z.array(
      z.object({
        domain: z.string(),
        status: z.enum(['available', 'taken', 'unknown']),
        checked_at: z.string(),
        reason: z.string().nullable(),
        prices: z.array(
          z.object({
            provider: z.string(),
            /** The first year; null where the registrar publishes no price here, so that only its page shows one. */
            price_cents: z.int().nullable(),
            /** Every later year. */
            original_price_cents: z.int().nullable(),
            /** When the registrar gave both prices. */
            as_of: time.nullable(),
            link: z.string(),
            /** The operator earns a commission by this link. */
            affiliate: z.boolean(),
          }),
        ),
      }),
    ),
    sandbox: z.boolean(),
  }),
})
