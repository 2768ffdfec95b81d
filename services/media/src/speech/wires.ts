import { DomainError } from '@operon/kit/errors'
import { type Place, sandboxHeaders } from '../providers/wire.ts'
import type { SpeechProvider } from './registry.ts'

export const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
export type Format = (typeof formats)[number]
export const typeOf: Record<Format, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

export type SpeechOrder = {
  text: string
  voice: string
  model: string
  format: Format
  speed: number | undefined
  instructions: string | undefined
  userId: string
  signal: AbortSignal
}

/** The provider's sound as it comes. */
export async function speakBy(provider: SpeechProvider, place: Place, order: SpeechOrder): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(...(provider === 'openai' ? openaiRequest(place, order) : elevenRequest(place, order)))
  if (!response.ok) throw await speechRefusal(response, 'speech_failed')
  const type = response.headers.get('content-type') ?? ''
  if (!/^(?:audio|application\/octet-stream)/.test(type) || !response.body)
    throw new DomainError('speech_failed', { cause: new Error(`${type || 'nothing'} instead of sound`) })
  return response.body as never
}

function openaiRequest(
  place: Place,
  { text, voice, model, format, speed, instructions, userId, signal }: SpeechOrder,
): [string, RequestInit] {
  const body = {
    model,
    input: text,
    voice,
    response_format: format,
    ...(speed !== undefined && { speed }),
    ...(instructions && { instructions }),
  }
  return [
    `${place.url}/audio/speech`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${place.key}`, 'content-type': 'application/json', ...sandboxHeaders(place, userId) },
      body: JSON.stringify(body),
      signal,
    },
  ]
}

function elevenRequest(place: Place, { text, voice, model, speed, userId, signal }: SpeechOrder): [string, RequestInit] {
  const body = { text, model_id: model, ...(speed !== undefined && { voice_settings: { speed } }) }
  return [
    `${place.url}/text-to-speech/${encodeURIComponent(voice)}/stream?output_format=mp3_44100_128`,
    {
      method: 'POST',
      headers: { 'xi-api-key': place.key, 'content-type': 'application/json', ...sandboxHeaders(place, userId) },
      body: JSON.stringify(body),
      signal,
    },
  ]
}

export type Recording = { bytes: Uint8Array; type: string; ending: string }
export type HearOrder = {
  recording: Recording
  model: string
  language: string | undefined
  prompt: string | undefined
  temperature: number | undefined
  userId: string
  signal: AbortSignal
}
export type Heard = { text: string; confidence: number | null; seconds: number | null }

type Told = {
  text?: string
  logprobs?: { logprob?: number }[]
  usage?: { type?: string; seconds?: number; input_token_details?: { audio_tokens?: number } }
}
/** Ten tokens are a second of sound. */
const TOKENS_A_SECOND = 10

/** OpenAI's transcription. The confidence is the mean probability of its words. `plain` is for servers that tell none. */
export async function hearBy(place: Place, order: HearOrder, { plain = false }: { plain?: boolean } = {}): Promise<Heard> {
  const { recording, model, language, prompt, temperature, userId, signal } = order
  const form = new FormData()
  form.set('file', new Blob([recording.bytes as never], { type: recording.type }), `recording.${recording.ending}`)
  form.set('model', model)
  form.set('response_format', 'json')
  if (!plain) form.append('include[]', 'logprobs')
  if (language) form.set('language', language)
  if (prompt) form.set('prompt', prompt)
  if (temperature !== undefined) form.set('temperature', String(temperature))
  const headers = { authorization: `Bearer ${place.key}`, ...sandboxHeaders(place, userId) }
  const response = await fetch(`${place.url}/audio/transcriptions`, { method: 'POST', headers, body: form, signal })
  if (!response.ok) throw await speechRefusal(response, 'hearing_failed')
  const { text, logprobs, usage } = (await response.json()) as Told
  if (typeof text !== 'string') throw new DomainError('hearing_failed', { cause: new Error('an answer without a text') })
  const tokens = usage?.input_token_details?.audio_tokens
  return {
    text: text.trim(),
    confidence: confidenceOf(logprobs),
    seconds: usage?.seconds ?? (tokens === undefined ? null : tokens / TOKENS_A_SECOND),
  }
}

function confidenceOf(logprobs: Told['logprobs']): number | null {
  const known = (logprobs ?? []).flatMap(({ logprob }) => (logprob === undefined ? [] : [logprob]))
  if (known.length === 0) return null
  const mean = known.reduce((sum, each) => sum + each, 0) / known.length
  return Math.round(Math.min(1, Math.exp(mean)) * 1000) / 1000
}

async function speechRefusal(response: Response, failed: 'speech_failed' | 'hearing_failed'): Promise<DomainError> {
  const said = (await response.text().catch(() => '')).slice(0, 500)
  const cause = new Error(`${response.status} ${said}`)
  if (/corrupted or unsupported/i.test(said)) return new DomainError('audio_unreadable', { cause })
  const isRefusal = failed === 'speech_failed' && [400, 422].includes(response.status)
  return new DomainError(isRefusal ? 'speech_refused' : failed, { cause })
}
