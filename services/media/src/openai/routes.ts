import * as contract from '@operon/contracts/media/openai'
import { serveRaw } from '@operon/kit/http'
import type { Deps } from '../pictures/deps.ts'
import type { SpeechDeps } from '../speech/deps.ts'
import { speech, transcriptions } from './audio.ts'
import { edits, generations } from './images.ts'

export function openaiRoutes(pictures: Deps, speaking: SpeechDeps) {
  const { app } = pictures.rt
  serveRaw(app, contract.imageGenerations, (ctx, input, reply) => generations(pictures, ctx, input, reply))
  serveRaw(app, contract.imageEdits, (ctx, _input, reply, { body, headers }) => edits(pictures, ctx, body, headers['content-type'], reply))
  serveRaw(app, contract.audioSpeech, (ctx, input, reply) => speech(speaking, ctx, input, reply))
  serveRaw(app, contract.audioTranscriptions, (ctx, _input, reply, { body, headers }) =>
    transcriptions(speaking, ctx, body, headers['content-type'], reply),
  )
}
