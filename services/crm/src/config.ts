import { mailSettings } from '@operon/kit/mail/mailer'
import { textSettings } from '@operon/kit/mail/texts'
import { mailLimits, textLimits } from '@operon/kit/mail/turns'
import { z } from 'zod'

const count = (fallback: number) => z.coerce.number().int().min(1).default(fallback)

export const Config = z.object({
  ...mailSettings,
  ...mailLimits,
  ...textSettings,
  ...textLimits,
  /** Emails of all campaigns together, and how much of its plan's hourly share an account may send. */
  LIMIT_CAMPAIGN_PLATFORM_PER_HOUR: count(60_000),
  LIMIT_CAMPAIGN_ACCOUNT_PERCENT: count(100),
  /** How many campaigns an instance works on at once; with 0 it leaves them to others. */
  CAMPAIGN_WORKERS: z.coerce.number().int().min(0).max(16).default(2),
  /** After so long without an answer an email counts as unknown: longer than any call to a provider. */
  CAMPAIGN_LEASE_SECONDS: count(180),
})
export type Config = z.output<typeof Config>
