import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { accountHeader, type Faults, parseFault } from '../core/faults.ts'
import type { State } from '../core/state.ts'
import type { Truth } from '../core/truth.ts'
import { readBody } from '../core/wire.ts'
import { DRAWN, imageServer } from '../images/server.ts'
import { speechServer } from '../speech/server.ts'
import { answer, type ChatBody } from './answer.ts'
import { benchAnswer, benchChunks } from './bench.ts'
import { complete } from './complete.ts'
import { embed } from './embed.ts'
import { refusalOf, unknownParameters, wrongParameter } from './parameters.ts'
import { models, providerOf } from './registry.ts'
import { type Call, fail, reply } from './replies.ts'
import { promptTokens, tokensOf } from './tokens.ts'

type Options = { faults: Faults; truth: Truth; state: State; pace: number; seed: string; onError: (error: unknown) => void }

/** OpenAI's wire format for every provider, told apart by the path: /openai/v1, /anthropic/v1, /google/v1beta/openai, /perplexity. Images and speech have wires of their own. */
export function modelServer(options: Options): Server {
  let made = 0
  const epoch = Date.now().toString(36)
  const images = imageServer(options)
  const speech = speechServer(options)
  const server = createServer(async (request, response) => {
    try {
      const path = (request.url ?? '/').split('?')[0]!
      const provider = providerOf(path)
      if (!authorized(request)) return fail(response, 401, 'Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key')
      if (request.method === 'GET' && path.endsWith('/models')) return reply(response, { object: 'list', data: models })
      if (request.method === 'GET' && path.includes('/models/')) return oneModel(response, path)
      if (await images(request, response, path)) return
      if (await speech(request, response, path)) return
      if (request.method === 'POST' && path.endsWith('/embeddings'))
        return await embed(options, request, parse(await readBody(request)) as never, response)
      if (request.method !== 'POST' || !path.endsWith('/chat/completions')) {
        return fail(response, 404, `Invalid URL (${request.method} ${path})`, 'invalid_request_error', 'unknown_url')
      }
      const body = parse(await readBody(request))
      if (!body) return fail(response, 400, 'We could not parse the JSON body of your request.', 'invalid_request_error', null)
      if (!body.model) return fail(response, 400, 'you must provide a model parameter', 'invalid_request_error', null)
      if (!Array.isArray(body.messages) || body.messages.length === 0) {
        return fail(response, 400, "Invalid 'messages': empty array.", 'invalid_request_error', 'empty_array')
      }
      const unknown = unknownParameters(provider, body)
      if (unknown.length > 0) return reply(response, refusalOf(provider, unknown), 400)
      const wrong = wrongParameter(body)
      if (wrong) return fail(response, 400, wrong.message, 'invalid_request_error', wrong.code, wrong.param)
      made += 1
      await complete(
        options.truth,
        prepare(options, request, body, provider, `chatcmpl-${epoch}${made.toString(36).padStart(6, '0')}`),
        response,
      )
    } catch (error) {
      options.onError(error)
      if (!response.headersSent) fail(response, 500, 'The server had an error while processing your request.', 'server_error', null)
      else response.destroy()
    }
  })
  server.keepAliveTimeout = 60_000
  return server
}

const CLAIM = 'Done! I sent the email to all of your customers a minute ago.'

function prepare(options: Options, request: IncomingMessage, body: ChatBody, provider: string, id: string): Call {
  const [model = '', magic] = body.model.split('#')
  const header = request.headers['x-sandbox-fault']
  const accounts = () => [...accountHeader(request.headers), ...(body.user ? [body.user] : [])]
  const fault = magic
    ? parseFault('openai', magic)
    : options.faults.take('openai', `${request.method} ${request.url} ${model}`, accounts, header)
  const bench = /^bench-(\d+)x(\d+)$/.exec(model)
  const wantedChunks = Number(bench?.[1] ?? request.headers['x-sandbox-chunks'] ?? 0)
  const delayMs = Number(bench?.[2] ?? request.headers['x-sandbox-delay-ms'] ?? options.pace)
  const answered = bench ? benchAnswer(wantedChunks) : answer({ ...body, model }, provider, options.seed)
  const made = fault?.kind === 'claims_deed' ? { ...answered, text: CLAIM, tools: [], finish: 'stop' as const } : answered
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

/** Any key is good, save one that says it is not. */
function authorized(request: IncomingMessage) {
  const { authorization, 'x-api-key': anthropic, 'x-goog-api-key': google, 'xi-api-key': eleven } = request.headers
  // A picture that was drawn is open to whoever has its address, as at the provider.
  if (request.method === 'GET' && request.url?.startsWith(DRAWN)) return true
  const key =
    authorization?.replace(/^(?:Bearer|Key)\s+/i, '') ??
    (anthropic as string | undefined) ??
    (google as string | undefined) ??
    (eleven as string | undefined)
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
