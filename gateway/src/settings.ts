import { RateSettings } from '@operon/kit/limits'
import { z } from 'zod'
import { countable, type Figure } from './figures.ts'

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )

/** Settings of the gateway alone. The kit's (PORT, PUBLIC_URL, TRUSTED_PROXIES …) are in `KitConfig`. */
export const GatewaySettings = z.object({
  ...RateSettings.shape,
  /** Origins whose pages may call the API from a browser; `*` is every origin, without credentials. */
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
  /** The contact address shown on pages; by default at PUBLIC_URL's host. */
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
