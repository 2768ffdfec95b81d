import {
  DEFAULT_IMAGE_MODEL,
  DEFAULT_IMAGE_SIZE,
  type ImageModel,
  type ImageSize,
  imageModelIds,
  imageSizes,
  LONGEST_IMAGE_PROMPT,
  MOST_IMAGES_AT_ONCE,
  takesMask,
  takesPictures,
} from '@operon/contracts/media/images'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { FastifyReply } from 'fastify'
import type { Deps } from '../pictures/deps.ts'
import { readFile } from '../pictures/files.ts'
import type { Brought } from '../pictures/inputs.ts'
import { waitFor } from '../pictures/made.ts'
import type { Picture } from '../pictures/picture.ts'
import { startPictures } from '../pictures/start.ts'
import type { MediaDb } from '../schema.ts'
import { formOf } from './form.ts'
import { admit, checked, oneOf, passes, refuse, words } from './key.ts'

/** OpenAI's own names of models that are here under another one. */
const others: Record<string, ImageModel> = {
  'dall-e-3': 'dalle-3',
  'dall-e-2': 'gpt-image-1',
  'gpt-image-1.5': 'gpt-image-1',
  'gpt-image-1-mini': 'gpt-image-1',
}
const QUALITIES = ['auto', 'high', 'hd', 'standard', 'medium', 'low']
const allowed = {
  prompt: (value: unknown) =>
    words(LONGEST_IMAGE_PROMPT)(value) ?? ((value as string).trim() ? undefined : 'a description of the picture is needed'),
  model: (value: string) => (modelOf(value) ? undefined : `there is no image model of this name; ${imageModelIds.join(', ')} are here`),
  n: (value: unknown) =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_IMAGES_AT_ONCE
      ? undefined
      : `1 to ${MOST_IMAGES_AT_ONCE} pictures at once are supported`,
  size: (value: string) => (value === 'auto' ? undefined : oneOf(...imageSizes)(value)),
  quality: oneOf(...QUALITIES),
  response_format: oneOf('b64_json', 'url'),
  output_format: oneOf('png'),
  background: oneOf('auto', 'opaque'),
  moderation: oneOf('auto'),
  stream: oneOf(true, false),
  partial_images: oneOf(0, 1, 2, 3),
  user: passes,
  safety_identifier: passes,
}
const modelOf = (name: string): ImageModel | undefined =>
  ((imageModelIds as readonly string[]).find((id) => id === name) as never) ?? others[name]

type Asked = {
  prompt: string
  model?: string
  n?: number
  size?: string
  response_format?: string
  stream?: boolean
}

export async function generations(deps: Deps, ctx: Ctx<MediaDb>, body: Record<string, unknown>, reply: FastifyReply) {
  return draw(deps, ctx, checked(body, allowed) as never, {}, reply)
}

export async function edits(deps: Deps, ctx: Ctx<MediaDb>, body: unknown, type: string | undefined, reply: FastifyReply) {
  const { fields, files } = await formOf(body, type)
  const { input_fidelity: _, ...rest } = fields
  const typed: Record<string, unknown> = { ...rest }
  for (const name of ['n', 'partial_images']) if (rest[name] !== undefined) typed[name] = Number(rest[name])
  if (rest.stream !== undefined) typed.stream = rest.stream === 'true'
  const asked = checked(typed, allowed) as unknown as Asked
  const { image, mask, ...unknown } = files
  const [other] = Object.keys(unknown)
  if (other) refuse(other, 'this parameter is not supported')
  if (!image) refuse('image', 'a picture to change is needed')
  const model = modelOf(asked.model ?? DEFAULT_IMAGE_MODEL)!
  if (!takesPictures(model)) refuse('model', 'this model draws from a prompt alone')
  if (mask && !takesMask(model)) throw new DomainError('image_no_mask')
  return draw(deps, ctx, asked, { files: image, mask: mask?.[0] }, reply)
}

async function draw(deps: Deps, ctx: Ctx<MediaDb>, asked: Asked, brought: Brought, reply: FastifyReply) {
  const { prompt, n: count = 1, size = 'auto', stream = false, response_format = 'b64_json' } = asked
  if (!prompt) refuse('prompt', 'a description of the picture is needed')
  await admit(deps.rt, ctx, count)
  const order = {
    prompt,
    model: modelOf(asked.model ?? DEFAULT_IMAGE_MODEL)!,
    size: (size === 'auto' ? DEFAULT_IMAGE_SIZE : size) as ImageSize,
    // A program is answered by the model that it asked for.
    ...{ count, brought, mayFallBack: false, feature: 'api' },
  }
  const begun = await startPictures(deps, ctx, order)
  const name = brought.files ? 'image_edit' : 'image_generation'
  if (stream) return streamed(deps, ctx, begun, name, reply)
  const ended = await Promise.allSettled(begun.map(({ id }) => waitFor(deps, ctx, id)))
  const made = ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  if (made.length === 0) throw (ended[0] as PromiseRejectedResult).reason
  const data = await Promise.all(
    made.map(async (picture) => (response_format === 'url' ? { url: picture.url! } : { b64_json: await base64Of(deps, ctx, picture) })),
  )
  return reply.send({ created: secondsOf(made[0]!), ...besideOf(made[0]!), data })
}

const secondsOf = ({ created_at }: Picture) => Math.floor(Date.parse(created_at) / 1000)
const besideOf = ({ size, answered_by }: Picture) => ({
  ...{ size, quality: 'high', background: 'opaque', output_format: 'png' },
  model: answered_by,
})
const base64Of = async (deps: Deps, ctx: Ctx<MediaDb>, { id }: Picture) => (await readFile(deps.storage, ctx, id)).toString('base64')

/** An event a picture, as each is done. Fewer rough versions than asked for may come, by the protocol: here none do. */
async function streamed(deps: Deps, ctx: Ctx<MediaDb>, begun: Picture[], name: string, reply: FastifyReply) {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  const send = (type: string, body: object) => raw.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`)
  await Promise.all(
    begun.map(async ({ id }) => {
      try {
        const picture = await waitFor(deps, ctx, id)
        send(`${name}.completed`, {
          b64_json: await base64Of(deps, ctx, picture),
          created_at: secondsOf(picture),
          ...besideOf(picture),
          usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, input_tokens_details: { image_tokens: 0, text_tokens: 0 } },
        })
      } catch (error) {
        if (!(error instanceof DomainError)) deps.rt.log.warn({ err: error, requestId: id }, 'a picture could not be sent')
        const { code, message } = error instanceof DomainError ? error : new DomainError('image_failed')
        send('error', { error: { message, type: 'server_error', code, param: null } })
      }
    }),
  )
  raw.end()
}
