import { drawnPixels, type PictureModel, type PictureSize } from '@operon/contracts/media/images'

export type ProviderName = 'openai' | 'google' | 'fal'
type ModelEntry = {
  provider: ProviderName
  /** The provider's name of the model that answers to this name today. */
  upstream: string
  /** A square picture of 1024 pixels in high quality, as the provider listed it in autumn 2026; larger ones cost by the pixel. */
  microusd: number
  /** When the model of this very name ended; its successor answers since. */
  endedAt: string | null
}

export const models: Record<PictureModel, ModelEntry> = {
  'gpt-image-1': { provider: 'openai', upstream: 'gpt-image-2.6-flare', microusd: 133_000, endedAt: '2026-10-23' },
  'dalle-3': { provider: 'openai', upstream: 'gpt-image-2.6-sunburst', microusd: 36_000, endedAt: '2026-05-12' },
  gemini: { provider: 'google', upstream: 'gemini-2.5-flash-image', microusd: 39_000, endedAt: null },
  flux: { provider: 'fal', upstream: 'fal-ai/flux/dev', microusd: 25_000, endedAt: null },
  // Billed by the second there; this is more than the largest picture takes.
  esrgan: { provider: 'fal', upstream: 'fal-ai/esrgan', microusd: 10_000, endedAt: null },
}
const dearest = Math.max(...Object.values(models).map(({ microusd }) => microusd))

/** The most that a picture can cost. */
export function costOf(model: PictureModel, size: PictureSize, ownUsd?: number | undefined | null): number {
  const each = ownUsd === null ? dearest : ownUsd === undefined ? models[model].microusd : ownUsd * 1_000_000
  const [width, height] = drawnPixels(model, size)
  return Math.ceil((each * Math.max(width * height, 1024 * 1024)) / (1024 * 1024))
}
