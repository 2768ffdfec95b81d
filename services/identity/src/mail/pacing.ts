import { now } from '@operon/kit/clock'
import { type JobRun, Later } from '@operon/kit/jobs/jobs'
import { domainOf } from '@operon/kit/mail/blocks'
import { type Channel, type Pace, type PlatformPace, takeSlot } from '@operon/kit/mail/paces'
import { platformPace as mailPlatformPace, reserved, textPaces, textPlatformPace } from '@operon/kit/mail/turns'
import { sql } from 'kysely'
import type { IdentityConfig } from '../config.ts'
import type { Deps } from '../deps.ts'
import type { Template } from './templates.ts'

type Limits = Pick<IdentityConfig, Extract<keyof IdentityConfig, `LIMIT_${string}`>>

const channelOf = (to: string): Channel => (to.includes('@') ? 'email' : 'sms')
const perHourOf = (config: Limits, channel: Channel) =>
  channel === 'email' ? config.LIMIT_MAIL_PLATFORM_PER_HOUR : config.LIMIT_SMS_PLATFORM_PER_HOUR
const reserveOf = (config: Limits, channel: Channel) => reserved(perHourOf(config, channel), config)

/** Limits on messages that strangers cause, for the whole platform. */
export const platformPace = (config: Limits, channel: Channel): PlatformPace =>
  channel === 'email' ? mailPlatformPace(config) : textPlatformPace(config)
export const platformPaces = (config: Limits) => [platformPace(config, 'email'), platformPace(config, 'sms')]

/** The limits that a message to this recipient counts against, whoever asks for it. */
export const recipientPaces = (config: Limits, to: string): Pace[] =>
  channelOf(to) === 'email'
    ? [{ scope: `email domain ${domainOf(to)}`, perHour: config.LIMIT_MAIL_TO_DOMAIN_PER_HOUR }, platformPace(config, 'email')]
    : textPaces(config, to)

// Strangers can cause these for an address; everything else is news about an account for its owner, who caused it or must hear of it.
const causedByStrangers: readonly Template[] = [
  'confirm',
  'magic_link',
  'recovery',
  'invite',
  'email_change_current',
  'email_change_new',
  'account_exists',
]

/** Owners have a share of their own, which strangers cannot use up. */
function pacesOf(config: Limits, to: string, userId: string | null, template: Template | null): Pace[] {
  const channel = channelOf(to)
  const perHour = channel === 'email' ? config.LIMIT_MAIL_PER_HOUR : config.LIMIT_SMS_PER_HOUR
  const isNotice = template !== null && !causedByStrangers.includes(template)
  if (isNotice) {
    // A busy account tells its owner about as often as strangers may write to an address, and no less than that.
    const own = userId ? [{ scope: `${channel} notices ${userId}`, perHour: perHour * 2 }] : []
    return [...own, { scope: `${channel} reserve`, perHour: reserveOf(config, channel) }]
  }
  return [...(userId ? [{ scope: `${channel} account ${userId}`, perHour }] : []), ...recipientPaces(config, to)]
}

/** Goes on when the message may be sent; else the job waits for its turn, and what it carries lives as much longer. */
export async function waitForTurn(
  { rt, config }: Deps,
  { id, userId, payload: { to } }: Pick<JobRun<{ to: string }>, 'id' | 'userId' | 'payload'>,
  template: Template | null,
): Promise<void> {
  const channel = channelOf(to)
  const waitMs = await takeSlot(rt.db, id, channel, pacesOf(config, to, userId, template))
  if (waitMs <= 0) return
  const expiresAt = new Date(now() + waitMs + config.AUTH_OTP_SECONDS * 1000)
  const { rows } = await sql<{ flow_id: string | null }>`
    update one_time_tokens set expires_at = greatest(expires_at, ${expiresAt}) where id = ${id} returning flow_id`.execute(rt.db)
  if (rows[0]?.flow_id)
    await sql`update flows set expires_at = greatest(expires_at, ${expiresAt}) where id = ${rows[0].flow_id}`.execute(rt.db)
  rt.log.info({ job: id, channel, waitMs }, 'a message waits for its turn')
  throw new Later(waitMs)
}
