import { z } from 'zod'
import { changing, col, fn, id, reading, time } from '../contract.ts'
import { AdObjectId, adCallErrors } from './ads.ts'

// Rules that pause a campaign of Meta whose results became too expensive.

export const AdRule = z.object({
  id: id('ad_rule'),
  campaign_id: z.string(),
  campaign: z.string(),
  currency: z.string(),
  most_cents: z.int().min(0),
  state: z.enum(['watching', 'applied']),
  /** At the last look: what a result cost in the last seven days. */
  last_cents: z.number().nullable(),
  checked_at: time.nullable(),
  applied_at: time.nullable(),
})
const ruleExample = {
  id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b30',
  campaign_id: '4001',
  campaign: 'Spring offer',
  currency: 'USD',
  most_cents: 2500,
  state: 'watching' as const,
  last_cents: 1829,
  checked_at: '2026-11-24T10:00:00.000Z',
  applied_at: null,
}

export const listAdRules = reading('list-ad-rules', {
  summary: 'Lists the rules that pause Meta campaigns when a result costs too much',
  description: 'At most fifty.',
  body: z.object({}).prefault({}),
  reply: z.object({ rules: z.array(AdRule) }),
  example: { request: {}, reply: { rules: [ruleExample] } },
  errors: [],
  action: {
    title: 'List ad rules',
    when: 'The person asks which campaigns are paused by a rule',
    effect: 'reads',
    evidence: {
      rows: 'rules',
      columns: { campaign: col.text('Campaign'), most_cents: col.cents('Most for a result'), state: col.text('State') },
    },
  },
})

export const deleteAdRule = changing('delete-ad-rule', {
  summary: 'Deletes a rule that pauses a campaign',
  description: 'The campaign stays as it is.',
  body: z.object({ rule_id: id('ad_rule') }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { rule_id: ruleExample.id }, reply: { deleted: true } },
  errors: [],
  action: {
    title: 'Delete an ad rule',
    when: 'The person asks to end a rule that pauses a campaign',
    effect: 'destroys',
    does: () => 'Deletes the rule. The campaign stays as it is',
  },
})

export const createAdRule = fn('create-ad-rule', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Pauses a Meta campaign by itself when a result costs more than a limit',
  description:
    'Looked at every ten minutes, over the last seven days, once the campaign has spent at least the limit. Without a single result, what was spent counts as its cost. A rule acts once.',
  body: z.object({ campaign_id: AdObjectId, most_cents: z.int().min(1).max(100_000_000) }),
  reply: z.object({ rule: AdRule }),
  example: { request: { campaign_id: '4001', most_cents: 2500 }, reply: { rule: ruleExample } },
  errors: [...adCallErrors, 'ad_rule_limit'],
  action: {
    title: 'Add an ad rule',
    when: 'The person asks to pause a campaign when its results become too expensive',
    effect: 'changes',
    noPreview: 'This is the whole rule. Nothing changes at Meta until the campaign has spent that much.',
    needs: ['meta-ads'],
    does: ({ most_cents }) => `Pauses the campaign by itself when a result costs more than ${(most_cents / 100).toFixed(2)}`,
  },
})
