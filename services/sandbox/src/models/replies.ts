import type { ServerResponse } from 'node:http'
import type { Fault } from '../core/faults.ts'
import type { Answer, ChatBody } from './answer.ts'
import { tokensOf } from './tokens.ts'

/** One question to a model, with what it will be answered. */
export type Call = {
  id: string
  created: number
  provider: string
  body: ChatBody
  answer: Answer
  prompt: number
  fault: Fault | undefined
  /** Content cut into the chunks that will be sent, with the tokens in each. */
  chunks: { text: string; tokens: number }[]
  delayMs: number
  requestId: string | undefined
}

export const streamType = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', 'x-sandbox': '1' }
export const jsonType = { 'content-type': 'application/json', 'x-sandbox': '1' }

export function envelope(call: Call, object: string) {
  const base = { id: call.id, object, created: call.created, model: call.body.model }
  if (call.provider !== 'perplexity') return { ...base, system_fingerprint: 'fp_sandbox' }
  return {
    ...base,
    citations: call.answer.citations,
    search_results: call.answer.citations.map((url) => ({ title: new URL(url).hostname, url, date: null })),
  }
}

const counted = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
})
/** Perplexity tells what a call costs as well: sonar's prices, in dollars. */
const priced = (prompt: number, completion: number) => {
  const cost = { input_tokens_cost: prompt / 1e6, output_tokens_cost: completion / 1e6, request_cost: 0.005 }
  const total_cost = cost.input_tokens_cost + cost.output_tokens_cost + cost.request_cost
  return { ...counted(prompt, completion), search_context_size: 'low', cost: { ...cost, total_cost } }
}

export const usage = (provider: string, prompt: number, completion: number) =>
  provider === 'perplexity' ? priced(prompt, completion) : detailed(prompt, completion)
const detailed = (prompt: number, completion: number) => ({
  ...counted(prompt, completion),
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
})

export const toolTokens = ({ tools }: Pick<Answer, 'tools'>) =>
  tools.reduce((sum, tool) => sum + 8 + tokensOf(tool.function.name + tool.function.arguments).length, 0)

export function ordered(response: ServerResponse, fault: Fault) {
  const status = fault.status ?? 500
  if (fault.retry_after !== undefined) response.setHeader('retry-after', String(fault.retry_after))
  const type = status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error'
  fail(response, status, 'Ordered by the sandbox.', type, status === 429 ? 'rate_limit_exceeded' : null)
}

export const reply = (response: ServerResponse, body: unknown, status = 200) =>
  void response.writeHead(status, jsonType).end(JSON.stringify(body))
export const fail = (
  response: ServerResponse,
  status: number,
  message: string,
  type: string,
  code: string | null,
  param: string | null = null,
) => reply(response, { error: { message, type, param, code } }, status)
