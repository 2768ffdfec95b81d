import { spendKeyRequest } from '@operon/contracts/ai-gateway/events'
import { DomainError } from '@operon/kit/errors'
import type { ServiceDefinition } from '@operon/kit/service'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { imageSize } from 'image-size'
import OpenAI, { toFile } from 'openai'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { mediaService } from '../service.ts'

/** Counts keys as ai-gateway does: two calls and no more. */
const spent = new Map<string, number>()
const counter: ServiceDefinition = {
  name: 'ai-gateway',
  config: z.object({}),
  migrations: {},
  setup(rt) {
    rt.answer(spendKeyRequest, async ({ actor }, { calls }) => {
      const { id, monthlyPrompts } = (actor as { key: { id: string; monthlyPrompts: number } }).key
      if ((spent.get(id) ?? 0) + calls > monthlyPrompts) throw new DomainError('key_limit')
      spent.set(id, (spent.get(id) ?? 0) + calls)
      return { spent: true as const }
    })
  },
}
const platform = await startTestPlatform([mediaService, counter, sandboxService], {
  SANDBOX_MODEL_PACE_MS: '5',
  MEDIA_CIRCUIT_FAILURES: '1000',
})
const db: any = platform.services.media!.rt.db
afterAll(() => platform.close())

const client = (apiKey: string) => new OpenAI({ baseURL: `${platform.url('media')}/ai/v1`, apiKey, maxRetries: 0 })
const keyed = (user: TestUser, more = {}) => client(platform.key(user.id, more).key)
const bytesOf = (b64: string | undefined) => Buffer.from(b64 ?? '', 'base64')
async function used(user: TestUser, unit: string) {
  const row = await db
    .selectFrom('usage_counters')
    .select('used')
    .where('user_id', '=', user.id)
    .where('unit', '=', unit)
    .executeTakeFirst()
  return row?.used ?? 0
}

test('the unmodified openai SDK makes pictures: of the wanted size, kept in the gallery, each counted once [spec-82]', async () => {
  const user = platform.user()
  const { data, created } = await keyed(user).images.generate({ model: 'gpt-image-1', prompt: 'a red bicycle', size: '1024x1024', n: 2 })
  expect(data).toHaveLength(2)
  expect(created).toBeGreaterThan(1_700_000_000)
  for (const { b64_json } of data!) expect(imageSize(bytesOf(b64_json))).toMatchObject({ width: 1024, height: 1024, type: 'png' })
  expect(await used(user, 'images')).toBe(2)
  expect(await db.selectFrom('pictures').select('state').where('user_id', '=', user.id).execute()).toHaveLength(2)
})

test('it streams: the picture comes as an event of its own', async () => {
  const stream = await keyed(platform.user()).images.generate({ model: 'gpt-image-1', prompt: 'a boat', stream: true, partial_images: 2 })
  const types: string[] = []
  for await (const event of stream) {
    types.push(event.type)
    if (event.type === 'image_generation.completed') expect(imageSize(bytesOf(event.b64_json)).width).toBe(1024)
  }
  expect(types).toEqual(['image_generation.completed'])
})

test('it changes a picture within a mask: outside of it nothing moves', async () => {
  const user = platform.user()
  const operon = keyed(user)
  const first = bytesOf((await operon.images.generate({ model: 'gpt-image-1', prompt: 'a house' })).data![0]!.b64_json)
  const { Transformer } = await import('@napi-rs/image')
  const mask = new Uint8Array(1024 * 1024 * 4).fill(255)
  for (let y = 512; y < 1024; y++) for (let x = 0; x < 1024; x++) mask[(y * 1024 + x) * 4 + 3] = 0
  const maskPng = await Transformer.fromRgbaPixels(mask, 1024, 1024).png()
  const { data } = await operon.images.edit({
    model: 'gpt-image-1',
    prompt: 'a red boat',
    image: await toFile(first, 'house.png', { type: 'image/png' }),
    mask: await toFile(maskPng, 'mask.png', { type: 'image/png' }),
  })
  const [before, after] = await Promise.all([first, bytesOf(data![0]!.b64_json)].map((png) => new Transformer(png).rawPixels()))
  const step = before!.length / (1024 * 1024)
  const rowsDiffer = (from: number, to: number) => {
    let differing = 0
    for (let y = from; y < to; y += 16)
      for (let x = 0; x < 1024; x += 16) {
        const at = (y * 1024 + x) * step
        if (Math.abs(before![at]! - after![at]!) > 8) differing++
      }
    return differing
  }
  expect(rowsDiffer(0, 500)).toBe(0)
  expect(rowsDiffer(520, 1024)).toBeGreaterThan(50)
  expect(await used(user, 'images')).toBe(2)
})

test('it speaks while the recording is made, and writes down what was said [spec-130]', async () => {
  const user = platform.user()
  const operon = keyed(user)
  const text = 'The unmodified package reads this aloud. '.repeat(8).trim()
  const asked = performance.now()
  const response = await operon.audio.speech.create({ model: 'tts-1', voice: 'nova', input: text })
  expect(response.headers.get('content-type')).toBe('audio/mpeg')
  const reader = response.body!.getReader()
  const parts = [(await reader.read()).value!]
  const first = performance.now() - asked
  for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value)
  expect([parts.length > 3, first < 600]).toEqual([true, true])
  const audio = Buffer.concat(parts)
  const heard = await operon.audio.transcriptions.create({ model: 'whisper-1', file: await toFile(audio, 'speech.mp3') })
  expect(heard.text).toBe(text)
  expect(
    await operon.audio.transcriptions.create({ model: 'whisper-1', file: await toFile(audio, 'a.mp3'), response_format: 'text' }),
  ).toBe(`${text}\n`)
  const wav = await operon.audio.speech.create({ model: 'tts-1', voice: 'echo', input: 'Short.', response_format: 'wav' })
  expect(
    Buffer.from(await wav.arrayBuffer())
      .subarray(0, 4)
      .toString(),
  ).toBe('RIFF')
})

test('a page that goes away midway loses no recording: it is kept and paid for once', async () => {
  const user = platform.user()
  const controller = new AbortController()
  const text = 'This goes on for a while. '.repeat(60)
  const response = await keyed(user).audio.speech.create({ model: 'tts-1', voice: 'alloy', input: text }, { signal: controller.signal })
  await response.body!.getReader().read()
  controller.abort()
  await expect
    .poll(() => db.selectFrom('recordings').select('characters').where('user_id', '=', user.id).execute())
    .toEqual([{ characters: text.length }])
  expect(await used(user, 'speech')).toBe(1)
})

test('parameters that are not here are refused by their name, before anything is spent', async () => {
  const user = platform.user()
  const operon = keyed(user)
  const picture = { model: 'gpt-image-1', prompt: 'a cat' }
  for (const [param, value] of [
    ['n', 9],
    ['size', '2048x2048'],
    ['model', 'gpt-99'],
    ['background', 'transparent'],
    ['output_format', 'webp'],
    ['constructor', 1],
    ['prompt', ' '],
  ] as const)
    await expect(operon.images.generate({ ...picture, [param]: value } as never)).rejects.toMatchObject({ status: 400, param })
  const speech = { model: 'tts-1', voice: 'alloy', input: 'hi' }
  for (const [param, value] of [
    ['model', 'gpt-99'],
    ['speed', 9],
    ['stream_format', 'sse'],
    ['response_format', 'exe'],
    ['input', 'x'.repeat(4097)],
  ] as const)
    await expect(operon.audio.speech.create({ ...speech, [param]: value } as never)).rejects.toMatchObject({ status: 400, param })
  await expect(operon.audio.speech.create({ ...speech, voice: 'nobody' })).rejects.toMatchObject({ status: 400, code: 'voice_unknown' })
  await expect(
    operon.audio.transcriptions.create({ model: 'whisper-1', file: await toFile(Buffer.from('no sound'), 'a.mp3') }),
  ).rejects.toMatchObject({
    status: 415,
  })
  expect([await used(user, 'images'), await used(user, 'speech')]).toEqual([0, 0])
})

test("a key's own limit counts these calls too, and a key for something else opens none of them", async () => {
  const user = platform.user()
  const operon = keyed(user, { monthly_prompts: 2 })
  await operon.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'one' })
  await operon.images.generate({ model: 'gpt-image-1', prompt: 'two' })
  await expect(operon.images.generate({ model: 'gpt-image-1', prompt: 'three' })).rejects.toMatchObject({ code: 'key_limit' })
  await expect(keyed(user, { scopes: ['reads'] }).images.generate({ model: 'gpt-image-1', prompt: 'x' })).rejects.toMatchObject({
    code: 'key_scope',
  })
  await expect(client('opk_nobody').images.generate({ model: 'gpt-image-1', prompt: 'x' })).rejects.toMatchObject({ status: 401 })
  expect(await used(user, 'images')).toBe(1)
})
