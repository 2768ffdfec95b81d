import { z } from 'zod'
import { type VendorId, vendorIds } from './apps/vendors.ts'

type ClientSettings = { [V in VendorId as `CONNECT_${Uppercase<V>}_CLIENT_${'ID' | 'SECRET'}`]?: string | undefined }

export const Config = z.object({
  /** Whether webhooks may go to this machine's own addresses. Never where real people may come. */
  WEBHOOK_LOOPBACK: z.stringbool().default(true),
  /** Where connected apps reach this installation, when that is not PUBLIC_URL. */
  WEBHOOK_BASE_URL: z.url().optional(),
  /** Whether the sandbox, where it is open, plays the vendors that have no client here, and takes the keys of the other apps. */
  CONNECT_SANDBOX: z.stringbool().default(true),
  /** Google Ads answers nobody without it; the operator's manager account has it in its API center. */
  CONNECT_GOOGLE_ADS_DEVELOPER_TOKEN: z.string().optional(),
  // The client that the operator registered with each vendor.
  ...(Object.fromEntries(
    vendorIds.flatMap((vendor) =>
      ['ID', 'SECRET'].map((part) => [`CONNECT_${vendor.toUpperCase()}_CLIENT_${part}`, z.string().optional()]),
    ),
  ) as Record<keyof ClientSettings, z.ZodOptional<z.ZodString>>),
})
export type Config = z.output<typeof Config>
