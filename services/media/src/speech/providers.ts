import { DomainError } from '@operon/kit/errors'
import { Circuit } from '@operon/kit/fetch'
import type { ProviderWatch } from '@operon/kit/providers'
import type { Config } from '../config.ts'
import { ownServer, trimmed } from '../providers/providers.ts'
import type { Place } from '../providers/wire.ts'
import { dearestSpeaker, listeners, type SpeechProvider, speakers, USUAL_LISTENER, upstreamOf, usualSpeaker } from './registry.ts'
import { type Heard, type HearOrder, hearBy, type SpeechOrder, speakBy } from './wires.ts'

const official: Record<SpeechProvider, string> = { openai: 'https://api.openai.com/v1', elevenlabs: 'https://api.elevenlabs.io/v1' }
const sandboxPath: Record<SpeechProvider, string> = { openai: '/openai/v1', elevenlabs: '/elevenlabs/v1' }
const names = Object.keys(official) as SpeechProvider[]

const own = (config: Config, name: SpeechProvider) =>
  name === 'openai'
    ? { key: config.OPENAI_API_KEY, base: config.OPENAI_BASE_URL }
    : { key: config.ELEVENLABS_API_KEY, base: config.ELEVENLABS_BASE_URL }

function speechServer(config: Config): { url: string; key: string } | null {
  const { AI_SPEECH_BASE_URL: url, AI_SPEECH_API_KEY: key } = config
  return url ? { url, key: key ?? 'none' } : ownServer({ ...config, AI_IMAGE_BASE_URL: undefined })
}

/** ElevenLabs is asked only where it has a key or nobody else has one, so it counts as a stand-in only there. */
export const sandboxedSpeech = (config: Config): ('openai' | 'elevenlabs')[] =>
  speechServer(config) || names.some((name) => own(config, name).key) ? [] : ['openai', 'elevenlabs']

export type Speaking = { provider: SpeechProvider; model: string; upstream: string; place: Place; microusd: number; plain: boolean }
export type Listening = { model: string; upstream: string; place: Place; microusdPerMinute: number; plain: boolean }

/** The provider of each voice: with its own key, the other one that has a key, the one server that stands for all, or the sandbox. */
export class SpeechProviders {
  readonly #config: Config
  readonly #sandbox: () => Promise<string>
  readonly #watch: ProviderWatch
  readonly #circuits = new Map<SpeechProvider, Circuit>()

  constructor(config: Config, sandbox: () => Promise<string>, watch: ProviderWatch) {
    this.#config = config
    this.#sandbox = sandbox
    this.#watch = watch
    for (const name of names) {
      const counts = (error: unknown) => !['speech_refused', 'audio_unreadable'].includes((error as { code?: string }).code ?? '')
      const circuit = new Circuit({ threshold: config.MEDIA_CIRCUIT_FAILURES, hangsAfterMs: config.MEDIA_SPEAK_MS, counts })
      this.#circuits.set(name, circuit)
      if (name === 'elevenlabs') watch.circuit(name, circuit)
    }
  }

  /** Undefined for a model that nobody has. */
  async speaker(model: string): Promise<Speaking | undefined> {
    const asked = speakers[model]
    if (!asked) return undefined
    const provider = [asked.provider, ...names].find((name) => own(this.#config, name).key)
    if (provider) return this.#known(provider, provider === asked.provider ? model : usualSpeaker[provider], await this.#place(provider))
    const server = speechServer(this.#config)
    if (server) {
      const { AI_SPEECH_MODEL, AI_SPEECH_USD } = this.#config
      const place = { url: trimmed(server.url), key: server.key, sandbox: false }
      const microusd = AI_SPEECH_USD === undefined ? dearestSpeaker : AI_SPEECH_USD * 1_000
      return { provider: 'openai', model, upstream: AI_SPEECH_MODEL ?? 'tts-1', place, microusd, plain: true }
    }
    return this.#known(asked.provider, model, await this.#place(asked.provider))
  }

  async listener(model: string = USUAL_LISTENER): Promise<Listening | undefined> {
    const asked = listeners[model]
    if (!asked) return undefined
    const server = own(this.#config, 'openai').key ? null : speechServer(this.#config)
    if (!server) return { model, ...asked, place: await this.#place('openai'), plain: false }
    const place = { url: trimmed(server.url), key: server.key, sandbox: false }
    return { model, ...asked, upstream: this.#config.AI_HEARING_MODEL ?? 'whisper-1', place, plain: true }
  }

  speak({ provider, place, upstream }: Speaking, order: Omit<SpeechOrder, 'model'>): Promise<AsyncIterable<Uint8Array>> {
    return this.#guarded(provider, 'speech_failed', () => speakBy(provider, place, { ...order, model: upstream }))
  }

  hear({ place, upstream, plain }: Listening, order: Omit<HearOrder, 'model'>): Promise<Heard> {
    return this.#guarded('openai', 'hearing_failed', () => hearBy(place, { ...order, model: upstream }, { plain }))
  }

  async #guarded<T>(provider: SpeechProvider, failed: 'speech_failed' | 'hearing_failed', work: () => Promise<T>): Promise<T> {
    try {
      return await this.#circuits.get(provider)!.run(() => this.#watch.call(provider, work))
    } catch (error) {
      const isOurs = error instanceof DomainError && /^(speech|hearing|audio)_/.test(error.code)
      throw isOurs ? error : new DomainError(failed, { cause: error })
    }
  }

  #known(provider: SpeechProvider, model: string, place: Place): Speaking {
    const entry = speakers[model]!
    return { provider, model, upstream: upstreamOf(entry), place, microusd: entry.microusd, plain: false }
  }

  async #place(name: SpeechProvider): Promise<Place> {
    const { key, base } = own(this.#config, name)
    if (key) return { url: trimmed(base ?? official[name]), key, sandbox: false }
    return { url: (await this.#sandbox()) + sandboxPath[name], key: 'sandbox', sandbox: true }
  }
}
