import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import OpenAI, { toFile } from 'openai'
import { afterAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { FRAME_BYTES } from './frames.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'))
const sandbox: Sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9200', seed: 'test' })
const openai: OpenAI = new OpenAI({ apiKey: 'k', baseURL: `${sandbox.addresses.openai}/openai/v1`, maxRetries: 0 })
const eleven: ElevenLabsClient = new ElevenLabsClient({ apiKey: 'k', baseUrl: `${sandbox.addresses.openai}/elevenlabs`, maxRetries: 0 })
afterAll(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})
const whole = async (stream: AsyncIterable<Uint8Array>) => {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}

test("OpenAI's and ElevenLabs' own packages get an MP3 whose frames are whole, the same for the same text", async () => {
  const text = 'A text that the sandbox reads aloud.'
  const speak = async (voice: string) =>
    Buffer.from(await (await openai.audio.speech.create({ model: 'tts-1', voice, input: text })).arrayBuffer())
  const [one, two, other] = [await speak('nova'), await speak('nova'), await speak('onyx')]
  expect(one).toEqual(two)
  expect(one).not.toEqual(other)
  const elevens = await whole(
    (await eleven.textToSpeech.stream('21m00Tcm4TlvDq8ikWAM', { text, modelId: 'eleven_multilingual_v2' })) as never,
  )
  for (const mp3 of [one, elevens]) {
    const at = 10 + (mp3[8]! << 7) + mp3[9]!
    const frames = mp3.subarray(at)
    expect(frames.length % FRAME_BYTES).toBe(0)
    for (let frame = 0; frame < frames.length; frame += FRAME_BYTES) expect([...frames.subarray(frame, frame + 2)]).toEqual([0xff, 0xfb])
  }
})

test('its ear hears its own words to the letter, with probabilities where they are asked for', async () => {
  for (const response_format of ['mp3', 'wav'] as const) {
    const sound = await openai.audio.speech.create({ model: 'tts-1', voice: 'echo', input: 'Zwölf Brötchen, bitte.', response_format })
    const file = await toFile(Buffer.from(await sound.arrayBuffer()), `a.${response_format}`)
    const heard = await openai.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file, include: ['logprobs'] })
    expect(heard.text).toBe('Zwölf Brötchen, bitte.')
    expect(heard.logprobs!.every(({ logprob }) => logprob! < 0)).toBe(true)
    expect(heard.usage).toMatchObject({ type: 'tokens' })
  }
})

test('it refuses what the providers refuse', async () => {
  const speech = { model: 'tts-1', voice: 'nova', input: 'hi' }
  for (const [param, value] of [
    ['speed', 9],
    ['voice', 'nobody'],
    ['input', 'x'.repeat(4097)],
    ['pitch', 1],
  ] as const)
    await expect(openai.audio.speech.create({ ...speech, [param]: value } as never)).rejects.toMatchObject({ status: 400, param })
  await expect(openai.audio.speech.create({ ...speech, model: 'gpt-99' })).rejects.toMatchObject({ status: 404 })
  const file = await toFile(Buffer.from('no sound'), 'a.mp3')
  await expect(openai.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file })).rejects.toMatchObject({ status: 400 })
  await expect(eleven.textToSpeech.stream('nobody', { text: 'hi' })).rejects.toMatchObject({ statusCode: 404 })
})
