import { z } from 'zod'

export const Config = z.object({
  /** Whether webhooks may go to this machine's own addresses. Never where real people may come. */
  WEBHOOK_LOOPBACK: z.stringbool().default(true),
})
export type Config = z.output<typeof Config>
