import { startTestPlatform } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import OpenAI from 'openai'
import { afterAll, expect, test } from 'vitest'
import { aiGatewayService } from '../service.ts'

const platform = await startTestPlatform([aiGatewayService, sandboxService], { SANDBOX_MODEL_PACE_MS: '0' })
afterAll(() => platform.close())

const clientOf = (userId: string) =>
  new OpenAI({ baseURL: `${platform.url('ai-gateway')}/ai/v1`, apiKey: platform.key(userId).key, maxRetries: 0 })
const used = async (userId: string) =>
  (
    await platform.services['ai-gateway']!.rt.db.selectFrom('usage_counters')
      .select('used')
      .where('user_id', '=', userId)
      .executeTakeFirst()
  )?.used ?? 0

test("the unmodified SDK's responses answer a text and a conversation, and each counts one prompt [spec-78]", async () => {
  const user = platform.user()
  const openai = clientOf(user.id)
  const first = await openai.responses.create({ model: 'gpt-4o-mini', instructions: 'You are brief.', input: 'Plan a week for my bakery' })
  expect([first.object, first.status, first.output_text.length > 20]).toEqual(['response', 'completed', true])
  expect(first.usage!.total_tokens).toBe(first.usage!.input_tokens + first.usage!.output_tokens)
  const second = await openai.responses.create({
    model: 'gpt-4o-mini',
    input: [
      { role: 'user', content: 'How do I win more customers?' },
      ...(first.output as never[]),
      { role: 'user', content: [{ type: 'input_text', text: 'Make it shorter, please' }] },
    ],
  })
  expect(second.output_text.length).toBeGreaterThan(5)
  await expect.poll(() => used(user.id)).toBe(2)
})

test('it streams: the deltas are the text, and the last event has the whole response', async () => {
  const stream = await clientOf(platform.user().id).responses.create({
    model: 'claude',
    input: 'Write a blog post about candles',
    stream: true,
  })
  const types: string[] = []
  let text = ''
  let last: OpenAI.Responses.Response | undefined
  const numbers: number[] = []
  for await (const event of stream) {
    if (types.at(-1) !== event.type) types.push(event.type)
    numbers.push(event.sequence_number)
    if (event.type === 'response.output_text.delta') text += event.delta
    if (event.type === 'response.completed') last = event.response
  }
  expect(numbers).toEqual(numbers.map((_, at) => at))
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect((last!.output[0] as OpenAI.Responses.ResponseOutputMessage).content[0]).toMatchObject({ type: 'output_text', text })
})

test('it calls a function and goes on with what that said', async () => {
  const openai = clientOf(platform.user().id)
  const tools: OpenAI.Responses.Tool[] = [
    {
      type: 'function',
      name: 'get_weather',
      description: 'The weather in a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      strict: false,
    },
  ]
  const asked: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Please get the weather in Lisbon' }]
  const first = await openai.responses.create({ model: 'gpt-4o-mini', input: asked, tools })
  const [call] = first.output.filter((item) => item.type === 'function_call')
  expect(JSON.parse(call!.arguments)).toEqual({ city: expect.any(String) })
  const output = { type: 'function_call_output' as const, call_id: call!.call_id, output: JSON.stringify({ degrees: 21 }) }
  const second = await openai.responses.create({ model: 'gpt-4o-mini', input: [...asked, ...(first.output as never[]), output], tools })
  expect(second.output_text).toContain('21')
})

test('what is not here is refused by its name, and nothing is spent', async () => {
  const user = platform.user()
  const openai = clientOf(user.id)
  for (const [param, value, named] of [
    ['previous_response_id', 'resp_1'],
    ['store', true],
    ['include', ['file_search_call.results']],
    ['background', true],
    ['metadata', { a: 'b' }],
    ['truncation', 'auto'],
    ['tools', [{ type: 'web_search' }], 'tools[0].type'],
    ['input', [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }], 'input[0].content[0].type'],
    ['input', []],
    ['text', { format: { type: 'xml' } }, 'text.format.type'],
  ] as const)
    await expect(openai.responses.create({ model: 'gpt-4o-mini', input: 'hi', [param]: value } as never)).rejects.toMatchObject({
      status: 400,
      param: named ?? param,
    })
  await expect(openai.responses.create({ model: 'gpt-99', input: 'hi' })).rejects.toMatchObject({ status: 404, code: 'model_unknown' })
  expect(await used(user.id)).toBe(0)
})
