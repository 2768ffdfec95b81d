import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type Fault, type Faults, parseFault } from '../core/faults.ts'
import type { Truth } from '../core/truth.ts'
import { readBody } from '../core/wire.ts'
import { type Answer, answer, type ChatBody } from './answer.ts'
import { wrongParameter } from './parameters.ts'
import { models, providerOf } from './registry.ts'
import { promptTokens, tokensOf } from './tokens.ts'

type Options = { faults: Faults; truth: Truth; pace: number; seed: string; onError: (error: unknown) => void }
type Call = {
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

/** OpenAI's wire format for every provider, told apart by the path: /openai/v1, /anthropic/v1, /google/v1beta/openai, /perplexity. */
export function modelServer(options: Options): Server {
  let made = 0
  const epoch = Date.now().toString(36)
  const server = createServer(async (request, response) => {
    try {
      const path = (request.url ?? '/').split('?')[0]!
      const provider = providerOf(path)
      if (!authorized(request)) return fail(response, 401, 'Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key')
      if (request.method === 'GET' && path.endsWith('/models')) return reply(response, { object: 'list', data: models })
      if (request.method === 'GET' && path.includes('/models/')) return oneModel(response, path)
      if (request.method !== 'POST' || !path.endsWith('/chat/completions')) {
        return fail(response, 404, `Invalid URL (${request.method} ${path})`, 'invalid_request_error', 'unknown_url')
      }
      const body = parse(await readBody(request))
      if (!body) return fail(response, 400, 'We could not parse the JSON body of your request.', 'invalid_request_error', null)
      if (!body.model) return fail(response, 400, 'you must provide a model parameter', 'invalid_request_error', null)
      if (!Array.isArray(body.messages) || body.messages.length === 0) {
        return fail(response, 400, "Invalid 'messages': empty array.", 'invalid_request_error', 'empty_array')
      }
      const wrong = wrongParameter(body)
      if (wrong) return fail(response, 400, wrong.message, 'invalid_request_error', wrong.code, wrong.param)
      made += 1
      await complete(options, prepare(options, request, body, provider, `chatcmpl-${epoch}${made.toString(36).padStart(6, '0')}`), response)
    } catch (error) {
      options.onError(error)
      if (!response.headersSent) fail(response, 500, 'The server had an error while processing your request.', 'server_error', null)
      else response.destroy()
    }
  })
  server.keepAliveTimeout = 60_000
  return server
}

function prepare(options: Options, request: IncomingMessage, body: ChatBody, provider: string, id: string): Call {
  const [model = '', magic] = body.model.split('#')
  const header = request.headers['x-sandbox-fault']
  const fault = magic ? parseFault('openai', magic) : options.faults.take('openai', `${request.method} ${request.url} ${model}`, header)
  const bench = /^bench-(\d+)x(\d+)$/.exec(model)
  const wantedChunks = Number(bench?.[1] ?? request.headers['x-sandbox-chunks'] ?? 0)
  const delayMs = Number(bench?.[2] ?? request.headers['x-sandbox-delay-ms'] ?? options.pace)
  const made = bench ? benchAnswer(wantedChunks) : answer({ ...body, model }, provider, options.seed)
  return {
    id,
    created: Math.floor(Date.now() / 1000),
    provider,
    body: { ...body, model },
    answer: made,
    prompt: promptTokens(body),
    fault,
    chunks: bench ? benchChunks(wantedChunks) : cut(made.text, wantedChunks),
    delayMs,
    requestId: request.headers['x-request-id'] as string | undefined,
  }
}

async function complete({ truth }: Options, call: Call, response: ServerResponse): Promise<void> {
  const { fault } = call
  const record = (completion: number, finished: boolean) =>
    truth.logSoon('openai', 'completion', {
      id: call.id,
      upstream: call.provider,
      model: call.body.model,
      stream: call.body.stream === true,
      prompt_tokens: call.prompt,
      completion_tokens: completion,
      finished,
      ...(call.body.user ? { user: call.body.user } : {}),
      ...(call.requestId ? { request_id: call.requestId } : {}),
      ...(fault ? { fault: fault.kind } : {}),
    })
  if (fault?.kind === 'slow_headers') await wait(fault.ms ?? 30_000)
  if (fault?.kind === 'hung') return
  if (fault?.kind === 'reset_before') return void response.socket?.resetAndDestroy()
  if (fault?.kind === 'status') return ordered(response, fault)
  if (fault?.kind === 'wrong_content_type') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Just a moment...</body></html>')
    return
  }
  if (response.destroyed) return
  if (call.body.stream) await stream(call, response, record)
  else await whole(call, response, record)
}

async function whole(call: Call, response: ServerResponse, record: (tokens: number, finished: boolean) => void): Promise<void> {
  const { answer, fault } = call
  const tokens = call.chunks.reduce((sum, chunk) => sum + chunk.tokens, 0) + toolTokens(answer)
  if (call.delayMs > 0) await wait(Math.min(call.delayMs * call.chunks.length, 4000))
  if (response.destroyed) return record(0, false)
  const message = {
    role: 'assistant',
    content: answer.tools.length > 0 ? null : answer.text,
    refusal: null,
    ...(answer.tools.length > 0 ? { tool_calls: answer.tools } : {}),
  }
  const body = JSON.stringify({
    ...envelope(call, 'chat.completion'),
    choices: fault?.kind === 'empty_choices' ? [] : [{ index: 0, message, logprobs: null, finish_reason: answer.finish }],
    usage: usage(call.prompt, tokens),
  })
  record(tokens, true)
  if (fault?.kind === 'malformed_event') return void response.writeHead(200, jsonType).end(body.slice(0, -20))
  if (fault?.kind === 'truncate' || fault?.kind === 'reset_after') {
    response.writeHead(200, { ...jsonType, 'content-length': Buffer.byteLength(body) })
    response.write(body.slice(0, body.length >> 1), () => response.socket?.resetAndDestroy())
    return
  }
  response.writeHead(200, jsonType)
  if (fault?.kind === 'slow_body') {
    response.write(body.slice(0, 10))
    await wait(fault.ms ?? 30_000)
    response.end(body.slice(10))
    return
  }
  response.end(body)
}

async function stream(call: Call, response: ServerResponse, record: (tokens: number, finished: boolean) => void): Promise<void> {
  const { answer, fault, chunks, delayMs } = call
  if (!fault && delayMs === 0 && call.body.model.startsWith('bench-')) {
    record(chunks.length, true)
    return void response.writeHead(200, streamType).end(benchStream(call))
  }
  const head = `data: ${JSON.stringify(envelope(call, 'chat.completion.chunk')).slice(0, -1)},"choices":[`
  // OpenAI sends `usage: null` with every other chunk when usage was asked for.
  const tail = call.body.stream_options?.include_usage ? '],"usage":null}\n\n' : ']}\n\n'
  const event = (delta: string, finish: string | null = null) =>
    `${head}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish ? `"${finish}"` : 'null'}}${tail}`
  response.writeHead(200, streamType)
  if (fault?.kind === 'empty_choices') {
    record(0, true)
    return void response.end(`${head}${tail}data: [DONE]\n\n`)
  }
  const stopAt =
    fault && ['truncate', 'reset_after', 'malformed_event', 'slow_body'].includes(fault.kind) ? Math.ceil(chunks.length / 2) : -1
  let sent = 0
  let pending = event(answer.tools.length > 0 ? '{"role":"assistant","content":null}' : '{"role":"assistant","content":"","refusal":null}')
  for (const [index, chunk] of chunks.entries()) {
    if (index === stopAt) {
      if (fault!.kind === 'slow_body') {
        response.write(pending)
        pending = ''
        await wait(fault!.ms ?? 30_000)
      } else return breakOff(fault!, response, pending, () => record(sent, false))
    }
    if (delayMs > 0) {
      response.write(pending)
      pending = ''
      await wait(delayMs)
    }
    if (response.destroyed) return record(sent, false)
    pending += event(`{"content":${JSON.stringify(chunk.text)}}`)
    sent += chunk.tokens
    // A reader that is slow holds the model up, as it does on a real connection.
    if (pending.length > 32_768) {
      const room = response.write(pending)
      pending = ''
      if (!room && !(await drained(response))) return record(sent, false)
    }
  }
  for (const [index, tool] of answer.tools.entries()) {
    pending += event(
      JSON.stringify({ tool_calls: [{ index, id: tool.id, type: 'function', function: { name: tool.function.name, arguments: '' } }] }),
    )
    for (const piece of tool.function.arguments.match(/[\s\S]{1,24}/g) ?? []) {
      pending += event(JSON.stringify({ tool_calls: [{ index, function: { arguments: piece } }] }))
    }
    sent += toolTokens({ tools: [tool] })
  }
  if (response.destroyed) return record(sent, false)
  record(sent, true)
  if (fault?.kind === 'missing_end') return void response.end(pending)
  pending += event('{}', answer.finish)
  if (call.body.stream_options?.include_usage) pending += `${head}],"usage":${JSON.stringify(usage(call.prompt, sent))}}\n\n`
  response.end(`${pending}data: [DONE]\n\n`)
}

function breakOff(fault: Fault, response: ServerResponse, pending: string, record: () => void): void {
  record()
  if (fault.kind === 'truncate') return void response.end(pending)
  if (fault.kind === 'malformed_event') return void response.end(`${pending}data: {"id":"chatcmpl-x","choices":[{"index":0,"del\n\n`)
  response.write(pending, () => response.socket?.resetAndDestroy())
}

function drained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (room: boolean) => () => {
      response.off('drain', onDrain).off('close', onClose)
      resolve(room)
    }
    const onDrain = settle(true)
    const onClose = settle(false)
    response.on('drain', onDrain).on('close', onClose)
  })
}

const benchStreams = new Map<string, Buffer>()
/** The whole stream as bytes, made once: under load the stand-in must not be what is measured. */
function benchStream(call: Call): Buffer {
  const withUsage = call.body.stream_options?.include_usage === true
  const key = `${call.provider} ${call.body.model} ${withUsage ? call.prompt : ''}`
  const known = benchStreams.get(key)
  if (known) return known
  const fixed = JSON.stringify({ ...envelope(call, 'chat.completion.chunk'), id: 'chatcmpl-bench' }).slice(0, -1)
  const tail = withUsage ? '],"usage":null}\n\n' : ']}\n\n'
  const event = (delta: object, finish: string | null = null) =>
    `data: ${fixed},"choices":[${JSON.stringify({ index: 0, delta, logprobs: null, finish_reason: finish })}${tail}`
  const last = withUsage ? `data: ${fixed},"choices":[],"usage":${JSON.stringify(usage(call.prompt, call.chunks.length))}}\n\n` : ''
  const middle = call.chunks.map((chunk) => event({ content: chunk.text })).join('')
  const made = Buffer.from(
    `${event({ role: 'assistant', content: '', refusal: null })}${middle}${event({}, 'stop')}${last}data: [DONE]\n\n`,
  )
  if (benchStreams.size < 200) benchStreams.set(key, made)
  return made
}

const streamType = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', 'x-sandbox': '1' }
const jsonType = { 'content-type': 'application/json', 'x-sandbox': '1' }

function envelope(call: Call, object: string) {
  const base = { id: call.id, object, created: call.created, model: call.body.model, system_fingerprint: 'fp_sandbox' }
  if (call.provider !== 'perplexity') return base
  return {
    ...base,
    citations: call.answer.citations,
    search_results: call.answer.citations.map((url) => ({ title: new URL(url).hostname, url, date: null })),
  }
}

const usage = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
})

const toolTokens = ({ tools }: Pick<Answer, 'tools'>) =>
  tools.reduce((sum, tool) => sum + 8 + tokensOf(tool.function.name + tool.function.arguments).length, 0)

/** About four words a chunk, or as many chunks as were asked for. */
function cut(text: string, wanted: number): Call['chunks'] {
  const tokens = tokensOf(text)
  const size = wanted > 0 ? Math.max(1, Math.ceil(tokens.length / wanted)) : 5
  const chunks: Call['chunks'] = []
  for (let at = 0; at < tokens.length; at += size) {
    const part = tokens.slice(at, at + size)
    chunks.push({ text: part.join(''), tokens: part.length })
  }
  return chunks
}

const benchSizes = new Map<number, Call['chunks']>()
function benchChunks(count: number): Call['chunks'] {
  const known = benchSizes.get(count)
  if (known) return known
  const made = Array.from({ length: count }, (_, index) => ({ text: ` token${index % 10}`, tokens: 1 }))
  benchSizes.set(count, made)
  return made
}
const benchAnswers = new Map<number, Answer>()
function benchAnswer(count: number): Answer {
  const known = benchAnswers.get(count)
  if (known) return known
  const made: Answer = {
    text: benchChunks(count)
      .map((chunk) => chunk.text)
      .join(''),
    tools: [],
    finish: 'stop',
    citations: [],
  }
  benchAnswers.set(count, made)
  return made
}

/** Any key is good, save one that says it is not. */
function authorized(request: IncomingMessage) {
  const key = request.headers.authorization?.replace(/^Bearer\s+/i, '') ?? (request.headers['x-api-key'] as string | undefined)
  return Boolean(key) && !key!.includes('invalid')
}

function parse(body: Buffer): ChatBody | undefined {
  try {
    return JSON.parse(body.toString('utf8')) as ChatBody
  } catch {
    return undefined
  }
}

function oneModel(response: ServerResponse, path: string) {
  const id = decodeURIComponent(path.split('/models/')[1]!)
  const model = models.find((each) => each.id === id)
  if (model) return reply(response, model)
  return fail(response, 404, `The model '${id}' does not exist`, 'invalid_request_error', 'model_not_found')
}

function ordered(response: ServerResponse, fault: Fault) {
  const status = fault.status ?? 500
  if (fault.retry_after !== undefined) response.setHeader('retry-after', String(fault.retry_after))
  const type = status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error'
  fail(response, status, 'Ordered by the sandbox.', type, status === 429 ? 'rate_limit_exceeded' : null)
}

const reply = (response: ServerResponse, body: unknown) => void response.writeHead(200, jsonType).end(JSON.stringify(body))
const fail = (response: ServerResponse, status: number, message: string, type: string, code: string | null, param: string | null = null) =>
  void response.writeHead(status, jsonType).end(JSON.stringify({ error: { message, type, param, code } }))
