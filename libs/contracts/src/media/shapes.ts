import { z } from 'zod'
import { id, text, time } from '../contract.ts'
import { enlargedSizes, imageModelIds, imageSizes, imageStyles, LONGEST_IMAGE_PROMPT, UPSCALER } from './images.ts'

export const ImageModelName = z.enum(imageModelIds)
export const ImageSizeName = z.enum(imageSizes)
export const PictureModelName = z.enum([...imageModelIds, UPSCALER])
export const PictureSizeName = z.enum([...imageSizes, ...enlargedSizes])
export const ImageStyleName = z.enum(imageStyles)
export const ImagePrompt = text(LONGEST_IMAGE_PROMPT).trim().min(1)
export const Seed = z.int().min(0).max(2_147_483_647)

export const pictureStates = ['queued', 'running', 'done', 'failed', 'cancelled'] as const

/** One picture, from the moment it is asked for. */
export const Picture = z.object({
  id: id('picture'),
  /** Asked for together. */
  batch_id: z.uuid(),
  state: z.enum(pictureStates),
  prompt: z.string(),
  style: ImageStyleName.nullable(),
  model: PictureModelName,
  /** The model that draws it: another one after a fallback. */
  used_model: PictureModelName,
  /** The provider's name of the model that drew it. */
  answered_by: z.string().nullable(),
  size: PictureSizeName,
  width: z.int(),
  height: z.int(),
  seed: z.int().nullable(),
  /** The picture that it is a variation of, or enlarges. */
  from_id: z.uuid().nullable(),
  /** The size that `upscale-image` would give it; null where it is as large as it gets, or nothing here enlarges. */
  enlarges_to: PictureSizeName.nullable(),
  sandbox: z.boolean(),
  percent: z.int(),
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
  saved: z.boolean(),
  shared: z.boolean(),
  bytes: z.int().nullable(),
  /** A few dozen bytes that draw a blurred preview, base64. */
  thumbhash: z.string().nullable(),
  /** Signed addresses, good for an hour at least; null until it is done. */
  url: z.string().nullable(),
  thumb_url: z.string().nullable(),
  created_at: time,
  finished_at: time.nullable(),
})
