import { mailSettings } from '@operon/kit/mail/mailer'
import { z } from 'zod'

const perHour = (fallback: number) => z.coerce.number().int().min(1).default(fallback)

export const Config = z.object({
  ...mailSettings,
  /** Newsletter mail, to one domain and to all; mail about accounts has a share of its own. */
  LIMIT_MAIL_TO_DOMAIN_PER_HOUR: perHour(2000),
  LIMIT_MAIL_PLATFORM_PER_HOUR: perHour(5000),
  LIMIT_MESSAGE_RESERVE_PERCENT: z.coerce.number().int().min(1).max(90).default(20),
})
export type Config = z.output<typeof Config>
