import type { TextState } from '@operon/contracts/crm/appointments'
import type { Tier } from '@operon/contracts/plans'
import { stillRuns } from '@operon/kit/allowance'
import { DomainError } from '@operon/kit/errors'
import type { Texter } from '@operon/kit/mail/texts'
import { type Kysely, sql } from 'kysely'
import type { Booking, Trx } from './bookings.ts'

/** Text reminders that an account sends in 24 hours, by its plan. Each costs the platform money. */
const aDay: Record<Tier, number> = { none: 0, trial: 5, basic: 20, pro: 60, enterprise: 150 }
/** From all accounts together: anybody can type anybody's number. */
const TO_A_NUMBER_A_DAY = 3

export type Texts = { reason: string | null; a_day: number; left: number }

/** Whether an account can remind its guests by text message, and how often it still can today. */
export async function textsOf(db: Kysely<any>, { isOpen }: Texter, userId: string): Promise<Texts> {
  if (!isOpen) return { reason: 'Text messages are not set up on this platform.', a_day: 0, left: 0 }
  const { a_day, left } = await allowance(db, userId)
  return { reason: a_day ? null : 'Text reminders come with a plan.', a_day, left }
}

export async function textsOffered(db: Kysely<any>, texter: Texter, userId: string, smsMinutes: number): Promise<void> {
  const { reason } = smsMinutes ? await textsOf(db, texter, userId) : { reason: null }
  if (reason) throw new DomainError('texts_unavailable', { message: reason })
}

async function allowance(db: Kysely<any>, userId: string) {
  const { rows } = await sql<{ tier: Tier | null; sent: number }>`
    select (select tier from entitlements e where e.user_id = ${userId} and ${sql.raw(stillRuns)}) as tier,
      (select count(*)::int from bookings where user_id = ${userId} and texted_at > now() - interval '1 day') as sent`.execute(db)
  const a_day = aDay[rows[0]?.tier ?? 'none']
  return { a_day, left: Math.max(0, a_day - rows[0]!.sent) }
}

/** The word of the number's owner to this account. */
export async function hasAgreed(db: Kysely<any>, { user_id, sms_to }: Pick<Booking, 'user_id' | 'sms_to'>): Promise<boolean> {
  const { rows } = await sql`
    select from consents where user_id = ${user_id} and channel = 'sms' and address = ${`+${sms_to}`} and state = 'given'`.execute(db)
  return rows.length > 0
}

/** Null where the text may go. */
export async function whyNotText(trx: Trx, booking: Booking): Promise<TextState | null> {
  if (!(await hasAgreed(trx, booking))) return 'stopped'
  const { rows } = await sql<{ number: number; again: boolean }>`
    select (select count(*)::int from bookings where sms_to = ${booking.sms_to} and texted_at > now() - interval '1 day') as number,
      ${booking.texted_at}::timestamptz > now() - interval '1 day' as again`.execute(trx)
  // A booking counts once, so one that is moved again and again is texted about once a day.
  if (rows[0]!.again || rows[0]!.number >= TO_A_NUMBER_A_DAY) return 'number'
  return (await allowance(trx, booking.user_id)).left ? null : 'limit'
}
