import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LONGEST_SPEECH } from '@operon/contracts/media/speech'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { FastifyReply } from 'fastify'
import type { MediaDb } from '../schema.ts'
import type { SpeechDeps } from '../speech/deps.ts'
import { hear } from '../speech/hear.ts'
import { listeners, speakers } from '../speech/registry.ts'
import { speak } from '../speech/speak.ts'
import { type Format, formats } from '../speech/wires.ts'
import { formOf } from './form.ts'
import { admit, between, checked, oneOf, refuse, words } from './key.ts'

const named = (known: object, what: string) => (value: string) =>
  Object.hasOwn(known, value) ? undefined : `there is no model of this name that ${what}; ${Object.keys(known).join(', ')} are here`

const speechAllowed = {
  model: named(speakers, 'speaks'),
  input: (value: unknown) => words(LONGEST_SPEECH)(value) ?? ((value as string).trim() ? undefined : 'a text to read aloud is needed'),
  voice: (value: unknown) => (typeof value === 'string' ? undefined : 'the name of a voice is needed'),
  response_format: oneOf(...formats),
  speed: between(0.25, 4),
  instructions: words(2000),
  stream_format: oneOf('audio'),
}

/** Sent as it is made. Where it breaks midway the connection does too, so that half a text is never taken for the whole. */
export async function speech(deps: SpeechDeps, ctx: Ctx<MediaDb>, body: Record<string, unknown>, reply: FastifyReply) {
  const asked = checked(body, speechAllowed) as {
    model: string
    input: string
    voice: string
    response_format?: Format
    speed?: number
    instructions?: string
  }
  await admit(deps.rt, ctx)
  const { model, input: text, voice, response_format: format = 'mp3', speed, instructions } = asked
  const { sound, type, cached, speaking } = await speak(deps, ctx, { text, voice, model, format, speed, instructions, feature: 'speech' })
  reply.hijack()
  reply.raw.writeHead(200, {
    'content-type': type,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'x-accel-buffering': 'no',
    'x-operon-model': speaking.upstream,
    'x-operon-cached': String(cached),
  })
  await pipeline(Readable.from(sound), reply.raw).catch((err) => {
    deps.rt.log.debug({ err }, 'a recording was not heard to its end')
    reply.raw.destroy()
  })
}

const hearingAllowed = {
  model: named(listeners, 'listens'),
  language: words(10),
  prompt: words(2000),
  response_format: oneOf('json', 'text', 'verbose_json'),
  temperature: between(0, 1),
  chunking_strategy: oneOf('auto'),
}

export async function transcriptions(deps: SpeechDeps, ctx: Ctx<MediaDb>, body: unknown, type: string | undefined, reply: FastifyReply) {
  const { fields, files } = await formOf(body, type)
  const typed: Record<string, unknown> = { ...fields, ...(fields.temperature !== undefined && { temperature: Number(fields.temperature) }) }
  const asked = checked(typed, hearingAllowed) as {
    model?: string
    language?: string
    prompt?: string
    response_format?: string
    temperature?: number
  }
  const [audio] = files.file ?? []
  if (!audio) refuse('file', 'a recording is needed')
  if (!asked.model) throw new DomainError('invalid', { message: 'model: the name of a model is needed.', details: { param: 'model' } })
  await admit(deps.rt, ctx)
  const { model, language, prompt, temperature, response_format = 'json' } = asked
  const found = await hear(deps, ctx, { audio: audio!, model, language, prompt, temperature, feature: 'api' })
  if (response_format === 'text') return reply.type('text/plain; charset=utf-8').send(`${found.text}\n`)
  const usage = { type: 'duration' as const, seconds: found.seconds }
  const beside = { confidence: found.confidence, usage, answered_by: found.answered_by }
  if (response_format === 'json') return reply.send({ text: found.text, ...beside })
  return reply.send({ task: 'transcribe', language: language ?? 'unknown', duration: found.seconds, text: found.text, ...beside })
}
