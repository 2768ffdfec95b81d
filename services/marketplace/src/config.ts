import { mailSettings } from '@operon/kit/mail/mailer'
import { mailLimits } from '@operon/kit/mail/turns'
import { z } from 'zod'

export const Config = z.object({
  /** `host:port` of a clamd that looks for malware in what is sold. Without it nothing is scanned, and the editor says so. */
  CLAMAV: z
    .string()
    .regex(/^[\w.-]+(:\d+)?$/)
    .optional(),
  /** Whether the free templates of this version are put into the catalogue at start. */
  TEMPLATE_LIBRARY: z.enum(['on', 'off']).default('on'),
  ...mailSettings,
  ...mailLimits,
  /** The domain whose mail comes in by Mailgun's route to `/webhooks/mail/mailgun`, and the key that it signs with. Without them letters say where to answer. */
  MAIL_INBOUND_DOMAIN: z.string().min(3).optional(),
  MAIL_INBOUND_KEY: z.string().min(16).optional(),
  /** Letters to one address an hour, whoever causes them. */
  LIMIT_MARKET_MAIL_PER_ADDRESS: z.coerce.number().int().min(1).default(60),
  /** Letters an hour that carry the messages of one person, to whomever they write. */
  LIMIT_MARKET_MAIL_PER_WRITER: z.coerce.number().int().min(1).default(60),
})
export type Config = z.output<typeof Config>
