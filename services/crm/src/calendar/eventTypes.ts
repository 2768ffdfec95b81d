import type { Input, Output } from '@operon/contracts/contract'
import {
  type createEventType as createContract,
  type deleteEventType as deleteContract,
  type listEventTypes as listContract,
  type updateEventType as updateContract,
  usualHours,
} from '@operon/contracts/crm/calendar'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Texter } from '@operon/kit/mail/texts'
import type { Runtime } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { reachable } from '../people/reachable.ts'
import type { CrmDb } from '../schema.ts'
import { slugOf } from './hosts.ts'
import { textsOf, textsOffered } from './texts.ts'

type Call = Ctx<CrmDb>
type Rt = Pick<Runtime<CrmDb>, 'ask' | 'kit'>

const MOST = 100
const bookingPageAt = (home: string, slug: string, type: string) => `${home}/book/${slug}/${type}`

export async function listEventTypes(ctx: Call, { kit }: Rt, texter: Texter): Promise<Output<typeof listContract>> {
  const { id: userId } = signedIn(ctx)
  const rows = await ctx.db
    .selectFrom('event_types')
    .leftJoin('hosts', 'hosts.user_id', 'event_types.user_id')
    .select(['event_types.id', 'event_types.slug', 'title', 'description', 'minutes', 'step_minutes', 'before_minutes', 'after_minutes'])
    .select([
      'notice_minutes',
      'days_ahead',
      'remind_minutes',
      'sms_minutes',
      'place_kind',
      'place',
      'questions',
      'needs_approval',
      'price_cents',
      'refund_hours',
      'active',
      'version',
    ])
    .select('hosts.slug as host')
    .select(
      sql<number>`(select count(*)::int from bookings where event_type_id = event_types.id and starts_at > now() and state in ('pending', 'confirmed') and hold_until is null)`.as(
        'upcoming',
      ),
    )
    .where('event_types.user_id', '=', userId)
    .orderBy('event_types.id')
    .limit(MOST)
    .execute()
  return {
    slug: rows[0]?.host ?? null,
    event_types: rows.map(({ host, ...row }) => ({ ...row, url: bookingPageAt(kit.PUBLIC_URL, host ?? '', row.slug) })),
    texts: await textsOf(ctx.db, texter, userId),
  }
}

export async function createEventType(
  ctx: Call,
  given: Input<typeof createContract>,
  { ask, kit }: Rt,
  texter: Texter,
): Promise<Output<typeof createContract>> {
  const { id: user_id } = reachable(ctx)
  const { zone = 'UTC', ...input } = given
  await textsOffered(ctx.db, texter, user_id, input.sms_minutes)
  // Only the first page of a person waits for another service here.
  const slug = await slugOf(ctx, ask)
  return inTransaction(ctx.db, async (trx) => {
    await trx
      .insertInto('schedules')
      .values({ user_id, zone, hours: JSON.stringify(usualHours), exceptions: '[]' })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    // One at a time for a person, so that the count holds.
    await trx.selectFrom('schedules').select('user_id').where('user_id', '=', user_id).forUpdate().execute()
    const { count } = await trx
      .selectFrom('event_types')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('user_id', '=', user_id)
      .executeTakeFirstOrThrow()
    if (count >= MOST) throw new DomainError('event_type_limit')
    const made = await trx
      .insertInto('event_types')
      .values({ id: newId(), user_id, ...input, ...stored(input) })
      .onConflict((conflict) => conflict.columns(['user_id', 'slug']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) throw new DomainError('event_type_slug')
    return { event_type_id: made.id, url: bookingPageAt(kit.PUBLIC_URL, slug, input.slug) }
  })
}

export async function updateEventType(
  ctx: Call,
  given: Input<typeof updateContract>,
  { ask, kit }: Rt,
  texter: Texter,
): Promise<Output<typeof updateContract>> {
  const { id: userId } = signedIn(ctx)
  const { event_type_id, version, ...input } = given
  await textsOffered(ctx.db, texter, userId, input.sms_minutes)
  const slug = await slugOf(ctx, ask)
  const own = { id: event_type_id, user_id: userId }
  const changed = await ctx.db
    .updateTable('event_types')
    .set({ ...input, ...stored(input), version: sql`version + 1` })
    .where('id', '=', own.id)
    .where('user_id', '=', own.user_id)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
    .catch((error: { code?: string }) => {
      throw error.code === UNIQUE_VIOLATION ? new DomainError('event_type_slug') : error
    })
  if (changed) return { event_type_id, url: bookingPageAt(kit.PUBLIC_URL, slug, input.slug), version: changed.version }
  const known = await ctx.db
    .selectFrom('event_types')
    .select('id')
    .where('id', '=', own.id)
    .where('user_id', '=', own.user_id)
    .executeTakeFirst()
  throw new DomainError(known ? 'conflict' : 'not_found')
}

export async function deleteEventType(ctx: Call, { event_type_id }: Input<typeof deleteContract>): Promise<Output<typeof deleteContract>> {
  const gone = await ctx.db
    .deleteFrom('event_types')
    .where('id', '=', event_type_id)
    .where('user_id', '=', signedIn(ctx).id)
    .returning('id')
    .executeTakeFirst()
  if (!gone) throw new DomainError('not_found')
  return { deleted: true }
}

const UNIQUE_VIOLATION = '23505'
type Given = Pick<Input<typeof createContract>, 'minutes' | 'step_minutes' | 'questions'>
const stored = ({ minutes, step_minutes, questions }: Given) => ({
  step_minutes: step_minutes ?? minutes,
  questions: JSON.stringify(questions),
})
