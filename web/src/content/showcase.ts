import type { Approval } from '../api/ai.ts'

/** The data of the landing page's screens. Sample data in the product's own components: it wears the badge there, too. */
export const conversation = {
  asked: 'Eleven quotes from October are still open. Which ones do I chase, and how?',
  answer: `Chase the four that were opened more than once: they are **$6,240 of the $8,910** outstanding. The other seven have not been read, so a reminder there is a first contact, not a nudge.

1. Answer the open question before you ask for a yes.
2. Name one date, not "soon".
3. Leave the seven for Thursday.`,
  answeredBy: 'gpt-5-mini',
}

const step = (action: string, title: string, does: string, input: Record<string, string>): Approval['steps'][number] => ({
  ...{ action, title, does, input },
  effect: 'spends',
  unit: 'prompts',
  preview: null,
  state: 'waiting',
  reply: null,
  error: null,
  undo_until: null,
})
const proposal = (only: Approval['steps'][number]): Approval => ({
  id: only.action,
  message_id: null,
  title: only.title,
  steps: [only],
  state: 'proposed',
  origin: 'assistant',
  prompts: 1,
  created_at: '',
  expires_at: '',
})
export const proposals = {
  reminder: proposal(
    step(
      'write-email',
      'Draft an email',
      'Drafts an email about “Reminder for a quote that was opened twice”. Nothing is sent. Uses 1 prompt.',
      {
        about: 'Reminder for a quote that was opened twice',
      },
    ),
  ),
  research: proposal(
    step(
      'search-web',
      'Search the web',
      'Searches the web for “Price of weekly subscription boxes at bakeries nearby” and names its sources. Uses 1 prompt.',
      {
        query: 'Price of weekly subscription boxes at bakeries nearby',
      },
    ),
  ),
}

export const monthlyUse = [
  { label: 'AI prompts', used: 642, limit: 1000 },
  { label: 'Emails', used: 2610, limit: 3000 },
  { label: 'Workflow runs', used: 3120, limit: 10000 },
  { label: 'Voice agents', used: 2, limit: 5 },
]

export const labQuestion = 'How should a small agency open its pricing page?'

/** Written out at the pace of a real answer when the demo is run. */
export const labAnswers = [
  {
    model: 'gpt-4o-mini',
    answeredBy: 'gpt-4o-mini-2024-07-18',
    firstMs: 410,
    ms: 1840,
    usage: { prompt_tokens: 18, completion_tokens: 78, cost_microusd: 49 },
    content:
      'Lead with the outcome: **“Your first campaign, live before lunch.”** Then one line on how, and the price beside it. Everything else answers the question *what happens after the trial*.',
  },
  {
    model: 'claude',
    answeredBy: 'claude-sonnet-4-5',
    firstMs: 520,
    ms: 2260,
    usage: { prompt_tokens: 19, completion_tokens: 86, cost_microusd: 1347 },
    content:
      'Say who it is for before what it does. “For studios of one to ten” makes the right reader feel counted and lets the wrong one leave early. Put the plan you want chosen in the middle and give the reason in five words.',
  },
  {
    model: 'gemini-1.5-flash',
    answeredBy: 'gemini-2.5-flash',
    firstMs: 300,
    ms: 1210,
    usage: { prompt_tokens: 17, completion_tokens: 61, cost_microusd: 158 },
    content:
      'Three facts, above the fold:\n\n- how long the set-up takes\n- what a month costs\n- what happens on day four of the trial\n\nNothing else.',
  },
  {
    model: 'perplexity',
    answeredBy: 'sonar',
    firstMs: 780,
    ms: 2720,
    usage: { prompt_tokens: 18, completion_tokens: 74, cost_microusd: 92 },
    content:
      'Pages that name a price do better with small businesses than pages that ask for a call. Put the number beside the button, and the limit it buys beside the number.',
  },
] as const
