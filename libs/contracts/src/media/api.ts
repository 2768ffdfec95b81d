import { z } from 'zod'
import { changing, col, endpoint, fn, id, reading, text } from '../contract.ts'
import {
  DEFAULT_IMAGE_MODEL,
  DEFAULT_IMAGE_SIZE,
  IMAGE_QUALITY,
  imageFormats,
  imageModelNames,
  imageSubject,
  MOST_IMAGE_REFERENCES,
  MOST_IMAGES_AT_ONCE,
  UPSCALER,
} from './images.ts'
import { ImageModelName, ImagePrompt, ImageSizeName, ImageStyleName, Picture, Seed } from './shapes.ts'

const pictureId = z.object({ picture_id: id('picture') })
const order = {
  prompt: ImagePrompt,
  model: ImageModelName.default(DEFAULT_IMAGE_MODEL),
  size: ImageSizeName.default(DEFAULT_IMAGE_SIZE),
  style: ImageStyleName.nullish(),
  seed: Seed.nullish(),
}
const FAILURES = ['limit_images', 'limit_budget', 'budget_held', 'image_failed', 'image_refused', 'image_unchecked', 'image_empty'] as const

export const startImages = fn('start-images', {
  access: 'user',
  rate: 'ai',
  maxBytes: 4 * 1024 * 1024,
  // Pictures that are brought along are read, encoded and stored, and no transaction waits for that.
  idempotent: 'two-phase',
  summary: 'Begins one to four pictures of a prompt, each a job of its own',
  description:
    'Answers at once. Progress and rough previews come over `/live` as `picture`. A picture uses an image of the plan when it is kept, and only then. One that is stopped after the model was asked counts toward the month’s model cost. Where the model cannot draw, Gemini is asked.',
  body: z.object({
    ...order,
    count: z.int().min(1).max(MOST_IMAGES_AT_ONCE).default(1),
    from_id: id('picture').nullish().describe('Draws a variation of this picture, or changes it within the mask'),
    reference_ids: z.array(id('upload')).max(MOST_IMAGE_REFERENCES).optional().describe('Uploads to draw from'),
    mask: z.base64().max(3_000_000).optional().describe('PNG over the first picture: what is transparent is drawn anew'),
  }),
  reply: z.object({ batch_id: z.uuid(), pictures: z.array(Picture) }),
  errors: ['limit_images', 'limit_budget', 'budget_held', 'image_variation', 'image_unreadable', 'image_no_mask'],
})

const made = {
  /** The same picture in the three shapes that clients read. */
  image: z.string().describe('The address of the picture'),
  images: z.array(z.string()),
  data: z.array(z.object({ url: z.string() })),
  picture_id: id('picture'),
  model: z.string(),
  answered_by: z.string(),
  sandbox: z.boolean(),
}
const sample = {
  image: 'https://app.example.com/files/v1/media/…',
  images: ['https://app.example.com/files/v1/media/…'],
  data: [{ url: 'https://app.example.com/files/v1/media/…' }],
  picture_id: '0199b1a2-7c00-7000-8000-000000000001',
  model: 'gpt-image-1',
  answered_by: 'gpt-image-2.6-flare',
  sandbox: false,
}
const enlarging: z.input<typeof Picture> = {
  id: '0199b1a2-7c00-7000-8000-000000000002',
  batch_id: '0199b1a2-7c00-7000-8000-000000000003',
  state: 'queued',
  prompt: 'A red bicycle',
  style: null,
  model: UPSCALER,
  used_model: UPSCALER,
  answered_by: null,
  size: '2048x2048',
  width: 2048,
  height: 2048,
  seed: null,
  from_id: sample.picture_id,
  enlarges_to: null,
  sandbox: false,
  percent: 0,
  problem: null,
  saved: false,
  shared: false,
  bytes: null,
  thumbhash: null,
  url: null,
  thumb_url: null,
  created_at: '2026-11-24T10:00:00.000Z',
  finished_at: null,
}
const clip = (said: string) => (said.length <= 160 ? said : `${said.slice(0, 159)}…`)

export const generateImage = fn('generate-image', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Makes one picture and answers with it',
  description:
    'Waits until the picture is kept. It uses one image of the plan, and none when no picture comes. The addresses are good for an hour; the picture stays in the Image Studio.',
  body: z.object({
    ...order,
    quality: text(20).optional().describe(`Every picture is drawn in quality ${IMAGE_QUALITY}`),
    fallback: z.boolean().default(false).describe('Ask Gemini when the model cannot draw'),
  }),
  reply: z.object(made),
  example: { request: { prompt: 'A red bicycle against a yellow wall', size: '1024x1024' }, reply: sample },
  errors: [...FAILURES],
  action: {
    title: 'Make an image',
    when: 'The person wants an image, picture, photo, illustration or logo made',
    effect: 'spends',
    unit: 'images',
    does: ({ prompt, model, size }) => `Makes one image of “${clip(prompt)}” with ${imageModelNames[model]} at ${size}. Uses 1 image.`,
    typed: {
      as: 'image',
      input: (said) => ({ prompt: imageSubject(said), model: 'gpt-image-1', size: '1024x1024', fallback: true }),
      says: ({ picture_id }) => `Here is your image:\n\n![Generated image](/dashboard/image-studio?image=${picture_id})`,
      failed: "I'm having trouble generating images right now. Please try again or visit the Image Studio directly.",
    },
  },
})

export const editImage = fn('edit-image', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Changes a picture as a sentence says and answers with the new one',
  description: 'The earlier picture stays. It uses one image of the plan, and none when no picture comes.',
  body: z.object({
    ...pictureId.shape,
    prompt: ImagePrompt.describe('What is to be different'),
    model: ImageModelName.default(DEFAULT_IMAGE_MODEL),
    size: ImageSizeName.default(DEFAULT_IMAGE_SIZE),
  }),
  reply: z.object(made),
  example: { request: { picture_id: sample.picture_id, prompt: 'Make the wall blue' }, reply: sample },
  errors: [...FAILURES, 'image_variation', 'image_no_source'],
  action: {
    title: 'Edit an image',
    when: 'The person wants an image that they made earlier to be changed',
    effect: 'spends',
    unit: 'images',
    does: ({ prompt, model }) =>
      `Changes one of your images with ${imageModelNames[model]}: “${clip(prompt)}”. Uses 1 image; the earlier one stays.`,
  },
})

export const upscaleImage = fn('upscale-image', {
  access: 'user',
  rate: 'ai',
  idempotent: true,
  summary: 'Begins a picture twice as wide and high as an earlier one',
  description:
    'Answers at once with the new picture, which is a job like any other; the earlier one stays. `enlarges_to` of a picture says whether and how far it can be enlarged here. It uses one image of the plan, and none when no picture comes.',
  body: pictureId,
  reply: Picture,
  example: { request: { picture_id: sample.picture_id }, reply: enlarging },
  errors: ['limit_images', 'limit_budget', 'budget_held', 'image_variation', 'image_no_upscale'],
  action: {
    title: 'Enlarge an image',
    when: 'The person wants an image that they made earlier to be larger, sharper or of a higher resolution',
    effect: 'spends',
    unit: 'images',
    does: () => 'Makes one of your images twice as wide and high. Uses 1 image; the earlier one stays.',
  },
})

export const geminiImage = fn('gemini-image', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Makes one picture with Gemini and answers with it',
  body: z.object({
    prompt: ImagePrompt,
    model: z.literal('gemini').default('gemini'),
    size: ImageSizeName.default(DEFAULT_IMAGE_SIZE),
    style: ImageStyleName.nullish(),
  }),
  reply: z.object(made),
  example: { request: { prompt: 'A red bicycle' }, reply: { ...sample, model: 'gemini', answered_by: 'gemini-2.5-flash-image' } },
  errors: [...FAILURES],
})

export const listImages = reading('list-images', {
  summary: 'The pictures of an account, newest first, 60 at a time',
  description: '`q` finds words of the prompt; `next` is where the following page begins, null on the last.',
  body: z
    .object({
      q: text(200).optional(),
      saved: z.boolean().optional().describe('Only those that were saved'),
      board_id: id('board').optional().describe('Only those on this board'),
      after: z.uuid().nullish(),
      limit: z.int().min(1).max(100).default(60),
    })
    .prefault({}),
  reply: z.object({ pictures: z.array(Picture), next: z.uuid().nullable() }),
  example: { request: { q: 'bicycle' }, reply: { pictures: [], next: null } },
  errors: [],
  action: {
    title: 'Find images',
    when: 'The person asks for images that they made earlier',
    effect: 'reads',
    evidence: {
      rows: 'pictures',
      columns: { prompt: col.text('Prompt'), model: col.text('Model'), size: col.text('Size'), created_at: col.time('Made') },
    },
  },
})

export const findImages = reading('find-images', {
  summary: 'Pictures by their ids, in any state; without ids, those that are being made',
  body: z.object({ ids: z.array(z.uuid()).max(60).optional() }).prefault({}),
  reply: z.object({ pictures: z.array(Picture) }),
})

export const cancelImage = fn('cancel-image', {
  access: 'user',
  summary: 'Stops a picture that is not done; it uses no image',
  body: pictureId,
  reply: z.object({ cancelled: z.boolean() }),
})

export const retryImage = fn('retry-image', {
  access: 'user',
  rate: 'ai',
  idempotent: true,
  summary: 'Begins a failed or stopped picture again',
  body: pictureId,
  reply: Picture,
  errors: ['limit_images', 'limit_budget', 'budget_held', 'image_not_retried'],
})

export const saveImage = fn('save-image', {
  access: 'user',
  summary: 'Keeps a picture among the saved ones, or takes it from them',
  body: pictureId.extend({ saved: z.boolean() }),
  reply: z.object({ saved: z.boolean() }),
})

export const restoreImage = fn('restore-image', {
  access: 'user',
  summary: 'Brings a deleted picture back within a day',
  body: pictureId,
  reply: z.object({ restored: z.boolean() }),
})

export const deleteImage = fn('delete-image', {
  access: 'user',
  summary: 'Deletes a picture; it can be brought back for a day, and its public link ends at once',
  body: pictureId,
  reply: z.object({ deleted: z.boolean() }),
})

export const unshareImage = changing('unshare-image', {
  summary: 'Ends the public link of a picture at once',
  description: 'Page and file answer 404 from the next request on. A new link is another one.',
  body: pictureId,
  reply: z.object({ revoked: z.boolean() }),
  example: { request: { picture_id: '0199b1a2-7c00-7000-8000-000000000001' }, reply: { revoked: true } },
  errors: [],
  action: {
    title: 'Revoke an image link',
    when: 'The person wants the public link of an image to stop working',
    effect: 'changes',
    does: () => 'Ends the public link of this image. People who have the link can no longer see it.',
  },
})

export const shareImage = changing('share-image', {
  summary: 'A public link to a picture, which can be revoked',
  description: 'Asked again, it answers with the same link. The page shows the picture and not its prompt.',
  body: pictureId,
  reply: z.object({ url: z.string() }),
  example: {
    request: { picture_id: '0199b1a2-7c00-7000-8000-000000000001' },
    reply: { url: 'https://app.example.com/shared/image/…' },
  },
  errors: [],
  action: {
    title: 'Share an image',
    when: 'The person wants a public link to an image that they made',
    effect: 'changes',
    does: () => 'Makes a public link to this image. Anyone with the link can see it until it is revoked.',
    undo: { contract: unshareImage, seconds: 600 },
  },
})

export const sharedImage = fn('shared-image', {
  access: 'public',
  rate: 'read',
  summary: 'Shows the picture behind a public link',
  body: z.object({ token: text(100) }),
  reply: z.object({ url: z.string(), width: z.int(), height: z.int(), thumbhash: z.string(), created_at: z.string() }),
})

export const imageStats = reading('image-stats', {
  summary: 'How many pictures an account has made, and how long they take',
  body: z.object({}).prefault({}),
  reply: z.object({
    total: z.int(),
    this_month: z.int(),
    saved: z.int(),
    /** Seconds from the order to the picture, over the last hundred; null before the first. */
    average_seconds: z.number().nullable(),
  }),
})

export const publishImage = fn('publish-image', {
  access: 'user',
  rate: 'write',
  idempotent: 'two-phase',
  summary: 'A public address of a picture that stays, for an email or an ad',
  description:
    'A copy as JPEG, at most 1,200 pixels wide, without its prompt. It is a file of the Library and counts against its space; the address ends when that file is deleted. Asked again, it answers with the same address.',
  body: z
    .object({ picture_id: id('picture').optional(), file_id: id('upload').optional() })
    .refine(({ picture_id, file_id }) => Boolean(picture_id) !== Boolean(file_id), 'Give a picture or an upload')
    .meta({
      examples: [{ picture_id: '0199b1a2-7c00-7000-8000-000000000001' }, { file_id: '0199b1a2-7c00-7000-8000-000000000002' }],
    }),
  reply: z.object({
    file_id: id('upload'),
    url: z.string(),
    width: z.int(),
    height: z.int(),
    alt: z.string().describe('What the picture shows, as far as it is known'),
  }),
  example: {
    request: { picture_id: sample.picture_id },
    reply: {
      file_id: '0199b1a2-7c00-7000-8000-000000000004',
      url: 'https://app.example.com/files/v1/media/~public/0199b1a2-7c00-7000-8000-000000000004.jpg',
      width: 1024,
      height: 1024,
      alt: 'A red bicycle',
    },
  },
  errors: ['not_found', 'anonymous_no_address', 'image_unreadable', 'image_refused', 'image_unchecked', 'storage_quota'],
  action: {
    title: 'Give an image a public address',
    when: 'The person wants an image of theirs in an email, an ad or another place that loads it by its address',
    effect: 'changes',
    does: () => 'Makes a copy of this image that anyone with its address can load, until it is deleted from the Library.',
  },
})

export const openPublic = endpoint({
  method: 'GET',
  path: '/files/v1/media/~public/:name',
  access: 'public',
  rate: 'read',
  raw: true,
  summary: 'A picture that was given a public address',
  params: z.object({ name: text(60) }),
  reply: z.unknown(),
  contentType: 'image/jpeg',
})

export const openPicture = endpoint({
  method: 'GET',
  path: '/files/v1/media/~pictures/:picture_id',
  access: 'user',
  rate: 'read',
  raw: true,
  summary: 'A picture as a file: as it was made, or as PNG, WebP or JPEG, in any smaller width',
  params: pictureId,
  query: z.object({ format: z.enum(imageFormats).default('original'), width: z.coerce.number().int().min(16).max(4096).optional() }),
  reply: z.unknown(),
  contentType: 'image/png',
})

export const openShared = endpoint({
  method: 'GET',
  path: '/files/v1/media/~shared/:token',
  access: 'public',
  rate: 'read',
  raw: true,
  summary: 'The picture behind a public link',
  params: z.object({ token: text(100) }),
  reply: z.unknown(),
  contentType: 'image/png',
})
