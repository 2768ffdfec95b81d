import type { Input, Output } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/mail'
import { mailApps } from '@operon/contracts/integrations/mail'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { z } from 'zod'
import { definitionOf } from '../apps/all.ts'
import { ownConnections } from '../connections/actions.ts'
import type { CallApp } from '../connections/call.ts'
import type { ConnectionRow } from '../connections/keep.ts'
import type { IntegrationsDb } from '../schema.ts'
import type { Mail } from './wire.ts'
import { canRead, mailWireOf } from './wires.ts'

type Call = Ctx<IntegrationsDb>
type Asked = Input<typeof api.findMailWith>
type Found = Output<typeof api.findMailWith>
type Message = Found['messages'][number]
type Mailbox = Found['mailboxes'][number]

const MOST_MAILBOXES = 10
/** Somebody waits, and another mailbox may have answered already. */
const PATIENCE_MS = 8_000
const SHOWN_RECIPIENTS = 20

/** Where a mailbox is read on: its page, and the last of it that was shown. */
const Place = z.object({ page: z.string().max(2000).optional(), at: z.iso.datetime().optional(), id: z.string().max(1000).optional() })
type Place = z.output<typeof Place>
type Looked = {
  mailbox: Mailbox
  place: Place
  /** Of this page and not shown before. */
  messages: Message[]
  next?: string | undefined
  /** How far down it was read, where it goes on. */
  floor?: string | undefined
  /** It failed on the way: the next page asks for the same once more. */
  isAskedAgain?: boolean
}

/** Reads each mailbox that may be, and puts together what they answer. Nothing is written but that a call was made. */
export async function findMailWith(ctx: Call, asked: Asked, call: CallApp, patienceMs = PATIENCE_MS): Promise<Found> {
  const places = asked.cursor === undefined ? null : read(asked.cursor)
  const rows = await ownConnections(ctx).where('app', 'in', mailApps).orderBy('created_at').limit(MOST_MAILBOXES).execute()
  const looked = await Promise.all(rows.map((row) => look(ctx, row, asked, places, call, patienceMs)))
  return { ...merged(looked, asked.limit), mailboxes: looked.map(({ mailbox }) => mailbox) }
}

async function look(
  ctx: Call,
  row: ConnectionRow,
  asked: Asked,
  places: Record<string, Place> | null,
  call: CallApp,
  patienceMs: number,
): Promise<Looked> {
  const place = places ? places[row.id] : {}
  const answer = (state: Mailbox['state'], more: Partial<Looked> = {}, failure: string | null = null): Looked => ({
    mailbox: { connection_id: row.id, app: row.app as Mailbox['app'], account: row.account, state, failure },
    ...{ place: place ?? {}, messages: [], ...more },
  })
  if (!row.on_timelines) return answer('off')
  if (row.state === 'broken') return answer('broken')
  if (!canRead(row)) return answer('no_access')
  if (!place) return answer('read')
  const late = AbortSignal.timeout(patienceMs)
  try {
    // A token that is being renewed serves every caller, so that it is left rather than stopped.
    const until = AbortSignal.any([ctx.signal, late])
    return answer('read', await Promise.race([page(row, asked, place, call, until), ended(until)]))
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof DomainError || late.aborted)) throw error
    if (error instanceof DomainError && error.code === 'connection_broken') return answer('broken')
    const failure = error instanceof DomainError && !late.aborted ? error.message : 'It did not answer in time.'
    return answer('failed', { isAskedAgain: places !== null }, failure)
  }
}

const ended = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

/** A page of which nothing was left: what follows may be of any time. */
const ABOVE_ALL = '9999'

async function page(row: ConnectionRow, { addresses, limit }: Asked, place: Place, call: CallApp, signal: AbortSignal) {
  const wire = mailWireOf(row.app)
  const paging = definitionOf(row.app).paging!
  // Every email of a mailbox is to or from its own address.
  const wanted = new Set(addresses.filter((address) => address !== row.account.toLowerCase()))
  if (!wanted.size) return { messages: [] }
  const ask = (request: Parameters<typeof paging.send>[0]) =>
    call(row, () => request, { action: 'find-mail-with', effect: 'reads', signal })
  const first = wire.list([...wanted], limit)
  const listed = await ask(place.page === undefined ? first : paging.send(first, place.page))
  const mails = (await wire.mails(listed, ask, row.account)).sort(newestFirst)
  const next = paging.next(listed)
  return {
    messages: mails.filter((mail) => isWith(mail, wanted) && isBelow(mail, place)).map((mail) => shown(mail, row.id)),
    ...(next ? { next: String(next), floor: mails.at(-1)?.at ?? ABOVE_ALL } : {}),
  }
}

/** A search for ann@x.com finds mary.ann@x.com as well, and whoever calls herself so. */
const isWith = ({ from, to, isDraft }: Mail, wanted: Set<string>) =>
  !isDraft && [...(from ? [from] : []), ...to].some(({ address }) => wanted.has(address))

type Dated = { at: string; id: string }
const newestFirst = (one: Dated, other: Dated) => order(other.at, one.at) || order(other.id, one.id)
const order = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
const isBelow = (mail: Dated, { at, id }: Place) => at === undefined || newestFirst({ at, id: id ?? '' }, mail) < 0

const shown = ({ isDraft: _, to, subject, snippet, ...mail }: Mail, connection_id: string): Message => ({
  ...mail,
  connection_id,
  to: to.slice(0, SHOWN_RECIPIENTS),
  subject: subject.slice(0, 300),
  snippet: snippet.slice(0, 300),
})

/** Newest first, no further down than every mailbox was read: below that, one of them may have something in between. */
function merged(looked: Looked[], limit: number): Pick<Found, 'messages' | 'cursor'> {
  const floor = looked.reduce((most, { floor = '' }) => (floor > most ? floor : most), '')
  const messages = looked
    .flatMap(({ messages }) => messages)
    .filter(({ at }) => at >= floor)
    .sort(newestFirst)
    .slice(0, limit)
  const kept = new Set(messages)
  const places = looked.flatMap(({ mailbox, place, messages: own, next, isAskedAgain }): [string, Place][] => {
    const given = own.filter((message) => kept.has(message))
    const last = given.at(-1)
    // Emails that were not shown are read again: nothing of a page is kept in between.
    if (given.length < own.length) return [[mailbox.connection_id, { ...place, ...(last && { at: last.at, id: last.id }) }]]
    if (isAskedAgain) return [[mailbox.connection_id, place]]
    return next ? [[mailbox.connection_id, { page: next }]] : []
  })
  return { messages, cursor: places.length ? Buffer.from(JSON.stringify(Object.fromEntries(places))).toString('base64url') : null }
}

const Places = z.record(z.uuid(), Place)
function read(cursor: string): Record<string, Place> {
  try {
    return Places.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    throw new DomainError('invalid', { message: 'This cursor was not given here. List without one.' })
  }
}

export async function updateMailbox(ctx: Call, { connection_id, on_timelines }: Input<typeof api.updateMailbox>) {
  const row = await ctx.db
    .updateTable('connections')
    .set({ on_timelines })
    .where('id', '=', connection_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('app', 'in', mailApps)
    .where('state', '<>', 'disconnected')
    .returning('id')
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return { connection_id, on_timelines }
}
