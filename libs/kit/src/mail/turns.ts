import type { Kysely } from 'kysely'
import { z } from 'zod'
import { Later } from '../jobs/jobs.ts'
import { domainOf } from './blocks.ts'
import { type Pace, type PlatformPace, takeSlot } from './paces.ts'

// When an email may go, for services whose letters strangers can cause.

const perHour = (fallback: number) => z.coerce.number().int().min(1).default(fallback)

/** For the configuration of such a service. */
export const mailLimits = {
  /** Letters that strangers cause, to one domain and to all; letters to people about what is their own have a share of their own. */
  LIMIT_MAIL_TO_DOMAIN_PER_HOUR: perHour(2000),
  LIMIT_MAIL_PLATFORM_PER_HOUR: perHour(5000),
  LIMIT_MESSAGE_RESERVE_PERCENT: z.coerce.number().int().min(1).max(90).default(20),
}
type Limits = { [K in keyof typeof mailLimits]: number }

const reserveOf = ({ LIMIT_MAIL_PLATFORM_PER_HOUR: all, LIMIT_MESSAGE_RESERVE_PERCENT: percent }: Limits) =>
  Math.max(1, Math.floor((all * percent) / 100))

/** All messages that strangers can cause, together; `watchLoad` tells the operator when it is near. */
export const platformPace = (limits: Limits): PlatformPace => ({
  channel: 'email',
  scope: 'email platform',
  perHour: Math.max(1, limits.LIMIT_MAIL_PLATFORM_PER_HOUR - reserveOf(limits)),
})

export const strangersPaces = (limits: Limits, to: string): Pace[] => [
  { scope: `email domain ${domainOf(to)}`, perHour: limits.LIMIT_MAIL_TO_DOMAIN_PER_HOUR },
  platformPace(limits),
]

/** Owners have a share of their own, which strangers cannot use up. */
export const ownersPaces = (limits: Limits): Pace[] => [{ scope: 'email reserve', perHour: reserveOf(limits) }]

/** Goes on when the email may be sent; else its job waits for its turn. */
export async function waitForTurn(db: Kysely<any>, jobId: string, paces: Pace[]): Promise<void> {
  const waitMs = await takeSlot(db, jobId, 'email', paces)
  if (waitMs > 0) throw new Later(waitMs)
}
