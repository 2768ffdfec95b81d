import { aiUsageRecorded } from '@operon/contracts/usage'
import { startTestPlatform } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import OpenAI from 'openai'
import { afterAll, expect, test, vi } from 'vitest'
import { aiGatewayService } from '../service.ts'

const platform = await startTestPlatform([aiGatewayService, sandboxService])
afterAll(() => platform.close())

const client = (token: string) => new OpenAI({ baseURL: `${platform.url('ai-gateway')}/ai/v1`, apiKey: token, maxRetries: 0 })
const db = () => platform.services['ai-gateway']!.rt.db

test('the unmodified openai SDK streams an answer, and one prompt is booked with its tokens [spec-78]', async () => {
  const user = platform.user()
  const stream = await client(user.token).chat.completions.create({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'Suggest a plan for my bakery' }],
    stream: true,
    stream_options: { include_usage: true },
  })
  let text = ''
  let usage: OpenAI.CompletionUsage | null | undefined
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    usage = chunk.usage ?? usage
  }
  expect(text.length).toBeGreaterThan(20)
  const row = await vi.waitFor(
    async () => db().selectFrom('ai_usage').selectAll().where('user_id', '=', user.id).executeTakeFirstOrThrow(),
    10_000,
  )
  expect(row).toMatchObject({
    model: 'gpt-4o-mini',
    status: 'completed',
    counted: true,
    prompt_tokens: usage!.prompt_tokens,
    completion_tokens: usage!.completion_tokens,
  })
  const { rows: events } = await sql<{ name: string; payload: unknown }>`
    select each ->> 'name' as name, each -> 'payload' as payload
    from outbox, jsonb_array_elements(case jsonb_typeof(payload) when 'array' then payload end) each
    where each ->> 'user_id' = ${user.id}`.execute(db())
  expect(events.map((event) => event.name).sort()).toEqual(['ai-gateway.completion_finished', aiUsageRecorded.name])
  expect(events.find((event) => event.name === aiUsageRecorded.name)!.payload).toMatchObject({
    unit: 'prompts',
    used: 1,
    limit: 25,
    amount: 1,
  })
})

test('a program is told which model name is not known, and where those are that are', async () => {
  const asked = client(platform.user().token).chat.completions.create({ model: 'gpt-99', messages: [{ role: 'user', content: 'hi' }] })
  await expect(asked).rejects.toMatchObject({
    status: 404,
    code: 'model_unknown',
    message: expect.stringMatching(/"gpt-99".*\/ai\/v1\/models/),
  })
})

const hi = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'hi' }] }

test('a parameter that is not supported is refused by its name, before anything is spent', async () => {
  const user = platform.user()
  const said = (content: unknown, more: object = {}) => [{ role: 'user', content, ...more }]
  const tool = (more: object) => [{ type: 'function', function: { name: 'f', parameters: {} }, ...more }]
  for (const [param, value, named] of [
    ['n', 2],
    ['n', 100],
    ['best_of', 5],
    ['functions', [{ name: 'f' }]],
    ['function_call', 'auto'],
    ['audio', { voice: 'alloy', format: 'mp3' }],
    ['modalities', ['text', 'audio']],
    ['store', true],
    ['metadata', { shop: 'a' }],
    ['prediction', { type: 'content', content: 'x' }],
    ['reasoning', { effort: 'high' }],
    ['service_tier', 'priority'],
    ['web_search_options', {}],
    ['extra_body', { google: {} }],
    ['constructor', 1],
    ['max_tokens', -1],
    ['messages', 'hi'],
    ['messages', said([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]), 'messages[0].content[0].type'],
    ['messages', said([{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }]), 'messages[0].content[0].cache_control'],
    ['messages', said('hi', { cache_control: {} }), 'messages[0].cache_control'],
    ['tools', tool({ type: 'web_search' }), 'tools[0].type'],
    ['tools', tool({ google_search: {} }), 'tools[0].google_search'],
    ['stream_options', { include_usage: true, x: 1 }, 'stream_options.x'],
  ] as const)
    await expect(client(user.token).chat.completions.create({ ...hi, [param]: value } as never)).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: named ?? param,
      message: expect.stringContaining(named ?? param),
    })
  const counters = await db().selectFrom('usage_counters').select('used').where('user_id', '=', user.id).where('used', '>', 0).execute()
  expect(counters).toEqual([])
  const nothing = { n: null, stop: null, tools: null, store: false, temperature: 1 }
  expect((await client(user.token).chat.completions.create({ ...hi, ...nothing } as never)).choices).toHaveLength(1)
})

test('what the provider refuses is refused in its words and with its name for the parameter', async () => {
  await expect(client(platform.user().token).chat.completions.create({ ...hi, temperature: 3 })).rejects.toMatchObject({
    status: 400,
    param: 'temperature',
    message: expect.stringContaining('Expected a value <= 2'),
  })
  await expect(client(platform.user().token).chat.completions.create({ ...hi, model: 'gemini-1.5-flash', seed: 7 })).rejects.toMatchObject({
    status: 400,
    param: 'seed',
    message: expect.stringContaining('Unknown name "seed"'),
  })
})

test('the last prompt of a plan is given once, however many ask at the same time', async () => {
  const user = platform.user()
  const ask = () => client(user.token).chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
  const answers = await Promise.allSettled(Array.from({ length: 40 }, ask))
  expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(25)
  const refused = answers.find((answer) => answer.status === 'rejected') as PromiseRejectedResult
  expect([refused.reason.status, refused.reason.code]).toEqual([402, 'limit_prompts'])
})

test('who was known to have plenty and has nothing left is refused, gets no word, and nothing is spent [R21]', async () => {
  const user = platform.user()
  const ask = () =>
    client(user.token).chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }], stream: true })
  for await (const _ of await ask());
  // Spent elsewhere: this instance still believes that 24 are left, and asks the provider while the prompt is reserved.
  await vi.waitFor(async () => {
    const spent = db().updateTable('usage_counters').set({ used: 25 }).where('user_id', '=', user.id).where('reserved', '=', 0)
    expect((await spent.executeTakeFirst()).numUpdatedRows).toBe(1n)
  }, 10_000)
  await expect(ask()).rejects.toMatchObject({ status: 402, code: 'limit_prompts' })
  const counter = await db().selectFrom('usage_counters').select(['used', 'reserved']).where('user_id', '=', user.id).executeTakeFirst()
  expect(counter).toEqual({ used: 25, reserved: 0 })
  expect(await db().selectFrom('ai_usage').select('id').where('user_id', '=', user.id).execute()).toHaveLength(1)
})
