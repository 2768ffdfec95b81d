import type { esrganInput, FluxDevInput } from '@fal-ai/client/endpoints'
import type { GenerateContentConfig, ImageConfig } from '@google/genai'
import type OpenAI from 'openai'

// The parameters each provider takes, from the types of its own package, so that a new version shows here. Anything else is refused.

type Edits = Exclude<keyof OpenAI.ImageEditParams, keyof OpenAI.ImageGenerateParams>
const openai: Record<keyof OpenAI.ImageGenerateParams, true> = {
  prompt: true,
  background: true,
  complexity: true,
  frame_count: true,
  frame_duration_ms: true,
  model: true,
  moderation: true,
  n: true,
  output_compression: true,
  output_format: true,
  partial_images: true,
  quality: true,
  response_format: true,
  safety_identifier: true,
  size: true,
  stream: true,
  style: true,
  svg: true,
  user: true,
}
const edits: Record<Edits, true> = { image: true, input_fidelity: true, mask: true, markup: true }
const flux: Record<keyof FluxDevInput, true> = {
  acceleration: true,
  enable_safety_checker: true,
  guidance_scale: true,
  image_size: true,
  num_images: true,
  num_inference_steps: true,
  output_format: true,
  prompt: true,
  seed: true,
  sync_mode: true,
}
const esrgan: Record<keyof esrganInput, true> = { face: true, image_url: true, model: true, output_format: true, scale: true, tile: true }
/** Of Gemini's many settings these concern a picture; each is a name of its own types. */
const gemini = [
  'responseModalities',
  'imageConfig',
  'seed',
  'temperature',
  'topP',
  'topK',
  'candidateCount',
] as const satisfies readonly (keyof GenerateContentConfig)[]
const geminiImage = ['aspectRatio', 'imageSize', 'personGeneration'] as const satisfies readonly (keyof ImageConfig)[]

const beyond = (known: object | readonly string[], given: object) =>
  Object.keys(given).find((name) => !(Array.isArray(known) ? known.includes(name) : Object.hasOwn(known, name)))

/** The first parameter that a provider does not have. */
export const unknownImageParameter = {
  generations: (body: object) => beyond(openai, body),
  edits: (body: object) => beyond({ ...openai, ...edits }, body),
  flux: (body: object) => beyond(flux, body),
  esrgan: (body: object) => beyond(esrgan, body),
  google: (body: Record<string, any>) =>
    beyond(['contents', 'generationConfig', 'safetySettings', 'systemInstruction', 'tools'], body) ??
    beyond(gemini, body.generationConfig ?? {}) ??
    beyond(geminiImage, body.generationConfig?.imageConfig ?? {}),
}

/** Gemini's pixels for a ratio, at 1K. */
export const geminiPixels: Record<string, [number, number]> = {
  '1:1': [1024, 1024],
  '2:3': [832, 1248],
  '3:2': [1248, 832],
  '3:4': [864, 1184],
  '4:3': [1184, 864],
  '9:16': [768, 1344],
  '16:9': [1344, 768],
  '21:9': [1536, 672],
}

/** Why GPT Image would not take a size; null where it would. */
export function wrongSize(size: string): string | null {
  const [width, height] = size.split('x').map(Number) as [number, number]
  if (size === 'auto') return null
  if (!(width > 0 && height > 0)) return `Invalid value: '${size}'.`
  if (width % 16 || height % 16) return `Invalid size '${size}'. Width and height must both be divisible by 16.`
  if (Math.max(width, height) > 3840 || Math.max(width, height) > 3 * Math.min(width, height)) return `Invalid size '${size}'.`
  if (width * height < 655_360) return `Invalid size '${size}'. Requested resolution is below the current minimum pixel budget.`
  if (width * height > 8_294_400) return `Invalid size '${size}'. Requested resolution is above the current maximum pixel budget.`
  return null
}
