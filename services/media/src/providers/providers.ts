import { isDrawer, type PictureModel, UPSCALER } from '@operon/contracts/media/images'
import { DomainError } from '@operon/kit/errors'
import { Circuit, createGuardedFetch, type GuardedFetch } from '@operon/kit/fetch'
import type { ProviderWatch } from '@operon/kit/providers'
import type { Config } from '../config.ts'
import { falWire } from './fal.ts'
import { googleWire } from './google.ts'
import { models, type ProviderName } from './models.ts'
import { type Compatible, openaiWire } from './openai.ts'
import type { Drawn, Hears, Order, Place, Wire } from './wire.ts'

const official: Record<ProviderName, string> = {
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  fal: 'https://queue.fal.run',
}
const sandboxPath: Record<ProviderName, string> = { openai: '/openai/v1', google: '/google/v1beta', fal: '/fal' }

const own = (config: Config, name: ProviderName): { key: string | undefined; base: string | undefined } =>
  ({
    openai: { key: config.OPENAI_API_KEY, base: config.OPENAI_BASE_URL },
    google: { key: config.GOOGLE_API_KEY, base: config.GOOGLE_IMAGE_BASE_URL },
    fal: { key: config.FAL_KEY, base: config.FAL_BASE_URL },
  })[name]

/** The one server that stands for whoever has no key. */
export function ownServer({
  AI_IMAGE_BASE_URL,
  AI_IMAGE_API_KEY,
  AI_BASE_URL,
  AI_API_KEY,
}: Pick<Config, 'AI_IMAGE_BASE_URL' | 'AI_IMAGE_API_KEY' | 'AI_BASE_URL' | 'AI_API_KEY'>): {
  url: string
  key: string
} | null {
  if (AI_IMAGE_BASE_URL) return { url: AI_IMAGE_BASE_URL, key: AI_IMAGE_API_KEY ?? 'none' }
  return AI_BASE_URL ? { url: AI_BASE_URL, key: AI_API_KEY ?? 'none' } : null
}

/** Those without a key of their own, where no server stands for all. */
export const sandboxedProviders = (config: Config): ProviderName[] =>
  ownServer(config) ? [] : (Object.keys(official) as ProviderName[]).filter((name) => !own(config, name).key)

type Artist = { wire: Wire; upstream: string; sandbox: boolean; draw(order: Omit<Order, 'model'>, hears: Hears): Promise<Drawn> }

/** The provider of each model: with its own key, the one server that stands for all, or the sandbox. */
export class Providers {
  readonly #config: Config
  readonly #sandbox: () => Promise<string>
  readonly #watch: ProviderWatch
  readonly #circuits = new Map<ProviderName, Circuit>()
  readonly #open: GuardedFetch
  readonly #compatible: Compatible = { edits: true }

  constructor(config: Config, sandbox: () => Promise<string>, watch: ProviderWatch) {
    this.#config = config
    this.#sandbox = sandbox
    this.#watch = watch
    this.#open = createGuardedFetch({ trusted: sandboxedProviders(config).includes('fal') ? sandbox : null })
    for (const name of Object.keys(official) as ProviderName[]) {
      const circuit = new Circuit({
        threshold: config.MEDIA_CIRCUIT_FAILURES,
        // A picture takes its time; only its own deadline says that a provider hangs.
        hangsAfterMs: config.MEDIA_DRAW_MS,
        counts: (error) => (error as { code?: string }).code !== 'image_refused',
      })
      this.#circuits.set(name, circuit)
      watch.circuit(name, circuit)
    }
  }

  /** Undefined where the provider's own price counts. */
  ownUsd(model: PictureModel): number | null | undefined {
    const { AI_IMAGE_USD = null } = this.#config
    return ownServer(this.#config) && !own(this.#config, models[model].provider).key ? AI_IMAGE_USD : undefined
  }

  /** One server that stands for all speaks OpenAI's protocol, which has no enlarging. */
  get enlarges(): boolean {
    return Boolean(own(this.#config, models[UPSCALER].provider).key) || !ownServer(this.#config)
  }

  async artist(model: PictureModel): Promise<Artist> {
    if (!isDrawer(model) && !this.enlarges) throw new DomainError('image_no_upscale')
    const { provider, upstream } = models[model]
    const { key, base } = own(this.#config, provider)
    const server = ownServer(this.#config)
    if (key)
      return this.#with(provider, this.#wire(model, { url: trimmed(base ?? official[provider]), key, sandbox: false }), upstream, false)
    if (server) {
      const wire = openaiWire({ url: trimmed(server.url), key: server.key, sandbox: false }, this.#compatible)
      return this.#with(provider, wire, this.#config.AI_IMAGE_MODEL ?? upstream, false)
    }
    const place = { url: (await this.#sandbox()) + sandboxPath[provider], key: 'sandbox', sandbox: true }
    return this.#with(provider, this.#wire(model, place), upstream, true)
  }

  #wire(model: PictureModel, place: Place): Wire {
    const { provider } = models[model]
    if (provider === 'openai') return openaiWire(place)
    if (provider === 'google') return googleWire(place)
    return falWire(place, this.#open, { enlarges: !isDrawer(model) })
  }

  #with(provider: ProviderName, wire: Wire, upstream: string, sandbox: boolean): Artist {
    const circuit = this.#circuits.get(provider)!
    return {
      wire,
      upstream,
      sandbox,
      draw: async (order, hears) => {
        try {
          const work = () => wire.draw({ ...order, model: upstream }, hears)
          return await circuit.run(() => this.#watch.call(provider, work).catch(unlessStopped(hears.signal)))
        } catch (error) {
          throw asFailure(error)
        }
      },
    }
  }
}

export const trimmed = (url: string) => url.replace(/\/$/, '')

/** A picture that its person stopped tells nothing of the provider: a few of them must not have it left alone for everybody. */
const unlessStopped = (signal: AbortSignal) => (error: unknown) => {
  const isStopped = signal.aborted && (signal.reason as Error | undefined)?.name !== 'TimeoutError'
  throw isStopped ? new DomainError('image_stopped', { cause: new DOMException('stopped', 'AbortError') }) : error
}

/** Any failure on the way to a provider means that the picture could not be made. */
const asFailure = (error: unknown): unknown => (isOurs(error) ? error : new DomainError('image_failed', { cause: error }))
const isOurs = (error: unknown) => error instanceof DomainError && error.code.startsWith('image_')
