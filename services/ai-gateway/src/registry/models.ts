/** How the product speaks of models. An alias lives on when the model behind it shuts down: its successor answers, and the answer says so. */
export type ProviderName = 'openai' | 'anthropic' | 'google' | 'perplexity'
export type ModelAlias = {
  id: string
  name: string
  provider: ProviderName
  /** The provider's name for it. */
  upstream: string
  /** Prices in millionths of a dollar per million tokens, as the providers listed them in autumn 2026. */
  inputMicrousdPerMtok: number
  outputMicrousdPerMtok: number
  /** Costs a call beside its tokens, such as a search. */
  callMicrousd: number
  /** It thinks before it speaks, and bills that as output. */
  thinks: boolean
  contextWindow: number
  abilities: ('chat' | 'tools' | 'json' | 'search' | 'embeddings')[]
  shutdownAt: string | null
  successor: string | null
  /** The models that answer when this one cannot, in order. */
  fallbacks: string[]
}

type Defaulted = 'shutdownAt' | 'successor' | 'fallbacks' | 'callMicrousd' | 'thinks'
export const alias = (id: string, model: Omit<ModelAlias, 'id' | Defaulted> & Partial<ModelAlias>): ModelAlias => ({
  callMicrousd: 0,
  thinks: id.startsWith('gpt-5'),
  shutdownAt: null,
  successor: null,
  fallbacks: [],
  ...model,
  id,
})
const tools = ['chat', 'tools', 'json'] as const satisfies ModelAlias['abilities']

const list: ModelAlias[] = [
  alias('gpt-4o-mini', {
    name: 'ChatGPT',
    provider: 'openai',
    upstream: 'gpt-4o-mini',
    inputMicrousdPerMtok: 150_000,
    outputMicrousdPerMtok: 600_000,
    contextWindow: 128_000,
    abilities: [...tools],
    shutdownAt: '2027-01-14',
    successor: 'gpt-5.4-mini',
    fallbacks: ['gpt-5.4-mini', 'claude', 'gemini-1.5-flash'],
  }),
  alias('gpt-5-mini-2025-08-07', {
    name: 'GPT-5 mini',
    provider: 'openai',
    upstream: 'gpt-5-mini-2025-08-07',
    inputMicrousdPerMtok: 250_000,
    outputMicrousdPerMtok: 2_000_000,
    contextWindow: 400_000,
    abilities: [...tools],
    shutdownAt: '2026-12-11',
    successor: 'gpt-5.4-mini',
    fallbacks: ['gpt-5.4-mini', 'claude'],
  }),
  alias('gpt-5-2025-08-07', {
    name: 'GPT-5',
    provider: 'openai',
    upstream: 'gpt-5-2025-08-07',
    inputMicrousdPerMtok: 1_250_000,
    outputMicrousdPerMtok: 10_000_000,
    contextWindow: 400_000,
    abilities: [...tools],
    shutdownAt: '2026-12-11',
    successor: 'gpt-5.4',
    fallbacks: ['gpt-5.4', 'claude'],
  }),
  alias('gpt-5.4-mini', {
    name: 'GPT-5.4 mini',
    provider: 'openai',
    upstream: 'gpt-5.4-mini',
    inputMicrousdPerMtok: 750_000,
    outputMicrousdPerMtok: 4_500_000,
    contextWindow: 400_000,
    abilities: [...tools],
    fallbacks: ['claude'],
  }),
  alias('gpt-5.4', {
    name: 'GPT-5.4',
    provider: 'openai',
    upstream: 'gpt-5.4',
    inputMicrousdPerMtok: 2_500_000,
    outputMicrousdPerMtok: 15_000_000,
    contextWindow: 1_000_000,
    abilities: [...tools],
    fallbacks: ['claude'],
  }),
  alias('claude', {
    name: 'Claude',
    provider: 'anthropic',
    upstream: 'claude-sonnet-5',
    inputMicrousdPerMtok: 2_000_000,
    outputMicrousdPerMtok: 10_000_000,
    contextWindow: 1_000_000,
    abilities: ['chat', 'tools'],
    fallbacks: ['gpt-5.4-mini'],
  }),
  // Gemini 1.5 is gone; the name that the product uses is answered by the flash model of today.
  alias('gemini-1.5-flash', {
    name: 'Gemini',
    provider: 'google',
    upstream: 'gemini-1.5-flash',
    inputMicrousdPerMtok: 1_500_000,
    outputMicrousdPerMtok: 7_500_000,
    contextWindow: 1_000_000,
    abilities: [...tools],
    shutdownAt: '2025-09-24',
    successor: 'gemini-3.6-flash',
    fallbacks: ['gpt-5.4-mini'],
  }),
  alias('gemini-3.6-flash', {
    name: 'Gemini 3.6 Flash',
    provider: 'google',
    upstream: 'gemini-3.6-flash',
    inputMicrousdPerMtok: 1_500_000,
    outputMicrousdPerMtok: 7_500_000,
    contextWindow: 1_000_000,
    abilities: [...tools],
    fallbacks: ['gpt-5.4-mini'],
  }),
  alias('perplexity', {
    name: 'Perplexity',
    provider: 'perplexity',
    upstream: 'sonar',
    inputMicrousdPerMtok: 1_000_000,
    outputMicrousdPerMtok: 1_000_000,
    // The size of its search is not the caller's to choose, so it is the smallest.
    callMicrousd: 5_000,
    contextWindow: 128_000,
    abilities: ['chat', 'search'],
    fallbacks: ['gpt-4o-mini'],
  }),
]

const byId = new Map(list.map((model) => [model.id, model]))
export const models: readonly ModelAlias[] = list
/** How people are told of an alias. */
export const nameOf = (id: string): string => byId.get(id)?.name ?? id
export const DEFAULT_MODEL = 'gpt-4o-mini'
/** Answers with what it finds on the web. */
export const SEARCHING_MODEL = 'perplexity'
/** The newest dearest model of the answers that a feature asks without naming one. */
export const ANALYST_MODEL = 'gpt-5-mini-2025-08-07'

/** The models to ask, in order: the alias (or whoever took over from it), then its fallbacks. Null when nobody has that name. */
export function chainOf(id: string, now = new Date()): ModelAlias[] | null {
  const asked = byId.get(id)
  if (!asked) return null
  const first = living(asked, now)
  const rest = asked.fallbacks.map((name) => living(byId.get(name)!, now))
  return [...new Map([first, ...rest].map((model) => [model.id, model])).values()]
}

/** Follows successors until one that is still running. */
function living(model: ModelAlias, now: Date): ModelAlias {
  const gone = model.shutdownAt !== null && now >= new Date(model.shutdownAt)
  return gone && model.successor ? living(byId.get(model.successor)!, now) : model
}

export const costMicrousd = (model: ModelAlias, promptTokens: number, completionTokens: number): number =>
  model.callMicrousd + Math.ceil((promptTokens * model.inputMicrousdPerMtok + completionTokens * model.outputMicrousdPerMtok) / 1_000_000)

/** The dearest of the list, for a model that nobody has told the price of. */
export const dearest = {
  inputMicrousdPerMtok: Math.max(...list.map((model) => model.inputMicrousdPerMtok)),
  outputMicrousdPerMtok: Math.max(...list.map((model) => model.outputMicrousdPerMtok)),
}

/** Before anything was counted by a provider: four characters to a token, rounded up, with a little for each message's frame. */
export const estimateTokens = (characters: number, messages = 1): number => Math.ceil(characters / 4) + 4 * messages

/** Where no provider has counted and none will: words as they usually are, and one for each sign, digit pair and letter of other scripts. */
export function carefulTokens(text: string): number {
  const plain = text.replace(/[^A-Za-z ]+/g, '').length
  return Math.ceil(plain / 4 + (text.length - plain) * 0.8)
}
