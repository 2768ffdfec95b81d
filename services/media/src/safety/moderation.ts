import { DomainError } from '@operon/kit/errors'
import type { ProviderWatch } from '@operon/kit/providers'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { trimmed } from '../providers/providers.ts'

/** Looks at what is to be drawn and at what was drawn. Throws where it may not be. */
export type Moderation = {
  isOn: boolean
  check(seen: { text?: string; pictures?: Uint8Array[] }, signal: AbortSignal): Promise<void>
}

const WITHIN_MS = 20_000
const Verdicts = z.object({
  results: z.array(z.object({ flagged: z.boolean(), categories: z.record(z.string(), z.boolean().nullable()).default({}) })).min(1),
})

/** OpenAI's moderations, or a server that speaks like it. Without one nothing is checked beside what the models refuse. */
export function openModeration(
  { MODERATION_BASE_URL: base, MODERATION_API_KEY: key, MODERATION_MODEL: model }: Config,
  watch: Pick<ProviderWatch, 'call'>,
): Moderation {
  if (!base) return { isOn: false, check: async () => {} }
  const url = `${trimmed(base)}/moderations`
  return {
    isOn: true,
    async check({ text, pictures = [] }, signal) {
      const input = [
        ...(text ? [{ type: 'text', text }] : []),
        ...pictures.map((bytes) => ({
          type: 'image_url',
          image_url: { url: `data:image/webp;base64,${Buffer.from(bytes).toString('base64')}` },
        })),
      ]
      const { results } = await watch
        .call('moderation', () => ask(url, key, { model, input }, signal))
        .catch((cause) => {
          throw new DomainError('image_unchecked', { cause })
        })
      const named = results
        .filter(({ flagged }) => flagged)
        .flatMap(({ categories }) => Object.keys(categories).filter((name) => categories[name]))
      if (results.some(({ flagged }) => flagged))
        throw new DomainError('image_refused', { cause: new Error(`moderation: ${named.join(', ') || 'flagged'}`) })
    },
  }
}

async function ask(url: string, key: string | undefined, body: object, signal: AbortSignal) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
  })
  if (!response.ok) throw new Error(`the engine answered ${response.status}`)
  return Verdicts.parse(await response.json())
}
