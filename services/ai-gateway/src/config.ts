import { z } from 'zod'
import { providers } from './domains/registrars.ts'

const key = z.string().min(1).optional()
const base = z.url().optional()
const affiliateLinks = z
  .string()
  .default('{}')
  .transform((text, { addIssue }) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      addIssue('JSON is needed')
      return z.NEVER
    }
  })
  .pipe(z.partialRecord(z.enum(providers), z.url({ protocol: /^https$/ }).includes('{domain}')))

// Half of a pair would leave the sandbox answering while somebody believes that their server does.
const pairs = [
  ['OPENAI_BASE_URL', 'OPENAI_API_KEY'],
  ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY'],
  ['GOOGLE_BASE_URL', 'GOOGLE_API_KEY'],
  ['PERPLEXITY_BASE_URL', 'PERPLEXITY_API_KEY'],
  ['AI_API_KEY', 'AI_BASE_URL'],
  ['AI_MODEL', 'AI_BASE_URL'],
  ['AI_EMBEDDING_MODEL', 'AI_BASE_URL'],
] as const

/** Each provider by key and base address; a provider with neither is the sandbox. */
const Settings = z.object({
  OPENAI_API_KEY: key,
  OPENAI_BASE_URL: base,
  ANTHROPIC_API_KEY: key,
  ANTHROPIC_BASE_URL: base,
  GOOGLE_API_KEY: key,
  GOOGLE_BASE_URL: base,
  PERPLEXITY_API_KEY: key,
  PERPLEXITY_BASE_URL: base,
  /** One OpenAI-compatible server for every provider without a key of its own. */
  AI_BASE_URL: base,
  AI_API_KEY: key,
  /** The model's name on that server, whatever the alias; by default the provider's own name. */
  AI_MODEL: z.string().optional(),
  /** The name of the model on that server that makes embeddings; by default the provider's own name. */
  AI_EMBEDDING_MODEL: z.string().optional(),
  /** That model's price for a million tokens in and out; by default the highest listed price. */
  AI_MODEL_USD_PER_MTOK: z
    .string()
    .regex(/^\d+(\.\d+)?,\d+(\.\d+)?$/, 'two prices in dollars, as in 0.15,0.60')
    .transform((prices) => prices.split(',').map(Number) as [number, number])
    .optional(),
  /** Whether domain names are asked of the registries themselves or of the sandbox. */
  DOMAIN_REGISTRIES: z.enum(['live', 'sandbox']).default('sandbox'),
  /** Keys of registrars that send prices only to holders of one. */
  VERCEL_TOKEN: key,
  NAMESILO_API_KEY: key,
  /** Affiliate links by registrar, as JSON: `{"Porkbun":"https://….example/?q={domain}"}`. */
  DOMAIN_AFFILIATE_LINKS: affiliateLinks,
  /** After so many failures in a row a provider is left alone, for so long. */
  AI_CIRCUIT_FAILURES: z.coerce.number().int().min(1).default(5),
  AI_CIRCUIT_COOL_MS: z.coerce.number().int().min(10).default(5000),
  /** Until when somebody must have said the first word, however many were asked. */
  AI_BEGIN_MS: z.coerce.number().int().min(100).default(60_000),
  AI_FIRST_BYTE_MS: z.coerce.number().int().min(100).default(30_000),
  AI_IDLE_MS: z.coerce.number().int().min(100).default(30_000),
  AI_ANSWER_MS: z.coerce.number().int().min(1000).default(300_000),
})
export const Config = Settings.superRefine((config, { addIssue }) => {
  for (const [given, needed] of pairs)
    if (config[given] && !config[needed]) addIssue({ code: 'custom', path: [needed], message: `is needed with ${given}` })
})
export type Config = z.output<typeof Config>
