import { now } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import { sql } from 'kysely'
import { Temporal } from 'temporal-polyfill'
import { daysIn, instantOf } from '../calendar/zones.ts'
import type { Trx } from '../contacts/assert.ts'
import { changeTask, hasRoom } from '../contacts/tasks.ts'
import { contactAt } from './contacts.ts'
import type { Kind } from './kind.ts'
import { taken } from './match.ts'
import type { Fields, Own, SyncRow, Usable } from './schema.ts'

/**
 * Nothing but its row tells one task from another. An open row is therefore the row of an open task only if both say the same in every column:
 * then nothing is merged. Tasks of a deleted contact wait with it, and are no records meanwhile.
 */
export const tasks: Kind = {
  table: 'tasks',
  records: sql`
    select t.id, t.user_id, hashtext(jsonb_build_array(t.title, t.done_at is not null, t.due_at, l.email)::text) as version, t.title,
      (t.done_at is not null)::text as done, to_char(t.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as due, l.email,
      t.done_at is null as adds
    from tasks t left join leads l on l.id = t.contact_id and l.user_id = t.user_id where t.contact_id is null or l.id is not null`,
  unique: null,

  async usable(trx, sync, there, own) {
    const values: Usable = {}
    if (there.title !== undefined) values.title = taken('title', there.title)
    if (there.done !== undefined) values.done = doneBy(sync, there.done)
    if (there.due !== undefined) values.due = await dueBy(trx, sync.user_id, there.due, own)
    if (there.email !== undefined) values.email = await emailBy(trx, sync.user_id, there.email, own)
    return values
  },

  async find(trx, sync, there) {
    const wanted = await this.usable(trx, sync, there, null)
    if (!wanted.title) return 'unusable'
    if ('done' in wanted && wanted.done !== 'false') return 'unwanted'
    const twin = await twinOf(trx, sync, there, wanted)
    if (twin) {
      await trx.deleteFrom('notion_links').where('sync_id', '=', sync.id).where('record_id', '=', twin).execute()
      return { id: twin }
    }
    if (!(await hasRoom(trx, sync.user_id))) return 'unusable'
    const id = newId()
    const due_at = wanted.due ? new Date(wanted.due) : null
    // A task that is late already was never promised a reminder.
    const told_at = due_at && due_at.getTime() <= now() ? due_at : null
    const contact_id = await contactOf(trx, sync.user_id, wanted)
    await trx
      .insertInto('tasks')
      .values({ id, user_id: sync.user_id, contact_id: contact_id ?? null, title: wanted.title, due_at, told_at })
      .execute()
    return { id }
  },

  async change(trx, userId, id, changes) {
    const { title, done, due } = changes
    const contact_id = await contactOf(trx, userId, changes)
    await changeTask(trx, userId, id, {
      ...(title && { title }),
      ...(done && { done: done === 'true' }),
      ...(due !== undefined && { due_at: due === null ? null : new Date(due) }),
      ...(contact_id !== undefined && { contact_id }),
    })
  },
}

/** The oldest open task without a row that says the same as this one. */
async function twinOf(trx: Trx, { id, user_id }: SyncRow, there: Fields, { title, due, email }: Usable): Promise<string | undefined> {
  if ('due' in there && due === undefined) return undefined
  const [told, address] = [there.due ?? null, email ?? null]
  const day = told && DAY.test(told) ? spanOf(told, await zoneOf(trx, user_id)) : null
  const isDue = day ? sql`r.due >= ${day.from} and r.due < ${day.to}` : sql`r.due is not distinct from ${told}`
  const { rows } = await sql<{ id: string }>`
    select r.id from (${tasks.records}) r where r.user_id = ${user_id} and r.adds and r.title = ${title}
      ${'due' in there ? sql`and ${isDue}` : sql``}
      ${'email' in there ? sql`and r.email is not distinct from ${address}` : sql``}
      and not exists (select from notion_links k where k.sync_id = ${id} and k.record_id = r.id and not k.gone)
    order by r.id limit 1`.execute(trx)
  return rows[0]?.id
}

function doneBy({ statuses }: SyncRow, value: string | null): string | undefined {
  if (!statuses || value === null) return String(value === 'true')
  if (statuses.done.includes(value)) return 'true'
  return statuses.open.includes(value) ? 'false' : undefined
}

const DAY = /^\d{4}-\d\d-\d\d$/
const NINE = 9 * 60
/** A day over there is any time of that day here, and nine in the morning at first. */
async function dueBy(trx: Trx, userId: string, value: string | null, own: Own | null): Promise<string | null | undefined> {
  if (value === null || !DAY.test(value)) return value === null || /^\d{4}-\d\d-\d\dT.*Z$/.test(value) ? value : undefined
  const zone = await zoneOf(trx, userId)
  const { from, to } = spanOf(value, zone)
  if (own?.due && own.due >= from && own.due < to) return own.due
  return new Date(instantOf(Temporal.PlainDate.from(value), NINE, zone, 'begins')).toISOString()
}

/** The time zone of the person's booking hours is the one they told us. */
async function zoneOf(trx: Trx, userId: string): Promise<string> {
  const kept = await trx.selectFrom('schedules').select('zone').where('user_id', '=', userId).executeTakeFirst()
  return kept?.zone ?? 'UTC'
}

function spanOf(day: string, zone: string): { from: string; to: string } {
  const { fromMs, toMs } = daysIn(day, 1, zone)
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
}

/** The main address of the contact that has this one. One that no contact has is as good as none, where the task has no contact either. */
async function emailBy(trx: Trx, userId: string, value: string | null, own: Own | null): Promise<string | null | undefined> {
  if (value === null) return null
  const email = taken('email', value)
  const contactId = email && (await contactAt(trx, userId, email))
  const contact = contactId
    ? await trx.selectFrom('leads').select('email').where('id', '=', contactId).where('user_id', '=', userId).executeTakeFirst()
    : null
  return contact?.email ?? (own?.email ? undefined : null)
}

async function contactOf(trx: Trx, userId: string, { email }: Usable): Promise<string | null | undefined> {
  return email ? ((await contactAt(trx, userId, taken('email', email)!)) ?? null) : email
}
