import { Circuit } from '@operon/kit/fetch'
import type { ProviderWatch } from '@operon/kit/providers'
import { Pool } from 'undici'
import type { Config } from '../config.ts'
import { dearest, type ModelAlias, type ProviderName } from '../registry/models.ts'

export type Target = {
  provider: ProviderName
  model: ModelAlias
  upstreamModel: string
  pool: Pool
  path: string
  authorization: string
  sandbox: boolean
  circuit: Circuit
  /** Has OpenAI's own parameters; other servers know the older ones. */
  isOpenai: boolean
  /** Counts without being asked, and has no parameter to ask with. */
  countsUnasked: boolean
}

const official: Record<ProviderName, string> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta/openai',
  perplexity: 'https://api.perplexity.ai',
}
const sandboxPath: Record<ProviderName, string> = {
  openai: '/openai/v1',
  anthropic: '/anthropic/v1',
  google: '/google/v1beta/openai',
  perplexity: '/perplexity',
}

type Provider = { pool: Pool; path: string; authorization: string; sandbox: boolean; circuit: Circuit }

function ownKey(config: Config, name: ProviderName): string | undefined {
  const { OPENAI_API_KEY: openai, ANTHROPIC_API_KEY: anthropic, GOOGLE_API_KEY: google, PERPLEXITY_API_KEY: perplexity } = config
  return { openai, anthropic, google, perplexity }[name]
}

/** Those without a key of their own, where no server stands for all. */
export const sandboxedProviders = (config: Config): ProviderName[] =>
  config.AI_BASE_URL ? [] : (Object.keys(official) as ProviderName[]).filter((name) => !ownKey(config, name))

/** Where each provider is: its own address with its own key, the one server that stands for all, or the sandbox. */
export class Providers {
  readonly #config: Config
  readonly #sandboxAddress: () => Promise<string>
  readonly #watch: ProviderWatch
  readonly #known = new Map<ProviderName, Promise<Provider>>()

  constructor(config: Config, sandboxAddress: () => Promise<string>, watch: ProviderWatch) {
    this.#watch = watch
    this.#config = config
    this.#sandboxAddress = sandboxAddress
  }

  isSandbox(provider: ProviderName): boolean {
    return sandboxedProviders(this.#config).includes(provider)
  }

  async target(model: ModelAlias): Promise<Target> {
    const provider = await this.#provider(model.provider)
    const real = this.real(model)
    const isItself = provider.sandbox || ownKey(this.#config, model.provider) !== undefined
    return {
      ...provider,
      provider: model.provider,
      model: real,
      upstreamModel: real.upstream,
      isOpenai: isItself && model.provider === 'openai',
      countsUnasked: isItself && model.provider === 'perplexity',
    }
  }

  /** The model that answers here: where one server's own model stands for all, it has that one's name and price. */
  real(model: ModelAlias): ModelAlias {
    const { AI_MODEL, AI_EMBEDDING_MODEL, AI_MODEL_USD_PER_MTOK } = this.#config
    const standIn = model.abilities.includes('embeddings') ? AI_EMBEDDING_MODEL : AI_MODEL
    if (!standIn || ownKey(this.#config, model.provider)) return model
    const [input, output] = AI_MODEL_USD_PER_MTOK ?? []
    const price =
      input === undefined || output === undefined
        ? dearest
        : { inputMicrousdPerMtok: input * 1_000_000, outputMicrousdPerMtok: output * 1_000_000 }
    return { ...model, ...price, upstream: standIn, callMicrousd: 0 }
  }

  async close(): Promise<void> {
    for (const known of this.#known.values()) await known.then(({ pool }) => pool.destroy()).catch(() => {})
  }

  #provider(name: ProviderName): Promise<Provider> {
    const known = this.#known.get(name)
    if (known) return known
    const opening = this.#open(name)
    this.#known.set(name, opening)
    // The sandbox may not be up yet: ask again next time.
    opening.catch(() => this.#known.delete(name))
    return opening
  }

  async #open(name: ProviderName): Promise<Provider> {
    const { AI_BASE_URL, AI_API_KEY = '', AI_FIRST_BYTE_MS, AI_IDLE_MS } = this.#config
    const own = ownKey(this.#config, name)
    const base = own ? (this.#ownBase(name) ?? official[name]) : (AI_BASE_URL ?? (await this.#sandboxAddress()) + sandboxPath[name])
    const url = new URL(base)
    // One stream holds one connection, so the pool must not be the limit; the machine's is the limit.
    const pool = new Pool(url.origin, {
      connections: 2048,
      pipelining: 1,
      headersTimeout: AI_FIRST_BYTE_MS,
      bodyTimeout: AI_IDLE_MS,
      connect: { timeout: 5000 },
      keepAliveTimeout: 30_000,
    })
    const circuit = new Circuit({ threshold: this.#config.AI_CIRCUIT_FAILURES, coolMs: this.#config.AI_CIRCUIT_COOL_MS })
    this.#watch.circuit(name, circuit)
    return {
      pool,
      path: `${url.pathname.replace(/\/$/, '')}/chat/completions`,
      authorization: `Bearer ${own ?? (AI_API_KEY || 'sandbox')}`,
      sandbox: this.isSandbox(name),
      circuit,
    }
  }

  #ownBase(name: ProviderName): string | undefined {
    const {
      OPENAI_BASE_URL: openai,
      ANTHROPIC_BASE_URL: anthropic,
      GOOGLE_BASE_URL: google,
      PERPLEXITY_BASE_URL: perplexity,
    } = this.#config
    return { openai, anthropic, google, perplexity }[name]
  }
}
