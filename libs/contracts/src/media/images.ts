// The choices of the Image Studio. No zod here: the screen loads this file.

export const imageStyles = ['realistic', 'cartoon', 'artistic', 'professional', 'vintage', 'futuristic'] as const
export type ImageStyle = (typeof imageStyles)[number]

export const imageSizes = ['512x512', '1024x1024', '1024x768', '768x1024', '1920x1080'] as const
export type ImageSize = (typeof imageSizes)[number]
export const DEFAULT_IMAGE_SIZE: ImageSize = '1024x1024'

export const imageModelIds = ['gpt-image-1', 'dalle-3', 'gemini', 'flux'] as const
export type ImageModel = (typeof imageModelIds)[number]
export const DEFAULT_IMAGE_MODEL: ImageModel = 'gpt-image-1'
/** Draws when the chosen model cannot. */
export const FALLBACK_IMAGE_MODEL: ImageModel = 'gemini'
/** The quality that the specification asks of every model that has a choice. */
export const IMAGE_QUALITY = 'high'
export const MOST_IMAGES_AT_ONCE = 4
/** Pictures that one picture is drawn from. */
export const MOST_IMAGE_REFERENCES = 4
export const LONGEST_IMAGE_PROMPT = 4000
export const DEFAULT_IMAGE_SUBJECT = 'a beautiful landscape'

/** Enlarges what another model has drawn, and draws nothing itself. */
export const UPSCALER = 'esrgan'
export const ENLARGES_BY = 2
export type PictureModel = ImageModel | typeof UPSCALER
export const enlargedSizes = ['2048x2048', '2048x1536', '1536x2048', '3840x2160'] as const
/** Of a picture that is there: one of the sizes to draw, or one of them enlarged. */
export type PictureSize = ImageSize | (typeof enlargedSizes)[number]
export const isDrawer = (model: PictureModel): model is ImageModel => model !== UPSCALER
export const isDrawnSize = (size: PictureSize): size is ImageSize => (imageSizes as readonly string[]).includes(size)

/** Twice as wide and high; null for what was enlarged as far as it goes. */
export function enlargedSize(size: PictureSize): PictureSize | null {
  const name = pixelsOf(size)
    .map((edge) => edge * ENLARGES_BY)
    .join('x') as PictureSize
  return isDrawnSize(name) || (enlargedSizes as readonly string[]).includes(name) ? name : null
}

export const imageModelNames: Record<PictureModel, string> = {
  'gpt-image-1': 'GPT Image',
  'dalle-3': 'DALL·E 3',
  gemini: 'Gemini',
  flux: 'FLUX',
  esrgan: 'Real-ESRGAN',
}

export const imageFormats = ['original', 'png', 'webp', 'jpeg'] as const
export type ImageFormat = (typeof imageFormats)[number]

type Pixels = [width: number, height: number]
export const pixelsOf = (size: string): Pixels => size.split('x').map(Number) as Pixels

/** How many pixels a model draws for each size, where that is not the size itself. */
const drawn: Record<ImageModel, Partial<Record<ImageSize, Pixels>>> = {
  // Edges are multiples of 16, and 655,360 pixels the least.
  'gpt-image-1': { '512x512': [1024, 1024], '1920x1080': [1920, 1088] },
  'dalle-3': { '512x512': [1024, 1024], '1920x1080': [1920, 1088] },
  // Only ratios can be asked for; these are the pixels that come.
  gemini: { '512x512': [1024, 1024], '1024x768': [1184, 864], '768x1024': [864, 1184], '1920x1080': [1344, 768] },
  flux: { '1920x1080': [1920, 1088] },
}

/** The size asked of the model. The picture is then cut and scaled to exactly the wanted one. */
export const drawnPixels = (model: PictureModel, size: PictureSize): Pixels =>
  (isDrawer(model) && isDrawnSize(size) && drawn[model][size]) || pixelsOf(size)

/** How the picture gets its size, where the model does not draw it; null where it does. */
export function sizeNote(model: ImageModel, size: ImageSize): string | null {
  const [width, height] = drawnPixels(model, size)
  const [wantedWidth, wantedHeight] = pixelsOf(size)
  if (width === wantedWidth && height === wantedHeight) return null
  const how = width < wantedWidth ? 'enlarged' : width - wantedWidth > 16 || height - wantedHeight > 16 ? 'scaled down' : 'cropped'
  return `${imageModelNames[model]} draws ${width}x${height}. The result is ${how} to ${size}.`
}

/** Models that draw from other pictures, and those of them that need a mask. */
export const takesPictures = (model: ImageModel): boolean => model !== 'flux'
export const takesMask = (model: ImageModel): boolean => model === 'gpt-image-1' || model === 'dalle-3'

/** Models that take a seed: with it, the same prompt gives the same picture again. */
export const takesSeed = (model: PictureModel): boolean => model === 'flux' || model === 'gemini'

/** The subject in a typed request: `generate an image of a red bicycle` asks for `a red bicycle`. */
export function imageSubject(said: string): string {
  const words = said
    .trim()
    // Longer than any prompt; the time that the patterns take grows with the square of a text's length.
    .slice(0, 2 * LONGEST_IMAGE_PROMPT)
    .replace(/^.*?\b(?:images?|pictures?)\b/is, '')
    .replace(/^[\s:,-]*(?:(?:of|with|showing|for|about)\b)?[\s:,-]*/i, '')
    .replace(/[\s.!?]+$/, '')
  return words || DEFAULT_IMAGE_SUBJECT
}
