import type { Kysely } from 'kysely'
import { z } from 'zod'
import { Later } from '../jobs/jobs.ts'
import { countryCode, domainOf, phoneBlock } from './blocks.ts'
import { type Channel, type Pace, type PlatformPace, takeSlot } from './paces.ts'

// When a message may go, for services whose messages strangers can cause.

const perHour = (fallback: number) => z.coerce.number().int().min(1).default(fallback)

/** For the configuration of such a service. */
export const mailLimits = {
  /** Letters that strangers cause, to one domain and to all; letters to people about what is their own have a share of their own. */
  LIMIT_MAIL_TO_DOMAIN_PER_HOUR: perHour(2000),
  LIMIT_MAIL_PLATFORM_PER_HOUR: perHour(5000),
  LIMIT_MESSAGE_RESERVE_PERCENT: z.coerce.number().int().min(1).max(90).default(20),
}
type Limits = { [K in keyof typeof mailLimits]: number }

/** For the configuration of a service that sends text messages, beside `LIMIT_MESSAGE_RESERVE_PERCENT`. */
export const textLimits = {
  LIMIT_SMS_TO_COUNTRY_PER_HOUR: perHour(250),
  LIMIT_SMS_TO_BLOCK_PER_HOUR: perHour(30),
  LIMIT_SMS_PLATFORM_PER_HOUR: perHour(500),
}
type TextLimits = { [K in keyof typeof textLimits | 'LIMIT_MESSAGE_RESERVE_PERCENT']: number }

export const reserved = (all: number, { LIMIT_MESSAGE_RESERVE_PERCENT: percent }: Pick<Limits, 'LIMIT_MESSAGE_RESERVE_PERCENT'>): number =>
  Math.max(1, Math.floor((all * percent) / 100))
const reserveOf = (limits: Limits) => reserved(limits.LIMIT_MAIL_PLATFORM_PER_HOUR, limits)

/** All messages that strangers can cause, together; `watchLoad` tells the operator when it is near. */
export const platformPace = (limits: Limits): PlatformPace => ({
  channel: 'email',
  scope: 'email platform',
  perHour: Math.max(1, limits.LIMIT_MAIL_PLATFORM_PER_HOUR - reserveOf(limits)),
})

export const textPlatformPace = (limits: TextLimits): PlatformPace => ({
  channel: 'sms',
  scope: 'sms platform',
  perHour: Math.max(1, limits.LIMIT_SMS_PLATFORM_PER_HOUR - reserved(limits.LIMIT_SMS_PLATFORM_PER_HOUR, limits)),
})

/** The limits that a text message to this number counts against, whoever causes it. */
export const textPaces = (limits: TextLimits, to: string): Pace[] => [
  { scope: `sms country ${countryCode(to)}`, perHour: limits.LIMIT_SMS_TO_COUNTRY_PER_HOUR },
  { scope: `sms block ${phoneBlock(to)}`, perHour: limits.LIMIT_SMS_TO_BLOCK_PER_HOUR },
  textPlatformPace(limits),
]

export const strangersPaces = (limits: Limits, to: string): Pace[] => [
  { scope: `email domain ${domainOf(to)}`, perHour: limits.LIMIT_MAIL_TO_DOMAIN_PER_HOUR },
  platformPace(limits),
]

/** Owners have a share of their own, which strangers cannot use up. */
export const ownersPaces = (limits: Limits): Pace[] => [{ scope: 'email reserve', perHour: reserveOf(limits) }]

/** Goes on when the message may be sent; else its job waits for its turn. */
export async function waitForTurn(db: Kysely<any>, jobId: string, paces: Pace[], channel: Channel = 'email'): Promise<void> {
  const waitMs = await takeSlot(db, jobId, channel, paces)
  if (waitMs > 0) throw new Later(waitMs)
}
