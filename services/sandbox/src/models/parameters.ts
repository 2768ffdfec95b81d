import type OpenAI from 'openai'
import type { ChatBody } from './answer.ts'

type Taken = keyof OpenAI.ChatCompletionCreateParamsNonStreaming
/** Every parameter that OpenAI's own types have, so that a new version of them is seen here. */
const taken: Record<Taken, true> = {
  messages: true,
  model: true,
  audio: true,
  frequency_penalty: true,
  function_call: true,
  functions: true,
  logit_bias: true,
  logprobs: true,
  max_completion_tokens: true,
  max_tokens: true,
  metadata: true,
  modalities: true,
  moderation: true,
  n: true,
  parallel_tool_calls: true,
  prediction: true,
  presence_penalty: true,
  prompt_cache_key: true,
  prompt_cache_options: true,
  prompt_cache_retention: true,
  reasoning_effort: true,
  response_format: true,
  safety_identifier: true,
  seed: true,
  service_tier: true,
  stop: true,
  store: true,
  stream: true,
  stream_options: true,
  temperature: true,
  tool_choice: true,
  tools: true,
  top_logprobs: true,
  top_p: true,
  user: true,
  verbosity: true,
  web_search_options: true,
}

type Range = [param: string, least: number, most: number]
const ranges: Range[] = [
  ['temperature', 0, 2],
  ['top_p', 0, 1],
  ['presence_penalty', -2, 2],
  ['frequency_penalty', -2, 2],
  ['top_logprobs', 0, 20],
]

/** The first parameter that OpenAI does not have, in its words. Others that speak its format have more. */
export const unknownParameter = (body: object): string | undefined => Object.keys(body).find((name) => !(name in taken))

/** The first parameter out of its range, in OpenAI's words. */
export function wrongParameter(body: ChatBody): { param: string; message: string; code: string } | null {
  for (const [param, least, most] of ranges) {
    const value = (body as unknown as Record<string, unknown>)[param]
    if (value === undefined || value === null) continue
    if (typeof value !== 'number')
      return { param, message: `Invalid type for '${param}': expected a decimal, but got a ${typeof value} instead.`, code: 'invalid_type' }
    if (value < least)
      return {
        param,
        message: `Invalid '${param}': decimal below minimum value. Expected a value >= ${least}, but got ${value} instead.`,
        code: 'decimal_below_min_value',
      }
    if (value > most)
      return {
        param,
        message: `Invalid '${param}': decimal above maximum value. Expected a value <= ${most}, but got ${value} instead.`,
        code: 'decimal_above_max_value',
      }
  }
  return null
}
