import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { accountHeader, type Fault, type Faults } from '../core/faults.ts'
import type { Truth } from '../core/truth.ts'
import { bodyOf, spoiled } from '../images/server.ts'
import { fail, reply } from '../models/replies.ts'
import { heard } from './ear.ts'
import { hearingModels, openaiVoices, speechModels, tellsLogprobs, unknownSpeechParameter } from './parameters.ts'
import { mp3, voiceOf } from './voice.ts'
import { pcm, wav } from './wav.ts'

type Options = { faults: Faults; truth: Truth; pace: number }

const LONGEST_TEXT = 4096
const LONGEST_ELEVEN_TEXT = 10_000
const LARGEST_AUDIO = 25 * 1024 * 1024
/** Half a second of sound goes out at once. */
const FRAMES_A_WRITE = 20
const FORMATS = ['mp3', 'wav', 'pcm']

/** Speech in two wires, OpenAI's and ElevenLabs', and OpenAI's transcriptions. Says whether the request was one of theirs. */
export function speechServer({ faults, truth, pace }: Options) {
  const faultFor = (request: IncomingMessage, model: string): Fault | undefined =>
    faults.take(
      'openai',
      `${request.method} ${request.url} ${model}`,
      () => accountHeader(request.headers),
      request.headers['x-sandbox-fault'],
    )
  const record = (kind: 'speech' | 'transcription', upstream: string, request: IncomingMessage, facts: object) =>
    truth.log('openai', kind, { upstream, account: accountHeader(request.headers)[0] ?? null, ...facts })

  async function send(response: ServerResponse, fault: Fault | undefined, pieces: Iterable<Uint8Array>, headers: Record<string, string>) {
    response.writeHead(200, headers)
    let waiting: Uint8Array[] = []
    let written = 0
    for (const piece of pieces) {
      waiting.push(piece)
      if (waiting.length < FRAMES_A_WRITE) continue
      response.write(Buffer.concat(waiting))
      waiting = []
      written++
      if (fault?.kind === 'truncate' || fault?.kind === 'reset_after') return void response.destroy()
      if (response.destroyed) return
      await wait(pace)
    }
    if (written === 0 && (fault?.kind === 'truncate' || fault?.kind === 'reset_after')) return void response.destroy()
    response.end(Buffer.concat(fault?.kind === 'empty_choices' ? [] : waiting))
  }

  async function openaiSpeech(request: IncomingMessage, response: ServerResponse) {
    const invalid = (message: string, param: string | null = null, code: string | null = null) =>
      fail(response, 400, message, 'invalid_request_error', code, param)
    const body = await bodyOf(request)
    if (!body) return invalid('We could not parse the JSON body of your request.')
    const unknown = unknownSpeechParameter.speech(body)
    if (unknown) return invalid(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter')
    const { model, input, voice, response_format: format = 'mp3', speed = 1 } = body
    if (!speechModels.includes(model))
      return fail(response, 404, `The model '${model}' does not exist`, 'invalid_request_error', 'model_not_found')
    if (typeof input !== 'string' || !input) return invalid("Missing required parameter: 'input'.", 'input', 'missing_required_parameter')
    if (input.length > LONGEST_TEXT)
      return invalid(
        `Invalid 'input': string too long. Expected a string with maximum length ${LONGEST_TEXT}.`,
        'input',
        'string_above_max_length',
      )
    if (!openaiVoices.includes(voice))
      return invalid(`Invalid value: '${voice}'. Supported values are: ${openaiVoices.join(', ')}.`, 'voice', 'invalid_value')
    if (!(speed >= 0.25 && speed <= 4)) return invalid("Invalid 'speed': must be between 0.25 and 4.", 'speed', 'decimal_out_of_range')
    if (!FORMATS.includes(format))
      return invalid(`The sandbox makes ${FORMATS.join(', ')}, not ${format}.`, 'response_format', 'invalid_value')
    const fault = faultFor(request, model)
    if (await spoiled(fault, response)) return
    await wait(pace * 2)
    record('speech', 'openai', request, { model, voice, characters: input.length })
    const speaker = voiceOf(voice)
    if (format === 'mp3') return send(response, fault, mp3(input, speaker, speed), { 'content-type': 'audio/mpeg' })
    const whole = format === 'wav' ? wav(input, speaker, speed) : pcm(input, speaker, speed)
    return send(response, fault, [whole], { 'content-type': format === 'wav' ? 'audio/wav' : 'audio/pcm' })
  }

  async function transcription(request: IncomingMessage, response: ServerResponse) {
    const invalid = (message: string, param: string | null = null, code: string | null = null) =>
      fail(response, 400, message, 'invalid_request_error', code, param)
    const body = await bodyOf(request)
    if (!body) return invalid('We could not parse the body of your request.')
    const unknown = unknownSpeechParameter.transcription(body)
    if (unknown) return invalid(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter')
    const { file, model, include, response_format: format = 'json' } = body
    if (!Buffer.isBuffer(file)) return invalid("Missing required parameter: 'file'.", 'file', 'missing_required_parameter')
    if (!hearingModels.includes(model))
      return fail(response, 404, `The model '${model}' does not exist`, 'invalid_request_error', 'model_not_found')
    if (file.length > LARGEST_AUDIO)
      return fail(response, 413, 'Maximum content size limit (26214400) exceeded.', 'invalid_request_error', null)
    if (include && !tellsLogprobs(model)) return invalid(`Logprobs are not supported with ${model}.`, 'include', 'unsupported_parameter')
    const fault = faultFor(request, model)
    if (await spoiled(fault, response)) return
    const found = heard(file)
    if (!found) return invalid('Audio file might be corrupted or unsupported', 'file', 'invalid_value')
    await wait(pace * 4)
    const { seconds, logprob } = found
    const text = fault?.kind === 'empty_choices' ? '' : found.text
    record('transcription', 'openai', request, { model, seconds })
    if (format === 'text') return void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
    const usage =
      model === 'whisper-1'
        ? { type: 'duration', seconds: Math.ceil(seconds) }
        : {
            type: 'tokens',
            input_tokens: Math.ceil(seconds * 10),
            output_tokens: Math.ceil(text.length / 4),
            total_tokens: Math.ceil(seconds * 10) + Math.ceil(text.length / 4),
            input_token_details: { text_tokens: 0, audio_tokens: Math.ceil(seconds * 10) },
          }
    const logprobs = text
      .match(/\s*\S+/g)
      ?.map((token, at) => ({ token, logprob: logprob * (1 + (at % 3) / 10), bytes: [...Buffer.from(token)] }))
    reply(response, { text, ...(include && { logprobs: logprobs ?? [] }), usage })
  }

  async function eleven(request: IncomingMessage, response: ServerResponse, voiceId: string) {
    const refuse = (status: number, type: string, message: string) => reply(response, { detail: { status: type, message } }, status)
    if (!request.headers['xi-api-key']) return refuse(401, 'invalid_api_key', 'Invalid API key')
    const body = await bodyOf(request)
    if (!body) return refuse(422, 'invalid_body', 'The body is not JSON.')
    const unknown = unknownSpeechParameter.eleven(body)
    if (unknown)
      return reply(response, { detail: [{ loc: ['body', unknown], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }] }, 422)
    const { text, model_id = 'eleven_multilingual_v2' } = body
    if (typeof text !== 'string' || !text)
      return reply(response, { detail: [{ loc: ['body', 'text'], msg: 'Field required', type: 'missing' }] }, 422)
    if (text.length > LONGEST_ELEVEN_TEXT) return refuse(400, 'max_character_limit_exceeded', 'This request exceeds the character limit.')
    if (!/^[A-Za-z0-9]{20}$/.test(voiceId)) return refuse(404, 'voice_not_found', `A voice with voice_id ${voiceId} was not found.`)
    if (!/^eleven_/.test(model_id)) return refuse(400, 'model_not_found', `A model with model ID ${model_id} does not exist.`)
    const fault = faultFor(request, model_id)
    if (await spoiled(fault, response)) return
    await wait(pace * 2)
    record('speech', 'elevenlabs', request, { model: model_id, voice: voiceId, characters: text.length })
    await send(response, fault, mp3(text, voiceOf(voiceId)), { 'content-type': 'audio/mpeg', 'request-id': randomUUID() })
  }

  return async function serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
    if (request.method !== 'POST') return false
    const voice = /^\/elevenlabs\/v1\/text-to-speech\/([^/]+)(?:\/stream)?$/.exec(path)?.[1]
    if (voice) await eleven(request, response, voice)
    else if (path.endsWith('/audio/speech')) await openaiSpeech(request, response)
    else if (path.endsWith('/audio/transcriptions')) await transcription(request, response)
    else return false
    return true
  }
}
