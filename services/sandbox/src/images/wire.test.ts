import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CompletedQueueStatus, InProgressQueueStatus, InQueueQueueStatus } from '@fal-ai/client'
import type { esrganOutput, FluxDevOutput } from '@fal-ai/client/endpoints'
import { FinishReason, type GenerateContentResponse } from '@google/genai'
import { Transformer } from '@napi-rs/image'
import type OpenAI from 'openai'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Sandbox, startSandbox } from '../sandbox.ts'

// Strict, so a field that the provider does not send is refused, and held by the compiler to the types of its own package.
const count = z.int().nonnegative()
const picture = z.base64().min(100)
const usage = z.strictObject({
  total_tokens: count,
  input_tokens: count,
  output_tokens: count,
  input_tokens_details: z.strictObject({ text_tokens: count, image_tokens: count }),
})
const beside = {
  size: z.string(),
  quality: z.enum(['low', 'medium', 'high']),
  background: z.literal('opaque'),
  output_format: z.literal('png'),
}
const images = z.strictObject({
  ...beside,
  created: z.int(),
  data: z.array(z.strictObject({ b64_json: picture })),
  usage,
}) satisfies z.ZodType<OpenAI.ImagesResponse>
const partial = z.strictObject({
  ...beside,
  type: z.literal('image_generation.partial_image'),
  created_at: z.int(),
  partial_image_index: z.int(),
  b64_json: picture,
}) satisfies z.ZodType<OpenAI.ImageGenPartialImageEvent>
const completed = z.strictObject({
  ...beside,
  type: z.literal('image_generation.completed'),
  created_at: z.int(),
  b64_json: picture,
  usage,
}) satisfies z.ZodType<OpenAI.ImageGenCompletedEvent>

// Their package declares a class, of which these are what travels.
type Generated = Pick<GenerateContentResponse, 'candidates' | 'modelVersion' | 'responseId' | 'usageMetadata'>
const generated = z.strictObject({
  candidates: z.array(
    z.strictObject({
      index: z.int(),
      finishReason: z.enum(FinishReason),
      content: z.strictObject({
        role: z.literal('model'),
        parts: z.array(z.strictObject({ inlineData: z.strictObject({ mimeType: z.literal('image/png'), data: picture }) })),
      }),
    }),
  ),
  usageMetadata: z.strictObject({ promptTokenCount: count, candidatesTokenCount: count, totalTokenCount: count }),
  modelVersion: z.string(),
  responseId: z.string(),
}) satisfies z.ZodType<Generated>

const addresses = { request_id: z.uuid(), response_url: z.url(), status_url: z.url(), cancel_url: z.url() }
const queued = z.strictObject({
  ...addresses,
  status: z.literal('IN_QUEUE'),
  queue_position: count,
}) satisfies z.ZodType<InQueueQueueStatus>
const working = z.strictObject({
  ...addresses,
  status: z.literal('IN_PROGRESS'),
  logs: z.array(z.never()),
}) satisfies z.ZodType<InProgressQueueStatus>
const ready = z.strictObject({
  ...addresses,
  status: z.literal('COMPLETED'),
  logs: z.array(z.never()),
  metrics: z.strictObject({ inference_time: z.number() }),
}) satisfies z.ZodType<CompletedQueueStatus>
const drawn = z.strictObject({
  images: z.array(z.strictObject({ url: z.url(), width: count, height: count, content_type: z.literal('image/png') })),
  timings: z.strictObject({ inference: z.number() }),
  seed: z.int(),
  has_nsfw_concepts: z.array(z.boolean()),
  prompt: z.string(),
}) satisfies z.ZodType<FluxDevOutput>

const enlarged = z.strictObject({
  image: z.strictObject({
    ...{ url: z.url(), width: count, height: count, content_type: z.literal('image/png') },
    file_name: z.string(),
    file_size: count,
  }),
}) satisfies z.ZodType<esrganOutput>

const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-images-'))
// Slow enough that fal is still at work when it is asked at once.
const sandbox: Sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9200', seed: 'test', pace: 1 })
afterAll(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})
const post = (path: string, body: object) =>
  fetch(`${sandbox.addresses.openai}${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const small = { model: 'gpt-image-2', size: '1024x640', prompt: 'A red bicycle' }

test('a picture of OpenAI has the shape of its own types, whole and streamed, and nothing besides', async () => {
  expect(images.parse(await (await post('/openai/v1/images/generations', small)).json()).data).toHaveLength(1)
  const text = await (await post('/openai/v1/images/generations', { ...small, stream: true, partial_images: 1 })).text()
  const events = text.split('\n\n').filter(Boolean)
  const [first, last] = events.map((each) => JSON.parse(each.slice(each.indexOf('data: ') + 6)))
  expect(events).toHaveLength(2)
  partial.parse(first)
  completed.parse(last)
})

test('a picture of Gemini has the shape of its own types, drawn or refused', async () => {
  const ask = async (text: string) =>
    generated.parse(
      await (await post('/google/v1beta/models/gemini-3-image:generateContent', { contents: [{ parts: [{ text }] }] })).json(),
    )
  expect((await ask('A red bicycle')).candidates[0]).toMatchObject({ finishReason: 'STOP', content: { parts: [{}] } })
  expect((await ask('A beheading')).candidates[0]).toMatchObject({ finishReason: 'IMAGE_SAFETY', content: { parts: [] } })
})

test('an order of fal has the shape of its own types in the queue, at work and done', async () => {
  const order = queued.parse(
    await (await post('/fal/fal-ai/flux/dev', { prompt: 'A red bicycle', image_size: { width: 256, height: 256 } })).json(),
  )
  const look = async (url: string) => (await fetch(url, { headers: { authorization: 'Key k' } })).json()
  const status = () => look(order.status_url)
  working.parse(await status())
  await expect.poll(async () => ((await status()) as { status: string }).status).toBe('COMPLETED')
  ready.parse(await status())
  const { images } = drawn.parse(await look(order.response_url))
  expect((await fetch(images[0]!.url)).headers.get('content-type')).toBe('image/png')
})

test('a picture that fal enlarges has the shape of its own types, is as large as was asked, and a broken one is refused', async () => {
  const source = await (await post('/openai/v1/images/generations', small)).json()
  const { b64_json } = images.parse(source).data[0]!
  const ask = (image_url: string) => post('/fal/fal-ai/esrgan', { image_url, scale: 2, output_format: 'png' })
  expect((await ask('data:image/png;base64,AAAA')).status).toBe(422)
  const order = queued.parse(await (await ask(`data:image/png;base64,${b64_json}`)).json())
  const look = async (url: string) => (await fetch(url, { headers: { authorization: 'Key k' } })).json()
  await expect.poll(async () => ((await look(order.status_url)) as { status: string }).status).toBe('COMPLETED')
  const { image } = enlarged.parse(await look(order.response_url))
  expect([image.width, image.height]).toEqual([2048, 1280])
  expect(await new Transformer(Buffer.from(await (await fetch(image.url)).arrayBuffer())).metadata()).toMatchObject({
    width: 2048,
    height: 1280,
  })
})

test.each([
  ['OpenAI', '/openai/v1/images/generations', { ...small, loras: [] }, 400, "Unknown parameter: 'loras'."],
  [
    'Gemini',
    '/google/v1beta/models/gemini-3-image:generateContent',
    { contents: [{ parts: [{ text: 'A bicycle' }] }], generationConfig: { loras: [] } },
    400,
    'Invalid JSON payload received. Unknown name "loras": Cannot find field.',
  ],
  ['fal', '/fal/fal-ai/flux/dev', { prompt: 'A bicycle', loras: [] }, 422, 'extra fields not permitted'],
])('a parameter that %s does not know is refused in its words', async (_provider, path, body, status, words) => {
  const answer = await post(path, body)
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(JSON.stringify(words).slice(1, -1))])
})
