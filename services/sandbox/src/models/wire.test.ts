import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Chat } from '@perplexity-ai/perplexity_ai'
import type OpenAI from 'openai'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Sandbox, startSandbox } from '../sandbox.ts'

// Strict, so a field that OpenAI does not send is refused, and held by the compiler to the types of OpenAI's own package.
const count = z.int().nonnegative()
const usage = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.strictObject({ cached_tokens: count, audio_tokens: count }),
  completion_tokens_details: z.strictObject({
    reasoning_tokens: count,
    audio_tokens: count,
    accepted_prediction_tokens: count,
    rejected_prediction_tokens: count,
  }),
}) satisfies z.ZodType<OpenAI.CompletionUsage>
const finish = z.enum(['stop', 'length', 'tool_calls'])
const made = { id: z.string().startsWith('chatcmpl-'), created: z.int(), model: z.string(), system_fingerprint: z.string() }
const toolCall = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
})
const whole = z.strictObject({
  ...made,
  object: z.literal('chat.completion'),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      logprobs: z.null(),
      finish_reason: finish,
      message: z.strictObject({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.null(),
        tool_calls: z.array(toolCall).exactOptional(),
      }),
    }),
  ),
  usage,
}) satisfies z.ZodType<OpenAI.ChatCompletion>
const part = z.strictObject({
  ...made,
  object: z.literal('chat.completion.chunk'),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      logprobs: z.null(),
      finish_reason: finish.nullable(),
      delta: z.strictObject({
        role: z.literal('assistant').exactOptional(),
        content: z.string().nullable().exactOptional(),
        refusal: z.null().exactOptional(),
        tool_calls: z
          .array(
            z.strictObject({
              index: z.int(),
              id: z.string().exactOptional(),
              type: z.literal('function').exactOptional(),
              function: z.strictObject({ name: z.string().exactOptional(), arguments: z.string() }),
            }),
          )
          .exactOptional(),
      }),
    }),
  ),
  usage: usage.nullable().exactOptional(),
}) satisfies z.ZodType<OpenAI.ChatCompletionChunk>
const refused = z.strictObject({
  error: z.strictObject({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string().nullable() }),
})
const listed = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      id: z.string(),
      object: z.literal('model'),
      created: z.int(),
      owned_by: z.string(),
    }) satisfies z.ZodType<OpenAI.Model>,
  ),
})

const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-wire-'))
const sandbox: Sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9200', seed: 'test' })
afterAll(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})

const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
const ask = (more: object, path = '/openai/v1') =>
  fetch(`${sandbox.addresses.openai}${path}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'What is the weather in Paris?' }], ...more }),
  })
const tools = [
  {
    type: 'function',
    function: {
      name: 'weather',
      description: 'The weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
]

// Google and Anthropic publish no types for the wire that they share with OpenAI, so its own hold for them.
const wires = ['/openai/v1', '/anthropic/v1', '/google/v1beta/openai']
const asked: [string, object][] = [
  ['an answer', {}],
  ['one cut short', { max_tokens: 3 }],
  ['a call of a tool', { tools, tool_choice: 'required' }],
]
test.each(wires.flatMap((path) => asked.map(([what, more]) => [what, path, more] as const)))(
  '%s at %s has the shape of OpenAI’s types, whole and streamed, and nothing besides',
  async (_what, path, more) => {
    const answer = whole.parse(await (await ask(more, path)).json())
    const text = await (await ask({ ...more, stream: true, stream_options: { include_usage: true } }, path)).text()
    const events = text.split('\n\n').filter(Boolean)
    expect(events.pop()).toBe('data: [DONE]')
    const parts = events.map((each) => part.parse(JSON.parse(each.slice('data: '.length))))
    expect(parts.at(-1)!.usage).toEqual(answer.usage)
    expect(parts.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual([answer.choices[0]!.finish_reason])
  },
)

const said = z.strictObject({ role: z.literal('assistant'), content: z.string() })
const dollars = z.number().nonnegative()
const searched = z.strictObject({
  id: made.id,
  created: made.created,
  model: made.model,
  object: z.enum(['chat.completion', 'chat.completion.chunk']),
  citations: z.array(z.url()),
  search_results: z.array(z.strictObject({ title: z.string(), url: z.url(), date: z.null() })),
  choices: z.array(
    z.strictObject({ index: z.int(), message: said, delta: said, finish_reason: z.enum(['stop', 'length']).nullable().exactOptional() }),
  ),
  usage: z
    .strictObject({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      search_context_size: z.string(),
      cost: z.strictObject({ input_tokens_cost: dollars, output_tokens_cost: dollars, request_cost: dollars, total_cost: dollars }),
    })
    .exactOptional(),
}) satisfies z.ZodType<Chat.StreamChunk>

test('an answer of Perplexity has the shape of its own types, whole and streamed, and is counted unasked', async () => {
  const answer = searched.parse(await (await ask({ model: 'sonar' }, '/perplexity')).json())
  const events = (await (await ask({ model: 'sonar', stream: true }, '/perplexity')).text()).split('\n\n').filter(Boolean)
  expect(events.pop()).toBe('data: [DONE]')
  const parts = events.map((each) => searched.parse(JSON.parse(each.slice('data: '.length))))
  expect(parts.at(-1)).toMatchObject({ usage: answer.usage, choices: [{ message: answer.choices[0]!.message, finish_reason: 'stop' }] })
  expect(parts.map(({ choices }) => choices[0]!.delta.content).join('')).toBe(answer.choices[0]!.message.content)
})

test('a parameter that OpenAI does not know is refused in its shape', async () => {
  const answer = await ask({ search_domain_filter: ['x.com'] })
  expect(answer.status).toBe(400)
  expect(refused.parse(await answer.json()).error.message).toBe('Unrecognized request argument supplied: search_domain_filter')
})

test.each(['seed', 'store', 'max_new_tokens', 'search_domain_filter'])('%s is unknown to Google, which says so in a list', async (name) => {
  const answer = await ask({ [name]: 1, frequency_penalty: 0 }, '/google/v1beta/openai')
  const violation = (unknown: string) => ({ description: `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.` })
  expect([answer.status, await answer.json()]).toEqual([
    400,
    [
      {
        error: {
          code: 400,
          message: `${violation(name).description}\n${violation('frequency_penalty').description}`,
          status: 'INVALID_ARGUMENT',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              fieldViolations: [violation(name), violation('frequency_penalty')],
            },
          ],
        },
      },
    ],
  ])
})

test.each(['seed', 'stream_options', 'logit_bias', 'user'])(
  '%s is none of Perplexity’s parameters, and its own are taken',
  async (name) => {
    const answer = await ask({ model: 'sonar', [name]: {} }, '/perplexity')
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: { message: `Unrecognized request argument supplied: ${name}`, type: 'invalid_parameter', code: 400 } },
    ])
    expect((await ask({ model: 'sonar', search_domain_filter: ['x.com'] }, '/perplexity')).status).toBe(200)
  },
)

test('the list of models and the refusals have the shape of the provider', async () => {
  listed.parse(await (await fetch(`${sandbox.addresses.openai}/openai/v1/models`, { headers })).json())
  for (const wrong of [{ model: '' }, { messages: [] }, { temperature: 9 }, { model: 'gpt-4o-mini#status=429' }])
    refused.parse(await (await ask(wrong)).json())
})

const embedded = <T extends z.ZodType>(embedding: T) =>
  z.strictObject({
    object: z.literal('list'),
    model: z.string(),
    data: z.array(z.strictObject({ object: z.literal('embedding'), index: count, embedding })),
    usage: z.strictObject({ prompt_tokens: count, total_tokens: count }),
  })
const vectors = embedded(z.array(z.number())) satisfies z.ZodType<OpenAI.CreateEmbeddingResponse>

test('embeddings have the shape of OpenAI’s types, as numbers and as base64 of the same, and are near where words are shared', async () => {
  const at = `${sandbox.addresses.openai}/openai/v1/embeddings`
  const embed = async (more: object) =>
    (await fetch(at, { method: 'POST', headers, body: JSON.stringify({ model: 'text-embedding-3-small', ...more }) })).json()
  const input = ['A red bicycle', 'a bicycle, red', 'Tax returns']
  const { data, usage: used } = vectors.parse(await embed({ input }))
  const packed = embedded(z.base64()).parse(await embed({ input, encoding_format: 'base64' }))
  const unpacked = packed.data.map(({ embedding }) => [...new Float32Array(new Uint8Array(Buffer.from(embedding, 'base64')).buffer)])
  expect(unpacked).toEqual(data.map(({ embedding }) => embedding))
  expect(used.prompt_tokens).toBe(used.total_tokens)
  const [red, same, tax] = data.map(({ embedding }) => embedding) as [number[], number[], number[]]
  const like = (a: number[], b: number[]) => a.reduce((sum, value, n) => sum + value * b[n]!, 0)
  expect(red).toHaveLength(1536)
  expect(like(red, red)).toBeCloseTo(1, 5)
  expect(like(red, same)).toBeGreaterThan(0.99)
  expect(Math.abs(like(red, tax))).toBeLessThan(0.3)
  expect(vectors.parse(await embed({ input: 'x', dimensions: 64 })).data[0]!.embedding).toHaveLength(64)
  expect(vectors.parse(await embed({ input: [1, 2, 3] })).usage.prompt_tokens).toBe(3)
  for (const wrong of [{ input: [] }, { input: '' }, { input: 'x', dimensions: 9999 }, { input: 'x', model: '' }])
    refused.parse(await embed(wrong))
})
