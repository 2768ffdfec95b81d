import type { Input, Output } from '@operon/contracts/contract'
import type { listSlots as listContract, showBookingPage as pageContract } from '@operon/contracts/crm/booking'
import type { ScheduleShape } from '@operon/contracts/crm/calendar'
import { now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { Texter } from '@operon/kit/mail/texts'
import { type Kysely, type Selectable, sql } from 'kysely'
import { type Busy, slotsOf } from '../calendar/slots.ts'
import { daysIn } from '../calendar/zones.ts'
import type { CrmDb } from '../schema.ts'

type Call = Ctx<CrmDb>
export type Offer = Selectable<CrmDb['event_types']> & ScheduleShape & { host: string; busy: Busy[] }

/** A page by its address, or by its id where a booking of it is moved: then that booking is not in its own way. */
type Which = { profile: string; event_type: string } | { id: string; except: string }
type Window = { fromMs: number; toMs: number }

// A meeting with its buffers on both sides reaches so far.
const REACH_MS = 20 * 3_600_000

/** A whole day over there is a day in the zone of the host, not of UTC. */
const inZone = (column: 'starts_at' | 'ends_at') =>
  sql`(extract(epoch from case when e.all_day then (${sql.ref(`e.${column}`)} at time zone 'UTC') at time zone s.zone else ${sql.ref(`e.${column}`)} end) * 1000)::float8`
const spanOf = sql`jsonb_build_object('from', ${inZone('starts_at')}, 'to', ${inZone('ends_at')})`

/** Everything that the times of a page are computed from, in one query. */
export async function offerOf(db: Kysely<CrmDb>, which: Which, { fromMs, toMs }: Window): Promise<Offer> {
  const window = sql`tstzrange(${new Date(fromMs - REACH_MS)}, ${new Date(toMs + REACH_MS)})`
  const isIt = 'id' in which ? sql`t.id = ${which.id}` : sql`h.slug = ${which.profile} and t.slug = ${which.event_type} and t.active`
  const { rows } = await sql<Offer>`
    select t.*, h.name as host, s.zone, s.hours, s.exceptions, coalesce((
      select json_agg(json_build_object(
        'from', (extract(epoch from lower(b.during)) * 1000)::float8, 'to', (extract(epoch from upper(b.during)) * 1000)::float8))
      from bookings b
      where b.user_id = t.user_id and b.during && ${window} and b.blocks and b.state in ('pending', 'confirmed', 'no_show')
        and (b.hold_until is null or b.hold_until > now())
        and b.id is distinct from ${'id' in which ? which.except : null}::uuid
    ), '[]')::jsonb || coalesce((select jsonb_agg(${spanOf}) from external_events e join synced_calendars k on k.id = e.calendar_id and k.busy
      where e.user_id = t.user_id and e.busy and tstzrange(e.starts_at, greatest(e.ends_at, e.starts_at)) && ${window}
    ), '[]') as busy
    from event_types t join hosts h on h.user_id = t.user_id join schedules s on s.user_id = t.user_id
    where ${isIt} limit 1`.execute(db)
  if (!rows[0]) throw new DomainError('not_found', { message: 'There is no booking page at this address.' })
  return rows[0]
}

export async function showBookingPage(
  { db }: Call,
  { profile }: Input<typeof pageContract>,
  { isOpen }: Pick<Texter, 'isOpen'>,
): Promise<Output<typeof pageContract>> {
  const rows = await db
    .selectFrom('hosts')
    .innerJoin('schedules', 'schedules.user_id', 'hosts.user_id')
    .innerJoin('event_types', 'event_types.user_id', 'hosts.user_id')
    .select(['hosts.name', 'schedules.zone', 'event_types.slug', 'title', 'description', 'minutes', 'place_kind', 'place'])
    .select(['needs_approval', 'price_cents', 'refund_hours', 'questions', 'days_ahead', 'sms_minutes'])
    .where('hosts.slug', '=', profile)
    .where('event_types.active', '=', true)
    .orderBy('event_types.id')
    .limit(100)
    .execute()
  if (!rows[0]) throw new DomainError('not_found', { message: 'There is no booking page at this address.' })
  return {
    name: rows[0].name,
    zone: rows[0].zone,
    event_types: rows.map(({ place, sms_minutes, ...type }) => ({
      ...type,
      sms_minutes: isOpen ? sms_minutes : 0,
      place: type.place_kind === 'address' && place ? place : null,
    })),
  }
}

export async function listSlots({ db }: Call, input: Input<typeof listContract>): Promise<Output<typeof listContract>> {
  const { profile, event_type, from, days, zone } = input
  const window = daysIn(from, days, zone)
  const offer = await offerOf(db, { profile, event_type }, window)
  const slots = slotsOf({ schedule: offer, type: offer, busy: offer.busy, nowMs: now(), ...window })
  return { minutes: offer.minutes, slots: slots.map((ms) => new Date(ms).toISOString()) }
}

/** The offer, if a meeting can begin at exactly this time. */
export async function offerAt(db: Kysely<CrmDb>, which: Which, start: string): Promise<Offer> {
  const fromMs = Date.parse(start)
  const window = { fromMs, toMs: fromMs + 1 }
  const offer = await offerOf(db, which, window)
  const isFree = slotsOf({ schedule: offer, type: offer, busy: offer.busy, nowMs: now(), ...window }).includes(fromMs)
  if (!isFree) throw new DomainError('slot_taken')
  return offer
}
