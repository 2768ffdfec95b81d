import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { accountHeader, type Fault, type Faults } from '../core/faults.ts'
import type { State } from '../core/state.ts'
import type { Truth } from '../core/truth.ts'
import { readBody } from '../core/wire.ts'
import { fail, ordered, reply } from '../models/replies.ts'
import { enlarge, isOtherSize, type Painting, paint, paintOver, paintPart, seedOf, sizeOf } from './paint.ts'
import { geminiPixels, unknownImageParameter, wrongSize } from './parameters.ts'

type Options = { faults: Faults; truth: Truth; state: State; pace: number }
type Asked = Record<string, any>

/** Where fal's pictures lie. */
export const DRAWN = '/fal/drawn/'
/** A picture takes many times as long as a piece of text. */
const STEPS_A_PACE = 30
/** The model that enlarges a picture, and how many pictures it remembers. */
const ENLARGER = 'fal-ai/esrgan'
const MOST_SOURCES = 50
/** Words that a provider's moderation refuses. */
const FORBIDDEN = /\b(?:gore|nude|naked|beheading)\b/i

/** Pictures in three wires: OpenAI's images, Gemini's `generateContent`, and fal's queue. Says whether the request was one of theirs. */
export function imageServer({ faults, truth, state, pace }: Options) {
  const step = pace * STEPS_A_PACE
  const orders = state.table<FalOrder>('fal_requests')
  const sources = new Map<string, Buffer>()

  const faultFor = (request: IncomingMessage, model: string): Fault | undefined =>
    faults.take(
      'openai',
      `${request.method} ${request.url} ${model}`,
      () => accountHeader(request.headers),
      request.headers['x-sandbox-fault'],
    )

  /** It was made, and the provider bills it, whether or not its caller hears of it. */
  const record = (upstream: string, request: IncomingMessage, facts: object) =>
    truth.log('openai', 'image', { upstream, account: accountHeader(request.headers)[0] ?? null, ...facts })

  async function openai(request: IncomingMessage, response: ServerResponse, edits: boolean) {
    const invalid = (message: string, param: string | null = null, code: string | null = null) =>
      fail(response, 400, message, 'invalid_request_error', code, param)
    const body = await bodyOf(request)
    if (!body) return invalid('We could not parse the body of your request.')
    const unknown = unknownImageParameter[edits ? 'edits' : 'generations'](body)
    if (unknown) return invalid(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter')
    const { prompt, model = '', size = 'auto', stream, partial_images = 0, n = 1 } = body
    if (!prompt) return invalid("Missing required parameter: 'prompt'.", 'prompt', 'missing_required_parameter')
    if (/^(?:gpt-image-1|dall-e-[23])$/.test(model))
      return fail(response, 404, `The model '${model}' has been shut down.`, 'invalid_request_error', 'model_not_found')
    const isGpt = model.startsWith('gpt-image')
    if (isGpt && body.response_format) return invalid("Unknown parameter: 'response_format'.", 'response_format', 'unknown_parameter')
    const wrong = wrongSize(String(size))
    if (wrong) return invalid(wrong, 'size', 'invalid_value')
    if (FORBIDDEN.test(prompt)) return invalid('Your request was rejected by the safety system.', null, 'moderation_blocked')
    const fault = faultFor(request, model)
    if (await spoiled(fault, response)) return
    const [width, height] = size === 'auto' ? [1024, 1024] : (String(size).split('x').map(Number) as [number, number])
    const source: Buffer | undefined = Buffer.isBuffer(body.image) ? body.image : undefined
    if (edits && !source) return invalid("Missing required parameter: 'image'.", 'image', 'missing_required_parameter')
    const mask: Buffer | undefined = Buffer.isBuffer(body.mask) ? body.mask : undefined
    if (mask && (await isOtherSize(mask, source!)))
      return invalid('Invalid mask image size: the mask must be as large as the image.', 'mask', 'invalid_mask_image_size')
    const finished = (painted: Painting) => (source ? paintOver(painted, source, mask) : paint(painted))
    const painting: Painting = {
      prompt: String(prompt),
      width,
      height,
      seed: seedOf(`${prompt}${body.image?.length ?? ''}${randomUUID()}`),
    }
    const created = Math.floor(Date.now() / 1000)
    const beside = {
      created_at: created,
      size: `${width}x${height}`,
      quality: body.quality ?? 'high',
      background: 'opaque',
      output_format: 'png',
    }
    const usage = usageOf(String(prompt), width * height, Boolean(body.image))
    if (!(stream === true || stream === 'true')) {
      await wait(step)
      const data = await Promise.all(
        Array.from({ length: Number(n) }, async (_, at) => ({
          b64_json: (await finished({ ...painting, seed: painting.seed + at })).toString('base64'),
        })),
      )
      record('openai', request, { model, size, pictures: data.length, stream: false })
      const { created_at, ...rest } = beside
      const answer = JSON.stringify({ created: created_at, ...rest, data: fault?.kind === 'empty_choices' ? [] : data, usage })
      return breakable(response, fault, answer, 'application/json')
    }
    const name = edits ? 'image_edit' : 'image_generation'
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (type: string, more: object) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more, ...beside })}\n\n`)
    for (let at = 0; at < Number(partial_images); at++) {
      await wait(step)
      if (response.destroyed) return
      const part = await paintPart(painting, (at + 1) / (Number(partial_images) + 1))
      send(`${name}.partial_image`, { partial_image_index: at, b64_json: part.toString('base64') })
      if (fault?.kind === 'truncate' || fault?.kind === 'malformed_event')
        return void response.end(fault.kind === 'truncate' ? undefined : 'data: {"type": \n\n')
    }
    await wait(step)
    const image = await finished(painting)
    record('openai', request, { model, size, pictures: 1, stream: true })
    if (fault?.kind === 'reset_after') return void response.socket?.resetAndDestroy()
    if (fault?.kind === 'missing_end') return void response.end()
    send(`${name}.completed`, { b64_json: fault?.kind === 'empty_choices' ? '' : image.toString('base64'), usage })
    response.end()
  }

  async function google(request: IncomingMessage, response: ServerResponse, path: string) {
    const model = /\/models\/([^/:]+):/.exec(path)?.[1] ?? ''
    const refuse = (message: string, code = 400, status = 'INVALID_ARGUMENT') => reply(response, { error: { code, message, status } }, code)
    const body = await bodyOf(request)
    if (!body) return refuse('Invalid JSON payload received.')
    const unknown = unknownImageParameter.google(body)
    if (unknown) return refuse(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`)
    const parts: Asked[] = (body.contents ?? []).flatMap((content: Asked) => content.parts ?? [])
    const prompt = parts
      .map(({ text }) => text ?? '')
      .join(' ')
      .trim()
    if (!prompt) return refuse('* GenerateContentRequest.contents: contents is not specified')
    const ratio = body.generationConfig?.imageConfig?.aspectRatio ?? '1:1'
    const pixels = geminiPixels[ratio]
    if (!pixels) return refuse(`Invalid aspect ratio: ${ratio}`)
    const fault = faultFor(request, model)
    if (await spoiled(fault, response)) return
    await wait(3 * step)
    const [width, height] = pixels
    const usage = {
      promptTokenCount: Math.ceil(prompt.length / 4),
      candidatesTokenCount: 1290,
      totalTokenCount: Math.ceil(prompt.length / 4) + 1290,
    }
    const blocked = FORBIDDEN.test(prompt)
    const empty = blocked || fault?.kind === 'empty_choices'
    const seed = body.generationConfig?.seed ?? seedOf(prompt + randomUUID())
    const drawn = empty
      ? []
      : [{ inlineData: { mimeType: 'image/png', data: (await paint({ prompt, width, height, seed })).toString('base64') } }]
    if (!empty) record('google', request, { model, size: `${width}x${height}`, pictures: 1 })
    const finishReason = blocked ? 'IMAGE_SAFETY' : empty ? 'NO_IMAGE' : 'STOP'
    const candidate = { content: { role: 'model', parts: drawn }, finishReason, index: 0 }
    breakable(
      response,
      fault,
      JSON.stringify({ candidates: [candidate], usageMetadata: usage, modelVersion: model, responseId: randomUUID() }),
      'application/json',
    )
  }

  async function fal(request: IncomingMessage, response: ServerResponse, path: string) {
    if (path.startsWith(DRAWN)) return falPicture(response, path.slice(DRAWN.length).replace(/\.png$/, ''))
    const found = /^\/fal\/([\w-]+\/[\w-]+)\/requests\/([\w-]+)(\/status|\/cancel)?$/.exec(path)
    const origin = `http://${request.headers.host}`
    const addresses = (app: string, id: string) => {
      const response_url = `${origin}/fal/${app}/requests/${id}`
      return { request_id: id, response_url, status_url: `${response_url}/status`, cancel_url: `${response_url}/cancel` }
    }
    if (found) {
      const [, app = '', id = '', what] = found
      const order = orders.get(id)
      if (!order) return reply(response, { detail: 'Request not found' }, 404)
      const fault = faultFor(request, order.model)
      if (await spoiled(fault, response)) return
      const isDone = Date.now() >= order.doneAt
      if (what === '/cancel') {
        if (isDone) return reply(response, { status: 'ALREADY_COMPLETED' }, 400)
        orders.delete(id)
        return reply(response, { status: 'CANCELLATION_REQUESTED' }, 202)
      }
      const status = isDone ? 'COMPLETED' : 'IN_PROGRESS'
      if (what === '/status')
        return reply(
          response,
          { status, ...addresses(app, id), logs: [], ...(isDone && { metrics: { inference_time: 2.1 } }) },
          isDone ? 200 : 202,
        )
      if (!isDone) return reply(response, { detail: 'Request is still in progress' }, 400)
      const { width, height, seed, prompt, pictures } = order
      const image = { url: `${origin}${DRAWN}${id}.png`, width, height, content_type: 'image/png' }
      if (order.model === ENLARGER) {
        const file = { ...image, file_name: `${id}.png`, file_size: sources.get(id)?.length ?? 0 }
        return breakable(response, fault, JSON.stringify(fault?.kind === 'empty_choices' ? {} : { image: file }), 'application/json')
      }
      const images = fault?.kind === 'empty_choices' ? [] : Array.from({ length: pictures }, () => image)
      return breakable(
        response,
        fault,
        JSON.stringify({ images, timings: { inference: 2.1 }, seed, has_nsfw_concepts: images.map(() => FORBIDDEN.test(prompt)), prompt }),
        'application/json',
      )
    }
    const model = path.slice('/fal/'.length)
    const body = await bodyOf(request)
    const wrong = (loc: string, msg: string, type: string) => reply(response, { detail: [{ loc: ['body', loc], msg, type }] }, 422)
    if (request.method !== 'POST' || !body) return reply(response, { detail: 'Not Found' }, 404)
    const enlarges = model === ENLARGER
    const unknown = unknownImageParameter[enlarges ? 'esrgan' : 'flux'](body)
    if (unknown) return wrong(unknown, 'extra fields not permitted', 'value_error.extra')
    const source = enlarges ? await sourceIn(body.image_url) : null
    if (enlarges && !body.image_url) return wrong('image_url', 'field required', 'value_error.missing')
    if (enlarges && !source) return wrong('image_url', 'Failed to load the image', 'image_load_error')
    if (!enlarges && !body.prompt) return wrong('prompt', 'field required', 'value_error.missing')
    const fault = faultFor(request, model)
    if (await spoiled(fault, response)) return
    const scale = Number(body.scale ?? 2)
    const { width = 1024, height = 768 } = source
      ? { width: source.width * scale, height: source.height * scale }
      : typeof body.image_size === 'object'
        ? body.image_size
        : {}
    if (width > 14_142 || height > 14_142 || width * height > 14_000_000)
      return wrong(source ? 'scale' : 'image_size', 'image is too large', 'value_error')
    const id = randomUUID()
    const seed = body.seed ?? seedOf(id)
    orders.put({
      id,
      model,
      prompt: String(body.prompt ?? ''),
      width,
      height,
      seed,
      pictures: Number(body.num_images ?? 1),
      doneAt: Date.now() + 4 * step,
    })
    if (source) sources.set(id, source.bytes)
    if (sources.size > MOST_SOURCES) sources.delete(sources.keys().next().value!)
    record('fal', request, { model, size: `${width}x${height}`, pictures: Number(body.num_images ?? 1), request_id: id })
    if (fault?.kind === 'reset_after') return void response.socket?.resetAndDestroy()
    reply(response, { status: 'IN_QUEUE', queue_position: 0, ...addresses(model.split('/').slice(0, 2).join('/'), id) })
  }

  async function falPicture(response: ServerResponse, id: string) {
    const order = orders.get(id)
    const source = sources.get(id)
    if (!order || (order.model === ENLARGER && !source)) return reply(response, { detail: 'Not Found' }, 404)
    const picture = await (source ? enlarge(source, order.width, order.height) : paint(order))
    response.writeHead(200, { 'content-type': 'image/png' }).end(picture)
  }

  return async function serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
    const [, wire] = path.split('/')
    const edits = path.endsWith('/images/edits')
    if (edits || path.endsWith('/images/generations')) await openai(request, response, edits)
    else if (wire === 'google' && path.endsWith(':generateContent')) await google(request, response, path)
    else if (wire === 'fal') await fal(request, response, path)
    else return false
    return true
  }
}

/** Of a picture that travels in the request; one of another site is not fetched here. */
async function sourceIn(url: unknown): Promise<{ bytes: Buffer; width: number; height: number } | null> {
  const data = /^data:image\/(?:png|jpeg|webp);base64,(.+)$/.exec(String(url))?.[1]
  if (!data) return null
  const bytes = Buffer.from(data, 'base64')
  return sizeOf(bytes).then(
    ({ width, height }) => ({ bytes, width, height }),
    () => null,
  )
}

type FalOrder = { id: string; model: string; prompt: string; width: number; height: number; seed: number; pictures: number; doneAt: number }

function breakable(response: ServerResponse, fault: Fault | undefined, body: string, type: string) {
  if (fault?.kind === 'reset_after') return void response.socket?.resetAndDestroy()
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  if (fault?.kind === 'truncate') return void response.write(body.slice(0, body.length >> 1), () => response.destroy())
  response.end(fault?.kind === 'malformed_event' ? body.replaceAll('"', "'") : body)
}

function usageOf(prompt: string, pixels: number, hasImage: boolean) {
  const text = Math.ceil(prompt.length / 4)
  const image = hasImage ? 323 : 0
  const output = Math.round((4160 * pixels) / (1024 * 1024))
  return {
    total_tokens: text + image + output,
    input_tokens: text + image,
    output_tokens: output,
    input_tokens_details: { text_tokens: text, image_tokens: image },
  }
}

/** Faults before anything is made. Says whether the request is over. */
export async function spoiled(fault: Fault | undefined, response: ServerResponse): Promise<boolean> {
  if (fault?.kind === 'slow_headers') await wait(fault.ms ?? 30_000)
  if (fault?.kind === 'hung') return true
  if (fault?.kind === 'reset_before') response.socket?.resetAndDestroy()
  if (fault?.kind === 'status') ordered(response, fault)
  if (fault?.kind === 'wrong_content_type')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Just a moment...</body></html>')
  return ['reset_before', 'status', 'wrong_content_type'].includes(fault?.kind ?? '')
}

/** JSON, or the fields of a form with its files as bytes. */
export async function bodyOf(request: IncomingMessage): Promise<Asked | null> {
  const body = await readBody(request)
  const type = request.headers['content-type'] ?? ''
  try {
    if (!type.startsWith('multipart/form-data')) return JSON.parse(body.toString('utf8')) as Asked
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
    const fields: Asked = {}
    for (const [name, value] of form)
      fields[name.replace(/\[\]$/, '')] = typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer())
    return fields
  } catch {
    return null
  }
}
