import { z } from 'zod'

export const Config = z.object({
  /** How long facts, activity and read notices are kept. Figures compare the last 30 days with the 30 before, so not below that. */
  ANALYTICS_KEEP_DAYS: z.coerce.number().int().min(61).max(36_500).default(400),
})
export type Config = z.output<typeof Config>
