import type { Chat } from '@perplexity-ai/perplexity_ai'
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

/** Google publishes no list of what it takes of OpenAI's: these are the ones that its answers call unknown. */
const unknownToGoogle = ['seed', 'store', 'frequency_penalty', 'web_search_options', 'metadata', 'service_tier']

type TakenByPerplexity = Exclude<keyof Chat.CompletionCreateParams, `_${string}`>
/** Every parameter of Perplexity's own types, save its internal ones. */
const takenByPerplexity: Record<TakenByPerplexity, true> = {
  best_of: true,
  country: true,
  cum_logprobs: true,
  disable_search: true,
  diverse_first_token: true,
  enable_search_classifier: true,
  file_workspace_id: true,
  frequency_penalty: true,
  has_image_url: true,
  image_domain_filter: true,
  image_format_filter: true,
  language_preference: true,
  last_updated_after_filter: true,
  last_updated_before_filter: true,
  latitude: true,
  logprobs: true,
  longitude: true,
  max_tokens: true,
  messages: true,
  model: true,
  n: true,
  num_images: true,
  num_search_results: true,
  parallel_tool_calls: true,
  presence_penalty: true,
  ranking_model: true,
  reasoning_effort: true,
  response_format: true,
  response_formatting_locale: true,
  response_metadata: true,
  return_images: true,
  return_related_questions: true,
  safe_search: true,
  search_after_date_filter: true,
  search_before_date_filter: true,
  search_domain_filter: true,
  search_internal_properties: true,
  search_language_filter: true,
  search_mode: true,
  search_recency_filter: true,
  search_tenant: true,
  stop: true,
  stream: true,
  stream_mode: true,
  temperature: true,
  thread_id: true,
  tool_choice: true,
  tools: true,
  top_k: true,
  top_logprobs: true,
  top_p: true,
  updated_after_timestamp: true,
  updated_before_timestamp: true,
  use_threads: true,
  user_original_query: true,
  web_search_options: true,
}
const isKnown: Record<string, (name: string) => boolean> = {
  openai: (name) => Object.hasOwn(taken, name),
  google: (name) => name === 'extra_body' || (Object.hasOwn(taken, name) && !unknownToGoogle.includes(name)),
  // Perplexity does not document the others. They are refused here, so that nobody relies on them.
  perplexity: (name) => Object.hasOwn(takenByPerplexity, name),
  // "Most unsupported fields are silently ignored", says Anthropic of this wire.
  anthropic: () => true,
}

/** The parameters that a provider does not have. */
export const unknownParameters = (provider: string, body: object): string[] => Object.keys(body).filter((name) => !isKnown[provider]!(name))

/** A refusal of unknown parameters as each provider words it. */
export function refusalOf(provider: string, unknown: string[]): object {
  if (provider === 'google') {
    const fieldViolations = unknown.map((name) => ({
      description: `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`,
    }))
    const message = fieldViolations.map(({ description }) => description).join('\n')
    const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }]
    return [{ error: { code: 400, message, status: 'INVALID_ARGUMENT', details } }]
  }
  const message = `Unrecognized request argument supplied: ${unknown[0]}`
  if (provider === 'perplexity') return { error: { message, type: 'invalid_parameter', code: 400 } }
  return { error: { message, type: 'invalid_request_error', param: null, code: null } }
}

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
