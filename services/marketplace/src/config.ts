import { z } from 'zod'

export const Config = z.object({
  /** `host:port` of a clamd that looks for malware in what is sold. Without it nothing is scanned, and the editor says so. */
  CLAMAV: z
    .string()
    .regex(/^[\w.-]+(:\d+)?$/)
    .optional(),
  /** Whether the free templates of this version are put into the catalogue at start. */
  TEMPLATE_LIBRARY: z.enum(['on', 'off']).default('on'),
})
export type Config = z.output<typeof Config>
