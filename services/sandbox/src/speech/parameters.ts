import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type OpenAI from 'openai'

// The parameters of each provider, from the types of its own package, so that a new version shows here. Anything else is refused.

const speech: Record<keyof OpenAI.Audio.SpeechCreateParams, true> = {
  input: true,
  model: true,
  voice: true,
  instructions: true,
  response_format: true,
  speed: true,
  stream_format: true,
}
const transcription: Record<keyof OpenAI.Audio.TranscriptionCreateParams, true> = {
  file: true,
  model: true,
  chunking_strategy: true,
  include: true,
  keywords: true,
  known_speaker_names: true,
  known_speaker_references: true,
  language: true,
  languages: true,
  prompt: true,
  response_format: true,
  stream: true,
  temperature: true,
  timestamp_granularities: true,
}
type Snake<S extends string> = S extends `${infer A}${infer B}` ? `${A extends Lowercase<A> ? A : `_${Lowercase<A>}`}${Snake<B>}` : S
/** Its package speaks in camel case and sends these. */
type ElevenBody = Snake<Exclude<keyof ElevenLabs.StreamTextToSpeechRequest, 'enableLogging' | 'optimizeStreamingLatency' | 'outputFormat'>>
const eleven: Record<ElevenBody, true> = {
  text: true,
  model_id: true,
  language_code: true,
  voice_settings: true,
  pronunciation_dictionary_locators: true,
  seed: true,
  previous_text: true,
  next_text: true,
  previous_request_ids: true,
  next_request_ids: true,
  use_pvc_as_ivc: true,
  apply_text_normalization: true,
  apply_language_text_normalization: true,
  audio_effects: true,
}

const beyond = (known: object, given: object) => Object.keys(given).find((name) => !Object.hasOwn(known, name))
/** The first parameter that a provider does not have. */
export const unknownSpeechParameter = {
  speech: (body: object) => beyond(speech, body),
  transcription: (body: object) => beyond(transcription, body),
  eleven: (body: object) => beyond(eleven, body),
}

export const openaiVoices = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'fable',
  'nova',
  'onyx',
  'sage',
  'shimmer',
  'verse',
  'marin',
  'cedar',
]
export const speechModels = ['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts', 'gpt-4o-mini-tts-2025-12-15'] satisfies OpenAI.Audio.SpeechModel[]
export const hearingModels = ['whisper-1', 'gpt-transcribe', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe'] satisfies OpenAI.AudioModel[]
/** Those that tell how sure they are. */
export const tellsLogprobs = (model: string) => /^gpt-4o-(?:mini-)?transcribe/.test(model)
