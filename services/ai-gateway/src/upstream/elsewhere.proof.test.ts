import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readEnv } from '@operon/kit/config'
import { startTestPlatform, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Config } from '../config.ts'
import { chainOf } from '../registry/models.ts'
import { aiGatewayService } from '../service.ts'
import { openUpstream } from './open.ts'
import { Providers } from './providers.ts'

// No sandbox runs here: with one OpenAI-compatible server, its key and its address, everything asks that server and nobody else.

const KEY = 'sk-local-0123'
type Asked = { key: string | undefined; path: string | undefined; body: any }
const asked: Asked[] = []
const server = createServer(async (request, response) => {
  const body = JSON.parse(await textOf(request))
  asked.push({ key: request.headers.authorization, path: request.url, body })
  if (request.headers.authorization !== `Bearer ${KEY}`) return void response.writeHead(401).end('{"error":{"message":"no such key"}}')
  answerLikeAnyServer(body, response)
})
let address: string
let platform: TestPlatform
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  platform = await startTestPlatform([aiGatewayService], {
    AI_BASE_URL: `http://${address}/v1`,
    AI_API_KEY: KEY,
    AI_MODEL: 'qwen3:8b',
    AI_MODEL_USD_PER_MTOK: '1,2',
  })
})
afterAll(async () => {
  await platform?.close()
  server.closeAllConnections()
  server.close()
})

const post = (from: TestPlatform, user: TestUser, name: string, body: object) =>
  fetch(`${from.url('ai-gateway')}/functions/v1/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...user.headers },
    body: JSON.stringify(body),
  })
const json = async (response: Response) => ({ status: response.status, body: (await response.json()) as any })

describe('one OpenAI-compatible server with a key', () => {
  test('every alias is answered by it, under its model name and with its key', async () => {
    const user = platform.user()
    for (const model of ['gpt-4o-mini', 'claude', 'gemini-1.5-flash', 'perplexity', 'gpt-5-2025-08-07']) {
      const { status, body } = await json(await post(platform, user, 'ai-chat', { prompt: 'hello', model }))
      expect(status).toBe(200)
      expect(body).toMatchObject({ content: 'You said: hello', answered_by: 'qwen3:8b', sandbox: false })
      expect(body.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 3, cost_microusd: 13 })
      expect(asked.at(-1)).toMatchObject({ key: `Bearer ${KEY}`, path: '/v1/chat/completions', body: { model: 'qwen3:8b', stream: true } })
    }
    await vi.waitFor(async () => expect((await json(await post(platform, user, 'ai-usage', {}))).body.used).toBe(5), 10_000)
    const models = await json(await fetch(`${platform.url('ai-gateway')}/ai/v1/models`, { headers: user.headers }))
    // Texts as numbers have models of their own.
    for (const model of models.body.data.filter(({ id }: { id: string }) => !id.includes('embedding')))
      expect(model).toMatchObject({ answered_by: 'qwen3:8b', input_microusd_per_mtok: 1_000_000, sandbox: false })
  })

  test('every parameter that is passed reaches it as it was given, and the length of an answer as the one that any server knows', async () => {
    const given = {
      frequency_penalty: 0.5,
      logit_bias: { 50256: -100 },
      logprobs: true,
      top_logprobs: 2,
      modalities: ['text'],
      n: 1,
      parallel_tool_calls: false,
      presence_penalty: 0.5,
      prompt_cache_key: 'k',
      reasoning_effort: 'low',
      response_format: { type: 'text' },
      safety_identifier: 's',
      seed: 7,
      service_tier: 'auto',
      stop: ['\n'],
      store: false,
      temperature: 0.2,
      top_p: 0.9,
      tool_choice: 'none',
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      user: 'u',
      verbosity: 'low',
    }
    const messages = [{ role: 'user', content: 'hello' }]
    const sent = { model: 'gpt-4o-mini', messages, stream: true, stream_options: { include_obfuscation: false }, ...given }
    const asks = { ...sent, max_completion_tokens: 50, max_tokens: 80 }
    const answer = await fetch(`${platform.url('ai-gateway')}/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...platform.user().headers },
      body: JSON.stringify(asks),
    })
    expect(answer.status).toBe(200)
    await answer.text()
    const stream_options = { include_obfuscation: false, include_usage: true }
    expect(asked.at(-1)!.body).toEqual({ ...sent, max_tokens: 50, model: 'qwen3:8b', stream_options })
  })

  test('an answer is bounded by the plan, whatever length was asked for', async () => {
    const user = platform.user()
    for (const [asked_, most] of [
      [undefined, 2500],
      [100, 100],
      [30_000, 2500],
    ] as const) {
      await post(platform, user, 'ai-chat', { prompt: 'hello', ...(asked_ && { max_tokens: asked_ }) })
      expect(asked.at(-1)!.body).toMatchObject({ max_tokens: most })
    }
  })

  test('the comparison, the analyst with its tools and the ads work with it', async () => {
    const user = platform.user()
    const compared = await (await post(platform, user, 'ai-compare', { prompt: 'hello', models: ['gpt-4o-mini', 'claude'] })).text()
    expect(compared).toContain('"answered":2')
    const lab = { path: '/dashboard/ai-lab', name: 'AI Assistant Lab' }
    const analyst = await json(
      await post(platform, user, 'ai-orchestrator', { message: 'Open the lab', task_type: 'action', pages: [lab] }),
    )
    expect(analyst.body).toMatchObject({
      model_used: 'qwen3:8b',
      sandbox: false,
      open: lab,
    })
    const ads = await json(await post(platform, user, 'generate-ads', { details: 'Candles' }))
    expect(ads.body).toMatchObject({ sample: false, sandbox: false, answered_by: 'qwen3:8b' })
  })

  test('what a server says beside the words reaches a program: log probabilities and details of its count', async () => {
    const answer = await fetch(`${platform.url('ai-gateway')}/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...platform.user().headers },
      body: JSON.stringify({ model: 'gpt-4o-mini', logprobs: true, messages: [{ role: 'user', content: 'hello' }] }),
    })
    expect((await json(answer)).body).toMatchObject({
      choices: [
        { message: { content: 'You said: hello' }, logprobs: { content: [{ token: 'You said' }, { token: ': ' }, { token: 'hello' }] } },
      ],
      usage: { prompt_tokens: 7, completion_tokens_details: { reasoning_tokens: 2 } },
    })
  })

  test('an answer that begins with no JSON is asked for once more, and costs one prompt', async () => {
    const user = platform.user()
    const { status, body } = await json(await post(platform, user, 'ai-chat', { prompt: 'stumble at first' }))
    expect([status, body.content]).toEqual([200, 'You said: stumble at first'])
    expect(asked.filter(({ body }) => body.messages.at(-1).content === 'stumble at first')).toHaveLength(2)
    await vi.waitFor(async () => expect((await json(await post(platform, user, 'ai-usage', {}))).body.used).toBe(1), 10_000)
  })

  test('a refusal by the server is told in our words, and its own are for whoever programs against the protocol', async () => {
    const user = platform.user()
    const refused = await json(await post(platform, user, 'ai-chat', { prompt: 'refuse this' }))
    expect([refused.status, refused.body.code]).toEqual([400, 'model_refused'])
    expect(JSON.stringify(refused.body)).not.toContain('context_length_exceeded')
    const program = await fetch(`${platform.url('ai-gateway')}/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...user.headers },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'refuse this' }] }),
    })
    expect((await json(program)).body.error.message).toContain('context_length_exceeded')
    expect((await json(await post(platform, user, 'ai-usage', {}))).body.used).toBe(0)
  })
})

test('a server that says nothing but that it lives is given up, and what it cost is charged without a prompt', async () => {
  const times = { AI_IDLE_MS: '500', AI_BEGIN_MS: '2500' }
  const elsewhere = await startTestPlatform([aiGatewayService], { ...times, AI_BASE_URL: `http://${address}/v1`, AI_API_KEY: KEY })
  try {
    const user = elsewhere.user()
    const startedAt = performance.now()
    const { status, body } = await json(await post(elsewhere, user, 'ai-chat', { prompt: 'hang on' }))
    expect([status, body.code]).toEqual([503, 'model_unavailable'])
    expect(performance.now() - startedAt).toBeLessThan(8000)
    await vi.waitFor(async () => {
      const { body } = await json(await post(elsewhere, user, 'ai-usage', {}))
      expect(body).toMatchObject({ used: 0, cost_microusd: expect.any(Number) })
      expect(body.cost_microusd).toBeGreaterThan(0)
    }, 10_000)
    const cut = await json(await post(elsewhere, user, 'ai-chat', { prompt: 'begin and hang' }))
    expect([cut.status, cut.body.code, cut.body.details.content]).toEqual([502, 'answer_cut', 'You said'])
  } finally {
    await elsewhere.close()
  }
}, 30_000)

test('an answer that goes on without end is cut when its time is over, and what was said stays', async () => {
  const times = { AI_ANSWER_MS: '1500', AI_BASE_URL: `http://${address}/v1`, AI_API_KEY: KEY }
  const elsewhere = await startTestPlatform([aiGatewayService], times)
  try {
    const { status, body } = await json(await post(elsewhere, elsewhere.user(), 'ai-chat', { prompt: 'talk without end' }))
    expect([status, body.code, body.details.content]).toEqual([502, 'answer_cut', expect.stringMatching(/^You said( more)+$/)])
  } finally {
    await elsewhere.close()
  }
})

test('a model whose price nobody has told is priced as the dearest', async () => {
  const elsewhere = await startTestPlatform([aiGatewayService], { AI_BASE_URL: `http://${address}/v1`, AI_API_KEY: KEY, AI_MODEL: 'own' })
  try {
    const { body } = await json(await post(elsewhere, elsewhere.user(), 'ai-chat', { prompt: 'hello' }))
    expect(body.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 3, cost_microusd: Math.ceil(7 * 2.5 + 3 * 15) })
  } finally {
    await elsewhere.close()
  }
})

test.each([
  [{ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, 'OPENAI_API_KEY: is needed with OPENAI_BASE_URL'],
  [{ AI_API_KEY: KEY, AI_MODEL: 'qwen3:8b' }, 'AI_BASE_URL: is needed with AI_API_KEY\nAI_BASE_URL: is needed with AI_MODEL'],
])('half of a pair is refused at the start, never answered by the sandbox: %o', (env, says) => {
  expect(() => readEnv(Config, env)).toThrow(says)
})

test.each([
  ['a wrong key', () => ({ AI_BASE_URL: `http://${address}/v1`, AI_API_KEY: 'sk-wrong' }), /refused with 401/],
  ['a TLS error', () => ({ AI_BASE_URL: `https://${address}/v1`, AI_API_KEY: KEY }), /ssl|tls|wrong version|packet length/i],
  ['a DNS error', () => ({ AI_BASE_URL: 'https://no-such-host.invalid/v1', AI_API_KEY: KEY }), /ENOTFOUND|EAI_AGAIN|getaddrinfo/],
])(
  '%s ends in a clear error, nothing is charged, and the reason with its addresses stays here',
  async (_name, settings, reason) => {
    const elsewhere = await startTestPlatform([aiGatewayService], settings())
    try {
      const user = elsewhere.user()
      const { status, body } = await json(await post(elsewhere, user, 'ai-chat', { prompt: 'hello' }))
      expect([status, body.code]).toEqual([503, 'model_unavailable'])
      expect(body.message ?? body.detail).toContain('used no prompt')
      expect(JSON.stringify(body)).not.toMatch(reason)
      const { rt } = elsewhere.services['ai-gateway']!
      const providers = new Providers(rt.config as Config, async () => '', rt.providers)
      const asking = {
        userId: user.id,
        chain: chainOf('gpt-4o-mini')!,
        body: { messages: [] },
        outputTokens: 100,
        promptTokens: () => 1,
        affords: () => true,
      }
      const lost = { microusd: 0, model: null }
      const failed = openUpstream({ providers, config: rt.config as Config, log: rt.log, watch: rt.providers }, { ...asking, lost })
      await expect(failed).rejects.toMatchObject({ code: 'model_unavailable', cause: { message: expect.stringMatching(reason) } })
      expect(lost.microusd).toBe(0)
      await providers.close()
      expect((await json(await post(elsewhere, user, 'ai-usage', {}))).body.used).toBe(0)
    } finally {
      await elsewhere.close()
    }
  },
  20_000,
)

test('nobody else of the chain is asked once the time to begin is over: it would cost, and its answer would come to nothing', async () => {
  const { rt } = platform.services['ai-gateway']!
  const config = { ...(rt.config as Config), AI_BEGIN_MS: 100 }
  const providers = new Providers(config, async () => '', rt.providers)
  const considered: string[] = []
  const opening = openUpstream(
    { providers, config, log: rt.log, watch: rt.providers },
    {
      ...{ userId: platform.user().id, chain: chainOf('gpt-5.4')!, body: { messages: [] }, outputTokens: 100 },
      ...{ promptTokens: () => 1, lost: { microusd: 0, model: null } },
      affords: async ({ id }) => {
        considered.push(id)
        await new Promise((resolve) => setTimeout(resolve, 200))
        return false
      },
    },
  )
  await expect(opening).rejects.toMatchObject({ code: 'model_unavailable', cause: { message: expect.stringContaining('in time') } })
  expect(considered).toHaveLength(1)
  await providers.close()
})

/** Behavior that llama.cpp, vLLM and Ollama share. */
function answerLikeAnyServer({ messages, tools, logprobs }: any, response: ServerResponse) {
  const said: string = messages.at(-1).content
  if (said.startsWith('refuse'))
    return void response.writeHead(400).end(JSON.stringify({ error: { message: 'context_length_exceeded: 8192 tokens' } }))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (chunk: object) => response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  const lives = () => void setInterval(() => response.write(': still here\n\n'), 100).unref()
  const choice = (delta: { content?: string; tool_calls?: unknown[] }, finish_reason: string | null = null) => {
    const token = logprobs && delta.content ? { logprobs: { content: [{ token: delta.content, logprob: -0.1 }] } } : {}
    send({ choices: [{ index: 0, delta, ...token, finish_reason }] })
  }
  const tries = asked.filter(({ body }) => body.messages.at(-1).content === said).length
  if (said === 'stumble at first' && tries === 1) response.write('data: {"choices": [\n\n')
  if (said === 'hang on') return lives()
  if (said === 'talk without end') {
    choice({ content: 'You said' })
    return void setInterval(() => choice({ content: ' more' }), 100).unref()
  }
  if (said === 'begin and hang') {
    choice({ content: 'You said' })
    return lives()
  }
  if (tools && messages.at(-1).role === 'user') {
    choice({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'open-page', arguments: '{"page":' } }] })
    choice({ tool_calls: [{ index: 0, function: { arguments: '"ai-lab"}' } }] })
  } else if (said.includes('ad variations')) {
    const ad = { primary_text: 'Light', headline: 'Candles', description: 'Now', targeting: 'all', format: 'image', tone: 'warm' }
    choice({ content: JSON.stringify({ variations: [ad, ad, ad] }) })
  } else for (const part of ['You said', ': ', said]) choice({ content: part })
  choice({}, tools ? 'tool_calls' : 'stop')
  send({
    choices: [],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, completion_tokens_details: { reasoning_tokens: 2 } },
  })
  response.end('data: [DONE]\n\n')
}

async function textOf(request: IncomingMessage) {
  let text = ''
  for await (const part of request) text += part
  return text
}
