import { Later } from '@operon/kit/jobs/jobs'
import { domainOf } from '@operon/kit/mail/blocks'
import { type Pace, type PlatformPace, takeSlot } from '@operon/kit/mail/paces'
import type { Kysely } from 'kysely'
import type { Config } from './config.ts'

const reserveOf = ({ LIMIT_MAIL_PLATFORM_PER_HOUR: all, LIMIT_MESSAGE_RESERVE_PERCENT: percent }: Config) =>
  Math.max(1, Math.floor((all * percent) / 100))

/** Limits on messages that strangers cause. */
export const platformPace = (config: Config): PlatformPace => ({
  channel: 'email',
  scope: 'email platform',
  perHour: Math.max(1, config.LIMIT_MAIL_PLATFORM_PER_HOUR - reserveOf(config)),
})

export const newsletterPaces = (config: Config, to: string): Pace[] => [
  { scope: `email domain ${domainOf(to)}`, perHour: config.LIMIT_MAIL_TO_DOMAIN_PER_HOUR },
  platformPace(config),
]

/** Owners have a share of their own, which strangers cannot use up. */
export const accountPaces = (config: Config): Pace[] => [{ scope: 'email reserve', perHour: reserveOf(config) }]

export async function waitForTurn(db: Kysely<any>, jobId: string, paces: Pace[]): Promise<void> {
  const waitMs = await takeSlot(db, jobId, 'email', paces)
  if (waitMs > 0) throw new Later(waitMs)
}
