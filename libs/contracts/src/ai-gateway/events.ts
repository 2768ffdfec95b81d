import { z } from 'zod'
import { event, job, personal, plain, request } from '../contract.ts'
import { answerPage } from './pages.ts'

const MAX_COMMAND = 200

export const completionFinished = event(
  'ai-gateway.completion_finished',
  z.object({
    feature: plain(z.string()),
    /** The line in the activity log; absent where another line covers it, as for the answers of a comparison. */
    command: personal(z.string()),
    model: plain(z.string()),
    answered_by: plain(z.string()),
    status: z.enum(['completed', 'cut', 'failed', 'stopped']),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    cost_microusd: z.int(),
    duration_ms: z.int(),
    /** Where it is kept; absent from the version before. */
    conversation_id: z.uuid().nullish(),
  }),
  {
    trigger: { title: 'An AI answer finished', description: 'With the model, its tokens, its cost and how it ended.' },
    activity: ({ command, status }) => (command ? { command: command.slice(0, MAX_COMMAND), status } : null),
    link: ({ feature, conversation_id }) => answerPage(feature, conversation_id),
  },
)
/** Several models were asked the same; each of their answers was told as well. */
export const comparisonFinished = event(
  'ai-gateway.comparison_finished',
  z.object({
    comparison_id: z.uuid(),
    command: personal(z.string()),
    models: z.array(plain(z.string())),
    status: z.enum(['completed', 'cut', 'failed', 'stopped']),
  }),
  {
    trigger: { title: 'A comparison finished', description: 'With the models that were asked and how it ended.' },
    activity: ({ command, models, status }) => ({ command: `${command.slice(0, MAX_COMMAND)}\n${models.join(', ')}`, status }),
    link: ({ comparison_id }) => `/dashboard/ai-lab?comparison=${comparison_id}`,
  },
)
/** An answer may run in any instance; the one that has it ends it. */
export const stopAnswer = event('ai-gateway.stop_answer', z.object({ user_id: z.uuid(), id: z.uuid(), lane: z.int().nullable() }), {
  delivery: 'broadcast',
})
/** From an instance of the version before, which still revokes keys by itself. */
export const keyRevoked = event('ai-gateway.key_revoked', z.object({ key_id: z.uuid() }), { delivery: 'broadcast' })
/** Gives identity the keys that were made here before. */
export const handOverKeys = job('ai-gateway.hand_over_keys', z.object({}))
/** Settles what died without an answer. */
export const sweep = job('ai-gateway.sweep', z.object({}))
/** Takes what is older than each person's plan keeps. */
export const forgetHistory = job('ai-gateway.forget_history', z.object({}))

/** Counts so many calls against the monthly limit of the key that the actor came with: other services that answer keys ask this. */
export const spendKeyRequest = request(
  'ai-gateway.spend_key',
  z.object({ calls: z.int().min(1).max(10) }),
  z.object({ spent: z.literal(true) }),
)
