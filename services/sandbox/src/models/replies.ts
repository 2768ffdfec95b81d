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
  const base = { id: call.id, object, created: call.created, model: call.body.model, system_fingerprint: 'fp_sandbox' }
  if (call.provider !== 'perplexity') return base
  return {
    ...base,
    citations: call.answer.citations,
    search_results: call.answer.citations.map((url) => ({ title: new URL(url).hostname, url, date: null })),
  }
}

export const usage = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
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

export const reply = (response: ServerResponse, body: unknown) => void response.writeHead(200, jsonType).end(JSON.stringify(body))
export const fail = (
  response: ServerResponse,
  status: number,
  message: string,
  type: string,
  code: string | null,
  param: string | null = null,
) => void response.writeHead(status, jsonType).end(JSON.stringify({ error: { message, type, param, code } }))
