import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { accountHeader, type Faults } from '../core/faults.ts'
import type { Truth } from '../core/truth.ts'
import { fail, ordered, reply } from './replies.ts'
import { tokensOf } from './tokens.ts'

const LONGEST = 8_192
const MOST = 2_048
const dimensionsOf: Record<string, number> = { 'text-embedding-3-small': 1536, 'text-embedding-3-large': 3072 }

type Asked = { model?: string; input?: unknown; encoding_format?: string; dimensions?: number; user?: string }

/** Vectors of the words of a text: texts that share words point the same way, and the same text always gets the same vector. */
export async function embed(
  { faults, truth }: { faults: Faults; truth: Truth },
  request: IncomingMessage,
  body: Asked | undefined,
  response: ServerResponse,
) {
  const refused = (message: string, param: string | null) => fail(response, 400, message, 'invalid_request_error', null, param)
  if (!body) return refused('We could not parse the JSON body of your request.', null)
  const model = body.model ?? ''
  const own = dimensionsOf[model] ?? 1536
  const fault = faults.take(
    'openai',
    `${request.method} ${request.url} ${model}`,
    () => accountHeader(request.headers),
    request.headers['x-sandbox-fault'],
  )
  if (fault?.kind === 'hung') return
  if (fault?.kind === 'slow_headers') await wait(fault.ms ?? 30_000)
  if (fault?.kind === 'reset_before') return void response.socket?.resetAndDestroy()
  if (fault?.kind === 'status') return ordered(response, fault)
  if (!model) return refused('you must provide a model parameter', null)
  const inputs = inputsOf(body.input)
  if (!inputs || inputs.length > MOST)
    return refused("'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.", null)
  const counts = inputs.map((input) => (typeof input === 'string' ? tokensOf(input).length : input.length))
  const long = counts.find((count) => count > LONGEST)
  if (long) return refused(`This model's maximum context length is ${LONGEST} tokens, however you requested ${long} tokens.`, null)
  const dimensions = body.dimensions ?? own
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > own)
    return refused(`Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${own}.`, 'dimensions')
  const prompt_tokens = counts.reduce((sum, count) => sum + count, 0)
  truth.logSoon('openai', 'embedding', { model, inputs: inputs.length, prompt_tokens, ...(fault ? { fault: fault.kind } : {}) })
  const vectors = inputs.map((input) => vectorOf(typeof input === 'string' ? wordsOf(input) : input.map(String), dimensions))
  reply(response, {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: body.encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector],
    })),
    model,
    usage: { prompt_tokens, total_tokens: prompt_tokens },
  })
}

type Input = string | number[]
const isTokens = (value: unknown): value is number[] => Array.isArray(value) && value.length > 0 && value.every(Number.isInteger)
function inputsOf(input: unknown): Input[] | null {
  if (typeof input === 'string') return input ? [input] : null
  if (isTokens(input)) return [input]
  if (!Array.isArray(input) || !input.length) return null
  return input.every((each) => (typeof each === 'string' && each !== '') || isTokens(each)) ? (input as Input[]) : null
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]

function vectorOf(words: string[], dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const word of words) {
    const digest = createHash('sha256').update(word).digest()
    for (let at = 0; at < 8; at++) vector[digest.readUInt32LE(at * 4) % dimensions]! += digest[31 - at]! & 1 ? 1 : -1
  }
  const length = Math.hypot(...vector)
  if (!length) vector[0] = 1
  else for (let at = 0; at < dimensions; at++) vector[at]! /= length
  return vector
}
