import { z } from 'zod'

const key = z.string().min(1).optional()
const base = z.url().optional()

// Half of a pair would leave the sandbox drawing while somebody believes that their server does.
const pairs = [
  ['OPENAI_BASE_URL', 'OPENAI_API_KEY'],
  ['GOOGLE_IMAGE_BASE_URL', 'GOOGLE_API_KEY'],
  ['FAL_BASE_URL', 'FAL_KEY'],
  ['AI_IMAGE_API_KEY', 'AI_IMAGE_BASE_URL'],
  ['ELEVENLABS_BASE_URL', 'ELEVENLABS_API_KEY'],
  ['AI_SPEECH_API_KEY', 'AI_SPEECH_BASE_URL'],
  ['MODERATION_API_KEY', 'MODERATION_BASE_URL'],
] as const

/** Each provider by key and base address; a provider with neither is the sandbox. */
export const Config = z
  .object({
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: base,
    GOOGLE_API_KEY: key,
    /** Google's own image protocol; `GOOGLE_BASE_URL` is its OpenAI-compatible one. */
    GOOGLE_IMAGE_BASE_URL: base,
    FAL_KEY: key,
    FAL_BASE_URL: base,
    /** One OpenAI-compatible server for every provider without a key of its own; the image server where there is one, else the models'. */
    AI_BASE_URL: base,
    AI_API_KEY: key,
    AI_IMAGE_BASE_URL: base,
    AI_IMAGE_API_KEY: key,
    AI_IMAGE_MODEL: z.string().optional(),
    /** The price of a square picture of that server. Unset, it counts as the dearest model listed. */
    AI_IMAGE_USD: z.coerce.number().min(0).optional(),
    ELEVENLABS_API_KEY: key,
    ELEVENLABS_BASE_URL: base,
    /** One OpenAI-compatible server that speaks and listens; unset, the models' own. */
    AI_SPEECH_BASE_URL: base,
    AI_SPEECH_API_KEY: key,
    AI_SPEECH_MODEL: z.string().optional(),
    AI_HEARING_MODEL: z.string().optional(),
    /** The price of a million characters there. Unset, it counts as the dearest model listed. */
    AI_SPEECH_USD: z.coerce.number().min(0).optional(),
    /** Looks at prompts and pictures as OpenAI's moderations do; unset, only the models themselves refuse. */
    MODERATION_BASE_URL: base,
    MODERATION_API_KEY: key,
    MODERATION_MODEL: z.string().default('omni-moderation-latest'),
    /** How long one provider may take over a recording. */
    MEDIA_SPEAK_MS: z.coerce.number().int().min(1000).default(120_000),
    /** After so many failures in a row a provider is left alone for ten seconds. */
    MEDIA_CIRCUIT_FAILURES: z.coerce.number().int().min(1).default(5),
    /** How long one provider may take over a picture. */
    MEDIA_DRAW_MS: z.coerce.number().int().min(1000).default(180_000),
    /** How many pictures an instance draws at once, and how many of them for one person. */
    MEDIA_WIDTH: z.coerce.number().int().min(1).max(64).default(8),
    MEDIA_PER_PERSON: z.coerce.number().int().min(1).max(16).default(4),
    /** A worker that falls silent for so long has died; another one takes its picture over. */
    MEDIA_LEASE_MS: z.coerce.number().int().min(1000).default(20_000),
  })
  .superRefine((config, { addIssue }) => {
    for (const [given, needed] of pairs)
      if (config[given] && !config[needed]) addIssue({ code: 'custom', path: [needed], message: `is needed with ${given}` })
  })
export type Config = z.output<typeof Config>
