import { demoPrompts, demoTrialBegan } from '@operon/contracts/ai-gateway/demo'
import { chatStarters } from '@operon/contracts/ai-gateway/starters'
import type { Envelope, Payload } from '@operon/contracts/contract'
import type { demoCreated } from '@operon/contracts/identity/events'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Transaction } from 'kysely'
import { ANALYST_MODEL, DEFAULT_MODEL } from '../registry/models.ts'
import type { AiDb, Lane } from '../schema.ts'
import { LAB_QUESTION, RECORDED, recordings } from './recordings.ts'

type Trx = Transaction<AiDb & KitDb>
const MINUTE_MS = 60_000

const talks = [
  { feature: 'chat', model: DEFAULT_MODEL, asked: chatStarters[0], answered: recordings[chatStarters[0]], minutesAgo: 90 },
  { feature: 'chat', model: DEFAULT_MODEL, asked: chatStarters[3], answered: recordings[chatStarters[3]], minutesAgo: 1500 },
  {
    feature: 'analyst',
    model: ANALYST_MODEL,
    asked: 'Eleven quotes from October are still open. Which ones do I chase, and how?',
    answered: `Chase the four that were opened more than once: they are **$6,240 of the $8,910** outstanding. The other seven have not been read, so a reminder there is a first contact, not a nudge.

1. Answer the open question before you ask for a yes.
2. Name one date, not "soon".
3. Leave the seven for Thursday morning, in one short email.`,
    minutesAgo: 310,
  },
  {
    feature: 'content',
    model: DEFAULT_MODEL,
    asked: 'Email about: Welcome a new client',
    answered:
      'Subject: Welcome, and what happens next\n\nHello,\n\nI am glad that you chose us. This week I will send you a short list of questions, and on Friday we look at the answers together. Reply to this email whenever something is unclear.',
    minutesAgo: 64,
  },
] as const

/** In the order of the columns: how long the first word took, the whole answer, and its tokens. */
const lanes: [model: string, firstMs: number, ms: number, tokens: number, microusd: number, content: string][] = [
  ['gpt-4o-mini', 410, 1840, 78, 49, recordings[LAB_QUESTION]],
  [
    'claude',
    520,
    2260,
    86,
    1347,
    'Say who it is for before what it does. Put the plan you want chosen in the middle and give the reason in five words.',
  ],
  [
    'gemini-1.5-flash',
    300,
    1210,
    61,
    158,
    'Three facts, above the fold: how long the set-up takes, what a month costs, what happens on day four of the trial.',
  ],
  ['perplexity', 780, 2720, 74, 92, 'Put the number beside the button, and the limit that it buys beside the number.'],
]

const used = [
  { feature: 'chat', model: DEFAULT_MODEL, answers: 9 },
  { feature: 'analyst', model: ANALYST_MODEL, answers: 5 },
  { feature: 'content', model: DEFAULT_MODEL, answers: 6 },
  { feature: 'lab', model: 'claude', answers: 4 },
]

/** The conversations, the comparison and the use of a visitor's demo. */
export async function seedDemo(trx: Trx, { user_id, at, payload }: Envelope<Payload<typeof demoCreated>>): Promise<void> {
  if (!user_id || payload.portal !== 'seller') return
  const ago = (minutes: number) => new Date(Date.parse(at) - minutes * MINUTE_MS)
  for (const talk of talks) await seedTalk(trx, user_id, talk, ago(talk.minutesAgo))
  await trx
    .insertInto('ai_comparisons')
    .values({ id: newId(), user_id, prompt: LAB_QUESTION, lanes: JSON.stringify(lanes.map(laneOf)), vote: 1, created_at: ago(26) })
    .execute()
  const answers = used.flatMap(({ answers: count, ...which }) => Array.from({ length: count }, () => which))
  const began = demoTrialBegan(payload.ends_at)
  await trx
    .insertInto('ai_usage')
    .values(
      answers.map((which, index) => ({
        id: newId(),
        user_id,
        key_id: null,
        ...which,
        answered_by: RECORDED,
        status: 'completed' as const,
        prompt_tokens: 120,
        completion_tokens: 180,
        counted: false,
        cost_microusd: 0,
        duration_ms: 1400 + index * 40,
        created_at: new Date(began.getTime() + (index + 1) * 60 * MINUTE_MS),
      })),
    )
    .execute()
  await trx
    .insertInto('usage_counters')
    .values({ user_id, unit: 'prompts', period_start: began, used: demoPrompts })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

type Talk = (typeof talks)[number]
async function seedTalk(trx: Trx, user_id: string, { feature, model, asked, answered }: Talk, created_at: Date): Promise<void> {
  const [conversation_id, askedId, answerId] = [newId(), newId(), newId()]
  const times = { created_at, updated_at: created_at }
  await trx
    .insertInto('ai_conversations')
    .values({ id: conversation_id, user_id, title: asked.slice(0, 80), feature, model, tip_id: answerId, ...times })
    .execute()
  const line = {
    conversation_id,
    user_id,
    state: 'complete' as const,
    prompt_tokens: null,
    completion_tokens: null,
    cost_microusd: null,
    ...times,
  }
  await trx
    .insertInto('ai_messages')
    .values([
      { ...line, id: askedId, after_id: conversation_id, role: 'user', content: asked, model: null, answered_by: null },
      { ...line, id: answerId, after_id: askedId, role: 'assistant', content: answered, model, answered_by: RECORDED },
    ])
    .execute()
}

const laneOf = ([model, first_ms, ms, completion_tokens, cost_microusd, content]: (typeof lanes)[number]): Lane => ({
  model,
  answered_by: RECORDED,
  sandbox: false,
  content,
  state: 'complete',
  first_ms,
  ms,
  prompt_tokens: 18,
  completion_tokens,
  cost_microusd,
  error: null,
})
