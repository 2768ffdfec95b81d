import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { generateText, Output, stepCountIs, streamText, tool } from 'ai'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { aiGatewayService } from '../service.ts'

// The `ai` package as anybody would use it: its openai-compatible provider, our address, an API key.

const platform = await startTestPlatform([aiGatewayService, sandboxService], { SANDBOX_MODEL_PACE_MS: '1' })
afterAll(() => platform.close())

function operonFor(user: TestUser, limits: { monthly_prompts?: number } = {}) {
  return createOpenAICompatible({
    name: 'operon',
    baseURL: `${platform.url('ai-gateway')}/ai/v1`,
    apiKey: platform.key(user.id, limits).key,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
}

test('the unmodified `ai` package gets a whole answer with its count, and the books say the same', async () => {
  const user = platform.user()
  const operon = operonFor(user)
  const { text, usage, finishReason } = await generateText({ model: operon('gpt-4o-mini'), prompt: 'Plan a week for my bakery' })
  expect([text.length > 20, finishReason]).toEqual([true, 'stop'])
  const row = await vi.waitFor(
    () =>
      platform.services['ai-gateway']!.rt.db.selectFrom('ai_usage').selectAll().where('user_id', '=', user.id).executeTakeFirstOrThrow(),
    10_000,
  )
  expect(row).toMatchObject({ feature: 'api', prompt_tokens: usage.inputTokens, completion_tokens: usage.outputTokens })
})

test('it streams: the parts are the answer', async () => {
  const operon = operonFor(platform.user())
  const stream = streamText({ model: operon('claude'), prompt: 'Write a blog post about candles' })
  const parts: string[] = []
  for await (const part of stream.textStream) parts.push(part)
  expect(parts.length).toBeGreaterThan(10)
  expect(parts.join('')).toBe(await stream.text)
  expect((await stream.usage).outputTokens).toBeGreaterThan(200)
})

const asked: unknown[] = []
const tools = {
  get_weather: tool({
    description: 'The weather in a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async (input) => {
      asked.push(input)
      return { degrees: 21 }
    },
  }),
}
const question = { prompt: 'Please get the weather in Lisbon', tools, stopWhen: stepCountIs(3) }
beforeEach(() => void asked.splice(0))

test('it calls tools and goes on with what they said', async () => {
  const operon = operonFor(platform.user())
  const { text, steps } = await generateText({ model: operon('gpt-4o-mini'), ...question })
  expect(asked).toEqual([{ city: expect.any(String) }])
  expect(steps).toHaveLength(2)
  expect(text).toContain('21')
})

test('it does so while it streams', async () => {
  const operon = operonFor(platform.user())
  const stream = streamText({ model: operon('gpt-4o-mini'), ...question })
  const parts: string[] = []
  for await (const part of stream.fullStream) if (parts.at(-1) !== part.type) parts.push(part.type)
  expect(asked).toEqual([{ city: expect.any(String) }])
  expect(parts.indexOf('tool-result')).toBeGreaterThan(parts.indexOf('tool-call'))
  expect(parts.lastIndexOf('text-delta')).toBeGreaterThan(parts.indexOf('tool-result'))
  expect(await stream.text).toContain('21')
})

test('it gets objects of the shape that it asked for, whole and while they stream', async () => {
  const operon = operonFor(platform.user())
  const shape = z.object({ name: z.string(), price_cents: z.int(), tags: z.array(z.string()).min(2) })
  const wanted = { model: operon('gpt-4o-mini'), prompt: 'A product for my bakery', output: Output.object({ schema: shape }) }
  const { output } = await generateText(wanted)
  expect(shape.parse(output)).toEqual(output)
  const stream = streamText(wanted)
  let partial: object = {}
  for await (partial of stream.partialOutputStream);
  expect(partial).toEqual(await stream.output)
  expect(await stream.output).toEqual(output)
})

test('a key at its own limit is refused in words that the package shows', async () => {
  const operon = operonFor(platform.user(), { monthly_prompts: 1 })
  const ask = () => generateText({ model: operon('gpt-4o-mini'), prompt: 'hi', maxRetries: 0 })
  await ask()
  await expect(ask()).rejects.toMatchObject({ name: 'AI_APICallError', message: expect.stringMatching(/limit/i) })
})
