import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/calendars'
import { CALDAV } from '@operon/contracts/integrations/calendars'
import { DAY_MS, now } from '@operon/kit/clock'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { AppRequest } from '../apps/app.ts'
import type { CallApp } from '../connections/call.ts'
import type { ConnectionRow } from '../connections/keep.ts'
import type { IntegrationsDb } from '../schema.ts'
import { type At, type CalendarWire, moment, type Shown, type Wanted } from './wire.ts'
import { wireOf } from './wires.ts'

type Call = Ctx<IntegrationsDb>
type Write = Input<typeof api.writeCalendarEvent>
type Ask = (action: string, request: AppRequest, effect?: 'reads' | 'changes') => Promise<any>

const DAYS_BACK = 30
const DAYS_AHEAD = 400

export async function calendarOf(ctx: Call, connectionId: string): Promise<{ row: ConnectionRow; wire: CalendarWire }> {
  const row = await ctx.db
    .selectFrom('connections')
    .selectAll()
    .where('id', '=', connectionId)
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', '<>', 'disconnected')
    .executeTakeFirst()
  const wire = row && wireOf(row.app)
  if (!row || !wire) throw new DomainError('app_not_connected', { message: 'No such calendar is connected.' })
  if (row.state === 'broken') throw new DomainError('connection_broken', brokenWords(row))
  return { row, wire }
}
const asker =
  (ctx: Call, row: ConnectionRow, call: CallApp): Ask =>
  (action, request, effect = 'reads') =>
    call(row, () => request, { action, effect, signal: ctx.signal }).catch((error: unknown) => {
      const isBroken = error instanceof DomainError && error.code === 'connection_broken'
      throw isBroken ? new DomainError('connection_broken', { ...brokenWords(row), cause: error }) : error
    })
const brokenWords = ({ app }: ConnectionRow) =>
  app === (CALDAV as ConnectionRow['app'])
    ? { message: 'The server does not accept the password any more. Connect the calendar again with a new one.' }
    : {}

/** The vendor's answer in place of the deed. */
const statusOf = (error: unknown): number | undefined =>
  error instanceof DomainError && error.code === 'app_refused' ? (error.details as { status?: number } | undefined)?.status : undefined

export async function listChanges(ctx: Call, { connection_id, cursor, from, until }: Input<typeof api.listCalendarChanges>, call: CallApp) {
  const { row, wire } = await calendarOf(ctx, connection_id)
  const ask = asker(ctx, row, call)
  const first: At = {
    from: new Date(from ?? now() - DAYS_BACK * DAY_MS).toISOString(),
    until: new Date(until ?? now() + DAYS_AHEAD * DAY_MS).toISOString(),
  }
  const asked = cursor === undefined ? first : read(cursor)
  const list = async (at: At, reset: boolean) => {
    const answer = await ask('list-changes', wire.list(at))
    const { events, at: next, more, anew } = wire.listed(answer, at)
    return { account: row.account, events, cursor: write(next), more, reset, ...(anew && { anew }) }
  }
  try {
    return await list(asked, false)
  } catch (error) {
    // Both answer 410 where they keep no such token any more: all is listed anew, in the window of the first time.
    if (statusOf(error) !== 410 || cursor === undefined) throw error
    return list({ from: asked.from, until: asked.until }, true)
  }
}

const write = (at: At) => Buffer.from(JSON.stringify(at)).toString('base64url')
function read(cursor: string): At {
  try {
    const { from, until, page, sync } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Record<string, unknown>
    const [begins, ends] = [moment(from), moment(until)]
    if (begins && ends)
      return { from: begins, until: ends, ...(typeof page === 'string' && { page }), ...(typeof sync === 'string' && { sync }) }
  } catch {
    // Not one that we gave.
  }
  throw new DomainError('invalid', { message: 'This cursor was not given here. List without one.' })
}

export async function writeEvent(ctx: Call, input: Write, call: CallApp) {
  const { row, wire } = await calendarOf(ctx, input.connection_id)
  const ask = asker(ctx, row, call)
  const { key, event_id, etag, event } = input
  if (event && Date.parse(event.ends_at) <= Date.parse(event.starts_at))
    throw new DomainError('app_input', { message: 'An event ends after it starts.' })
  if (!event && !event_id) throw new DomainError('app_input', { message: 'Say which event is to be taken out.' })
  if (!event) return remove(ask, wire, event_id!, etag)
  return event_id ? change(ask, wire, event_id, event, etag) : add(ask, wire, key, event)
}

async function add(ask: Ask, wire: CalendarWire, key: string, event: Wanted) {
  try {
    return { outcome: 'written' as const, event: wire.event(await ask('add-event', wire.add(key, event), 'changes')) }
  } catch (error) {
    // It was made before, by a call whose answer was lost.
    if (statusOf(error) !== 409 || !wire.idFor) throw error
    const there = await shown(ask, wire, wire.idFor(key))
    return there ? { outcome: 'written' as const, event: there } : gone
  }
}

const gone = { outcome: 'gone' as const, event: null }
async function shown(ask: Ask, wire: CalendarWire, id: string): Promise<Shown | null> {
  try {
    const event = wire.event(await ask('show-event', wire.show(id)))
    return event.removed ? null : event
  } catch (error) {
    if ([404, 410].includes(statusOf(error) ?? 0)) return null
    throw error
  }
}

async function change(ask: Ask, wire: CalendarWire, id: string, event: Wanted, etag?: string) {
  try {
    const written = wire.event(await ask('change-event', wire.change(id, event, etag), 'changes'))
    return written.removed ? gone : { outcome: 'written' as const, event: written }
  } catch (error) {
    const status = statusOf(error)
    if (status === 404 || status === 410) return gone
    if (status !== 412) throw error
    const there = await shown(ask, wire, id)
    if (!there) return gone
    // A write whose answer was lost has changed the etag itself.
    return { outcome: isAs(there, event) ? ('written' as const) : ('conflict' as const), event: there }
  }
}

const isAs = (there: Shown, { title, starts_at, ends_at, busy }: Wanted) =>
  there.title === title && there.starts_at === moment(starts_at) && there.ends_at === moment(ends_at) && there.busy === busy

async function remove(ask: Ask, wire: CalendarWire, id: string, etag?: string) {
  try {
    await ask('remove-event', wire.remove(id, etag), 'changes')
  } catch (error) {
    const status = statusOf(error)
    if (status === 412) {
      const there = await shown(ask, wire, id)
      if (there) return { outcome: 'conflict' as const, event: there }
    } else if (status !== 404 && status !== 410) throw error
  }
  return { outcome: 'removed' as const, event: null }
}
