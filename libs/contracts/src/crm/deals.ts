import { z } from 'zod'
import { changing, col, id, oneLine, reading, text, time } from '../contract.ts'
import { calendarDay, exampleId } from './calendar.ts'
import { MentioningNote } from './mentions.ts'

// Deals: what may be sold to whom, for how much and until when, and the way of each through the stages of a pipeline.

export const dealStates = ['open', 'won', 'lost'] as const
const deal_id = id('deal')
const change_id = id('deal_change')
const stage_id = id('stage')
export const Deal = z.object({
  id: deal_id,
  title: z.string(),
  pipeline_id: id('pipeline'),
  stage_id,
  contact_id: id('lead').nullable(),
  contact_name: z.string().nullable(),
  amount_cents: z.int(),
  currency: z.string(),
  /** A day, as 2026-12-31. */
  expected_close: z.string().nullable(),
  /** The one who takes care of it. */
  owner: z.string().nullable(),
  state: z.enum(dealStates),
  lost_reason: z.string().nullable(),
  stage_since: time,
  created_at: time,
  version: z.int(),
})
export const exampleDeal: z.output<typeof Deal> = {
  id: exampleId,
  title: 'Website for Harbour Café',
  pipeline_id: exampleId,
  stage_id: exampleId,
  contact_id: exampleId,
  contact_name: 'Ines Ortega',
  amount_cents: 240_000,
  currency: 'usd',
  expected_close: '2026-12-31',
  owner: null,
  state: 'open',
  lost_reason: null,
  stage_since: '2026-11-24T10:00:00.000Z',
  created_at: '2026-11-20T10:00:00.000Z',
  version: 1,
}

const Amount = z.int().min(0).max(100_000_000_000)
const Currency = z
  .string()
  .regex(/^[a-z]{3}$/, 'Use the three letters of the currency, as usd.')
  .meta({ examples: ['usd'] })
const fields = {
  title: oneLine(200).min(1),
  contact_id: id('lead').optional(),
  amount_cents: Amount.default(0),
  currency: Currency.default('usd'),
  expected_close: calendarDay.meta({ examples: ['2026-12-31'] }).optional(),
  owner: oneLine(120).min(1).optional(),
}

export const deleteDeal = changing('delete-deal', {
  summary: 'Deletes a deal',
  description: 'For 30 days `restore-deal` brings it back.',
  body: z.object({ deal_id }),
  reply: z.object({ deal_id, title: z.string() }),
  example: { request: { deal_id: exampleId }, reply: { deal_id: exampleId, title: exampleDeal.title } },
  errors: ['not_found'],
  action: { title: 'Delete a deal', when: 'The person asks to delete a deal', effect: 'destroys', does: () => 'Deletes the deal' },
})
export const restoreDeal = changing('restore-deal', {
  summary: 'Brings a deleted deal back',
  body: z.object({ deal_id }),
  reply: z.object({ deal_id }),
  errors: ['not_found', 'deals_full'],
})

export const createDeal = changing('create-deal', {
  summary: 'Adds a deal',
  description:
    'Without `stage_id` it begins in the first stage of the oldest pipeline. The first deal of an account makes a pipeline. An account holds at most 2,000 open deals.',
  body: z.object({ ...fields, stage_id: stage_id.optional() }),
  reply: z.object({ deal_id }),
  example: {
    request: { title: exampleDeal.title, amount_cents: 240_000, currency: 'usd', contact_id: exampleId },
    reply: { deal_id: exampleId },
  },
  errors: ['not_found', 'deals_full'],
  action: {
    title: 'Add a deal',
    when: 'The person asks to add a deal, an opportunity or a quote that is open',
    effect: 'changes',
    does: ({ title }) => `Adds the deal ${title}`,
    undo: { contract: deleteDeal, seconds: 600 },
  },
})

export const updateDeal = changing('update-deal', {
  summary: 'Changes the fields of a deal that are given; null empties one',
  description: 'With `version` it is refused when the deal was changed since. Its stage is changed by `move-deal`.',
  body: z.object({
    deal_id,
    version: z.int().min(1).optional(),
    title: fields.title.optional(),
    contact_id: id('lead').nullish(),
    amount_cents: Amount.optional(),
    currency: Currency.optional(),
    expected_close: calendarDay.meta({ examples: ['2026-12-31'] }).nullish(),
    owner: oneLine(120).min(1).nullish(),
  }),
  reply: Deal,
  example: { request: { deal_id: exampleId, amount_cents: 240_000 }, reply: exampleDeal },
  errors: ['not_found', 'conflict'],
  action: {
    title: 'Change a deal',
    when: 'The person asks to change the amount, the date, the contact or the title of a deal',
    effect: 'changes',
    does: ({ deal_id, version, ...changed }) => `Changes ${Object.keys(changed).join(', ').replaceAll('_', ' ')} of the deal`,
  },
})

export const undoDealChange = changing('undo-deal-change', {
  summary: 'Takes the latest move, win or loss of a deal back',
  description: 'Only the latest one: when the deal was moved again since, it is refused as `conflict`.',
  body: z.object({ change_id }),
  reply: Deal,
  example: { request: { change_id: exampleId }, reply: exampleDeal },
  errors: ['not_found', 'conflict', 'deals_full'],
  action: {
    title: 'Undo the latest step of a deal',
    when: 'The person asks to take back the move, the win or the loss of a deal',
    effect: 'changes',
    does: () => 'Takes the latest step of the deal back',
  },
})
const Moved = z.object({ deal: Deal, change_id })
export const moveDeal = changing('move-deal', {
  summary: 'Moves a deal to another stage',
  description: 'A deal that was won or lost is open again.',
  body: z.object({ deal_id, stage_id }),
  reply: Moved,
  example: { request: { deal_id: exampleId, stage_id: exampleId }, reply: { deal: exampleDeal, change_id: exampleId } },
  errors: ['not_found', 'deals_full'],
  action: {
    title: 'Move a deal',
    when: 'The person asks to move a deal to another stage, or to open it again',
    effect: 'changes',
    does: () => 'Moves the deal to the other stage',
    undo: { contract: undoDealChange, seconds: 600 },
  },
})
export const closeDeal = changing('close-deal', {
  summary: 'Marks a deal as won or lost',
  description: 'The reason is kept for a lost deal.',
  body: z.object({ deal_id, won: z.boolean(), reason: oneLine(200).default('') }),
  reply: Moved,
  example: {
    request: { deal_id: exampleId, won: true },
    reply: { deal: { ...exampleDeal, state: 'won' as const }, change_id: exampleId },
  },
  errors: ['not_found'],
  action: {
    title: 'Win or lose a deal',
    when: 'The person says that a deal was won or lost',
    effect: 'changes',
    does: ({ won, reason }) => `Marks the deal as ${won ? 'won' : 'lost'}${!won && reason ? `: “${reason}”` : ''}`,
    undo: { contract: undoDealChange, seconds: 600 },
  },
})

export const dealSorts = ['newest', 'closing', 'amount'] as const
export const findDeals = reading('find-deals', {
  summary: 'Finds deals by title, or lists them',
  description: 'Without `query` it lists them all, a page at a time. Sorted by amount, currencies are not converted.',
  body: z
    .object({
      query: text(100).optional(),
      state: z.enum(dealStates).optional(),
      stage_id: stage_id.optional(),
      contact_id: id('lead').optional(),
      sort: z.enum(dealSorts).default('newest'),
      limit: z.int().min(1).max(100).default(50),
      cursor: text(400).optional(),
    })
    .prefault({}),
  reply: z.object({ deals: z.array(Deal), cursor: z.string().nullable() }),
  example: { request: { state: 'open' }, reply: { deals: [exampleDeal], cursor: null } },
  errors: [],
  action: {
    title: 'Find deals',
    when: 'The person asks for deals, quotes or opportunities, or what is open, won or lost',
    effect: 'reads',
    evidence: {
      rows: 'deals',
      columns: {
        title: col.text('Deal'),
        contact_name: col.text('Contact'),
        amount_cents: col.cents('Amount'),
        state: col.text('State'),
        expected_close: col.text('Expected close'),
      },
    },
  },
})

export const showDeal = reading('show-deal', {
  summary: 'Shows a deal and its way through the stages',
  description: 'The hundred latest steps, newest first.',
  body: z.object({ deal_id }),
  reply: z.object({
    deal: Deal,
    history: z.array(z.object({ id: change_id, stage: z.string(), state: z.enum(dealStates), reason: z.string().nullable(), at: time })),
    mentions: z.array(MentioningNote).optional(),
  }),
  example: {
    request: { deal_id: exampleId },
    reply: {
      deal: exampleDeal,
      history: [{ id: exampleId, stage: 'Qualified', state: 'open', reason: null, at: exampleDeal.stage_since }],
    },
  },
  errors: ['not_found'],
  action: {
    title: 'Show a deal',
    when: 'The person asks about one deal or how long it has been in a stage',
    effect: 'reads',
    evidence: { rows: 'history', columns: { at: col.time('When'), stage: col.text('Stage') } },
  },
})
