import { setTimeout as wait } from 'node:timers/promises'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { definitionOf } from '../apps/all.ts'
import type { Held } from '../apps/app.ts'
import { type Place, type Places, placesFor } from '../apps/place.ts'
import { basic, type Vendor, vendors } from '../apps/vendors.ts'
import type { Config } from '../config.ts'
import type { IntegrationsDb } from '../schema.ts'
import { breakConnection, type ConnectionRow, seal, unseal } from './keep.ts'

type Rt = Runtime<IntegrationsDb, Config>

/** The lease outlasts the call that it is for. */
const LEASE_SECONDS = 30
const DEADLINE_MS = 15_000
const PATIENCE_MS = 20_000
/** A token this near to its end is renewed before it is used. */
const MARGIN_MS = 60_000
/** So many exchanges with a vendor run at once: what a kill between its answer and our save can cost, as a rotated token is lost for good. */
const AT_RISK = 16

export type Granted = { held: Held; scopes: string[]; seconds: number | null }

/** `ended` is the vendor's word that this will not be granted again; anything else may pass. */
export class NotGranted extends Error {
  readonly ended: boolean
  constructor(message: string, ended: boolean) {
    super(message)
    this.ended = ended
  }
}

const ENDED = new Set([
  'invalid_grant',
  'invalid_code',
  'bad_verification_code',
  'invalid_refresh_token',
  'token_revoked',
  'access_denied',
  'unauthorized_client',
  'invalid_client',
])

/** One exchange with a vendor's token endpoint. */
export async function exchange(
  { fetch }: Places,
  place: Place,
  vendor: Vendor,
  grant: Record<string, string>,
  before?: Held,
): Promise<Granted> {
  const { id, secret } = place.client
  const headers: Record<string, string> = { accept: 'application/json' }
  const fields = vendor.auth === 'post' ? { ...grant, client_id: id, client_secret: secret } : grant
  if (vendor.auth !== 'post') Object.assign(headers, basic(place.client))
  if (vendor.auth === 'json') headers['content-type'] = 'application/json'
  const body = vendor.auth === 'json' ? JSON.stringify(fields) : new URLSearchParams(fields)
  const response = await fetch(await place.wire(vendor.token), { method: 'POST', headers, body, deadlineMs: DEADLINE_MS, maxRedirects: 0 })
  let answer = await answerOf(response)
  if (vendor.lasting && grant.grant_type === 'authorization_code') {
    const { url, query } = vendor.lasting(String(answer.access_token), place.client)
    answer = {
      ...answer,
      ...(await answerOf(
        await fetch(`${await place.wire(url)}?${new URLSearchParams(query)}`, { deadlineMs: DEADLINE_MS, maxRedirects: 0 }),
      )),
    }
  }
  const held: Held = {
    access: String(answer.access_token),
    ...((answer.refresh_token ?? before?.refresh) && { refresh: String(answer.refresh_token ?? before?.refresh) }),
    ...(before?.base && { base: before.base }),
    ...(before?.fields && { fields: before.fields }),
    ...vendor.held?.(answer),
  }
  const scopes = String(answer.scope ?? '')
    .split(/[\s,]+/)
    .filter(Boolean)
  return { held, scopes, seconds: secondsOf(answer) }
}

const secondsOf = ({ expires_in }: { expires_in?: unknown }) => (Number(expires_in) > 0 ? Number(expires_in) : null)

async function answerOf(response: Awaited<ReturnType<Places['fetch']>>): Promise<any> {
  const answer = (await response.json().catch(() => ({}))) as any
  const error = answer.error ?? (answer.ok === false ? 'refused' : undefined)
  if (response.ok && error === undefined && answer.access_token) return answer
  const code = typeof error === 'string' ? error : String(error?.type ?? error?.code ?? response.status)
  const said = String(answer.error_description ?? error?.message ?? code)
  throw new NotGranted(
    said,
    response.status < 500 && response.status !== 429 && (ENDED.has(code) || response.status === 400 || response.status === 401),
  )
}

/** Sets what a new token changes. By PostgreSQL's clock; renewed at four fifths of its life. */
export const lifeOf = (seconds: number | null) => ({
  expires_at: seconds === null ? null : sql<Date>`now() + ${seconds} * interval '1 second'`,
  refresh_at: seconds === null ? null : sql<Date>`now() + ${seconds * 0.8} * interval '1 second'`,
})

export type Tokens = {
  /** The access to call with now. `than` is a generation that the app has just refused. */
  fresh(connection: ConnectionRow, than?: number): Promise<{ row: ConnectionRow; held: Held }>
}

/**
 * One refresh an expiry at any concurrency: callers of this process share one promise, and processes a leased row. No transaction is open
 * during the call. Who finds the lease taken waits and reads the row again.
 */
export function openTokens(rt: Rt, places: Places): Tokens {
  const { db, vault } = rt
  const running = new Map<string, Promise<{ row: ConnectionRow; held: Held }>>()

  const rooms = new Map<string, Room>()
  const roomAt = ({ app }: ConnectionRow): Room => {
    const of = definitionOf(app).vendor ?? app
    const room = rooms.get(of) ?? roomFor(AT_RISK)
    rooms.set(of, room)
    return room
  }

  const isStale = ({ generation, expires_at }: ConnectionRow, than?: number) =>
    generation === than || (expires_at !== null && expires_at.getTime() - now() < MARGIN_MS)
  const canRenew = (row: ConnectionRow, held: Held) =>
    Boolean(definitionOf(row.app).mint?.(held) || (definitionOf(row.app).vendor && held.refresh))
  const read = (id: string) => db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst()
  const gone = (row?: ConnectionRow) => new DomainError(row?.state === 'broken' ? 'connection_broken' : 'app_not_connected')

  async function renew(first: ConnectionRow, than?: number): Promise<{ row: ConnectionRow; held: Held }> {
    const until = Date.now() + PATIENCE_MS
    for (;;) {
      const row = await read(first.id)
      if (!row?.sealed || row.state === 'broken' || row.state === 'disconnected') throw gone(row)
      const held = unseal(vault, row.id, row.sealed)
      if (!isStale(row, than)) return { row, held }
      if (!canRenew(row, held)) {
        // Without a way to renew it, an old token is tried as long as the app takes it.
        if (row.generation !== than) return { row, held }
        await inTransaction(db, (trx) => breakConnection(trx, row, 'It does not accept our access any more.'))
        throw new DomainError('connection_broken')
      }
      if (Date.now() > until) throw new DomainError('upstream_timeout')
      const renewed = await roomAt(row)(() => renewInTurn(row, held))
      if (renewed) return renewed
      await wait(40 + Math.random() * 80)
    }
  }

  async function renewInTurn(row: ConnectionRow, held: Held): Promise<{ row: ConnectionRow; held: Held } | null> {
    const lease = newId()
    const leased = await db
      .updateTable('connections')
      .set({ lease_id: lease, lease_until: sql`clock_timestamp() + ${LEASE_SECONDS} * interval '1 second'` })
      .where('id', '=', row.id)
      .where('generation', '=', row.generation)
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', sql<Date>`clock_timestamp()`)]))
      .returning('id')
      .executeTakeFirst()
    return leased ? renewOnce(row, held, lease) : null
  }

  /** Null where another process was faster after all. */
  async function renewOnce(row: ConnectionRow, held: Held, lease: string): Promise<{ row: ConnectionRow; held: Held } | null> {
    const definition = definitionOf(row.app)
    const place = places.at(row.app, row.sandbox)
    try {
      if (!place) throw new NotGranted('The operator has no access to it any more.', true)
      const bought = definition.mint?.(held)
      const granted = bought
        ? await mint(placesFor(places, row.app), place, bought, held)
        : await exchange(places, place, vendors[definition.vendor!], { grant_type: 'refresh_token', refresh_token: held.refresh! }, held)
      const saved = await db
        .updateTable('connections')
        .set({
          sealed: seal(vault, row.id, granted.held),
          ...lifeOf(granted.seconds),
          generation: row.generation + 1,
          lease_until: null,
          state: 'connected',
          failure: null,
          checked_at: sql`now()`,
          updated_at: sql`now()`,
        })
        .where('id', '=', row.id)
        .where('generation', '=', row.generation)
        // A process that slept past its lease may have been given up on; what it brings still holds.
        .where('state', '<>', 'disconnected')
        .returningAll()
        .executeTakeFirst()
      rt.metrics.counter.inc({ service: rt.name, what: 'token_renewed' })
      return saved ? { row: saved, held: granted.held } : null
    } catch (error) {
      if (error instanceof NotGranted && error.ended) {
        const later = await read(row.id)
        if (later && later.generation !== row.generation) return null
        await inTransaction(db, (trx) => breakConnection(trx, row, `It answered: ${error.message.slice(0, 200)}`))
        throw new DomainError('connection_broken', { cause: error })
      }
      await db.updateTable('connections').set({ lease_until: null }).where('id', '=', row.id).where('lease_id', '=', lease).execute()
      // A process that stood still for a while may find that another has renewed it meanwhile.
      if ((await read(row.id))?.generation !== row.generation) return null
      if (error instanceof NotGranted) throw new DomainError('upstream_failed', { cause: error })
      throw error
    }
  }

  return {
    async fresh(row, than) {
      if (!row.sealed || row.state === 'broken' || row.state === 'disconnected') throw gone(row)
      if (!isStale(row, than)) return { row, held: unseal(vault, row.id, row.sealed) }
      const known = running.get(row.id)
      if (known) return known
      const work = renew(row, than).finally(() => running.delete(row.id))
      running.set(row.id, work)
      return work
    },
  }
}

type Room = <T>(work: () => Promise<T>) => Promise<T>
function roomFor(most: number): Room {
  let used = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (used >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else used++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else used--
    }
  }
}

/** A short-lived token for the key that the person pasted. */
export async function mint(
  places: Pick<Places, 'fetch'>,
  place: Place,
  call: { url: string; headers: Record<string, string>; form: Record<string, string> },
  held: Held,
): Promise<Granted> {
  const response = await places.fetch(await place.wire(call.url), {
    method: 'POST',
    headers: { accept: 'application/json', ...call.headers },
    body: new URLSearchParams(call.form),
    deadlineMs: DEADLINE_MS,
    maxRedirects: 0,
  })
  const answer = await answerOf(response)
  // A pasted key is kept where a refresh token would be, and nothing takes its place.
  const next = call.form.grant_type !== 'client_credentials' && answer.refresh_token
  return {
    held: { ...held, access: String(answer.access_token), ...(next && { refresh: String(next) }) },
    ...{ scopes: [], seconds: secondsOf(answer) },
  }
}
