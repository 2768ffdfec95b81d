import { z } from 'zod'
import { endpoint, text } from '../contract.ts'

// Pictures and speech by the OpenAI protocol, for users' own keys and for signed-in callers.

const call = { method: 'POST', access: 'user', rate: 'ai', apiKeys: true, raw: true, reply: z.looseObject({}) } as const

export const imageGenerations = endpoint({
  ...call,
  path: '/ai/v1/images/generations',
  summary: 'OpenAI-compatible pictures of a prompt',
  description: 'One to four at once, streaming included. Each uses one image of the plan and stays in the Image Studio.',
  body: z.looseObject({ prompt: z.string(), model: text(100).nullish() }),
})
export const imageEdits = endpoint({
  ...call,
  path: '/ai/v1/images/edits',
  bytes: true,
  maxBytes: 32 * 1024 * 1024,
  summary: 'OpenAI-compatible changes to a picture, with a mask or without',
})
export const audioSpeech = endpoint({
  ...call,
  path: '/ai/v1/audio/speech',
  contentType: 'audio/mpeg',
  summary: 'OpenAI-compatible speech, sent while it is being made',
  body: z.looseObject({ model: text(100), input: z.string(), voice: z.unknown() }),
})
export const audioTranscriptions = endpoint({
  ...call,
  path: '/ai/v1/audio/transcriptions',
  bytes: true,
  maxBytes: 26 * 1024 * 1024,
  summary: 'OpenAI-compatible transcription of a recording',
})
