import { z } from 'zod'
import { countable, type Figure } from './figures.ts'

export type Rate = { name: string; limit: number; windowMs: number; policy: string }

/** `300/1s`: so many within so long; the bucket holds that many and refills evenly. */
const rate = (name: string, fallback: string) =>
  z
    .string()
    .regex(/^\d+\/\d+s$/, { error: 'must look like 300/1s' })
    .default(fallback)
    .transform((text): Rate => {
      const [limit, seconds] = text.slice(0, -1).split('/').map(Number) as [number, number]
      return { name, limit, windowMs: seconds * 1000, policy: `"${name}";q=${limit};w=${seconds}` }
    })

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )

/** What the gateway alone reads. The kit's settings (PORT, PUBLIC_URL, TRUSTED_PROXIES …) are in `KitConfig`. */
export const GatewaySettings = z.object({
  RATE_ADDRESS: rate('address', '2000/1s'),
  RATE_AUTH_STRICT: rate('auth-strict', '30/60s'),
  RATE_PUBLIC_SEND: rate('public-send', '10/60s'),
  /** Wider than identity's own limits on signing in, which count each kind of attempt. */
  RATE_AUTH: rate('auth', '120/60s'),
  RATE_REFRESH: rate('refresh', '200/60s'),
  RATE_READ: rate('read', '300/1s'),
  RATE_WRITE: rate('write', '300/1s'),
  RATE_AI: rate('ai', '120/60s'),
  RATE_WEBHOOK: rate('webhook', '1000/1s'),
  /** Whose pages may call the API from a browser; `*` is everybody, without credentials. */
  CORS_ORIGINS: z
    .string()
    .default('*')
    .transform((text) => text.split(',').map((part) => part.trim())),
  /** Pages of other origins that may open `/live`; PUBLIC_URL's own always may. */
  LIVE_ORIGINS: list,
  LIVE_SOCKETS_PER_USER: z.coerce.number().int().min(1).default(10),
  /** The largest upload to a signed address; the service's own limit may be smaller. */
  MAX_UPLOAD_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(256 * 1024 * 1024),
  /** What the pages name for writing to; by default at PUBLIC_URL's host. */
  CONTACT_EMAIL: z.email().optional(),
  SUPPORT_EMAIL: z.email().optional(),
  SECURITY_EMAIL: z.email().optional(),
  /** Figures of the front page that are counted instead of claimed. */
  LIVE_FIGURES: list.refine((names): names is Figure[] => names.every((name) => (countable as readonly string[]).includes(name)), {
    error: `may name ${countable.join(', ')}; nothing here counts the others`,
  }),
  UPSTREAM_CONNECTIONS: z.coerce.number().int().min(1).default(4096),
  UPSTREAM_TIMEOUT_MS: z.coerce.number().int().min(100).default(120_000),
  DRAIN_MS: z.coerce.number().int().min(0).default(10_000),
})
export type GatewaySettings = z.output<typeof GatewaySettings>
