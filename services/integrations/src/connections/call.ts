import { setTimeout as wait } from 'node:timers/promises'
import { appName } from '@operon/contracts/words'
import { DomainError } from '@operon/kit/errors'
import { Circuit } from '@operon/kit/fetch'
import type { Runtime } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import { definitionOf } from '../apps/all.ts'
import type { Answer, AppDefinition, AppRequest, Held } from '../apps/app.ts'
import { CUSTOM } from '../apps/custom.ts'
import { type Place, type Places, placesFor } from '../apps/place.ts'
import { callDav } from '../calendars/caldav/calls.ts'
import type { Config } from '../config.ts'
import { callTool } from '../custom/mcp.ts'
import type { IntegrationsDb } from '../schema.ts'
import { breakConnection, type ConnectionRow } from './keep.ts'
import { FAILING, openNotes } from './notes.ts'
import { holdUntil, takeTurn } from './rate.ts'
import type { Tokens } from './tokens.ts'

type Rt = Runtime<IntegrationsDb, Config>

const DEADLINE_MS = 20_000
/** A person waits this long for a turn; beyond it they are told when. */
const PATIENCE_MS = 3_000
const MAX_BYTES = 2 * 1024 * 1024
const MOST_CIRCUITS = 1000

export type Asked = { action: string; effect: 'reads' | 'changes' | 'sends'; signal?: AbortSignal }
export type CallApp = (connection: ConnectionRow, request: (held: Held) => AppRequest, asked: Asked) => Promise<Answer>

/** The one way to call an app: its turn, a token that is good, the guarded fetch, and an answer that is told apart. */
export function openCalls(rt: Rt, places: Places, tokens: Tokens): CallApp {
  const { db } = rt
  const note = openNotes(rt)
  const circuits = new Map<string, Circuit>()

  function circuitOf(id: string): Circuit {
    const circuit = circuits.get(id) ?? new Circuit({ counts: isTheirs })
    circuits.set(id, circuit)
    if (circuits.size > MOST_CIRCUITS) circuits.delete(circuits.keys().next().value!)
    return circuit
  }

  async function call(connection: ConnectionRow, request: (held: Held) => AppRequest, { effect, signal }: Asked) {
    const app = definitionOf(connection.app)
    const place = places.at(connection.app, connection.sandbox)
    if (!place) throw new DomainError('app_not_set_up')
    const turn = await takeTurn(db, connection.id, app.perMinute, PATIENCE_MS)
    if (!turn.taken) throw busy(turn.waitMs)
    if (turn.waitMs > 0) await wait(turn.waitMs, undefined, signal ? { signal } : {})
    let { row, held } = await tokens.fresh(connection)
    for (let again = false; ; again = true) {
      const { status, answer, retryAfterMs } = await circuitOf(row.id).run(() =>
        sendTo(placesFor(places, row.app), place, app, held, request(held), signal).catch(lostIn(effect)),
      )
      const refusal = status < 400 ? (app.refusal?.(answer) ?? null) : reasonIn(answer, status)
      if (refusal === null) return answer
      if (status === 429 || refusal === 'ratelimited') {
        const afterMs = Math.min(retryAfterMs ?? 30_000, 3_600_000)
        await holdUntil(db, row.id, app.perMinute, afterMs)
        throw busy(afterMs)
      }
      if (status === 401 || app.ended?.includes(refusal)) {
        // Nothing was done: with a new token the same call may be made once more.
        if (!again) {
          ;({ row, held } = await tokens.fresh(row, row.generation))
          continue
        }
        await inTransaction(db, (trx) => breakConnection(trx, row, `It answered: ${refusal}`))
        throw new DomainError('connection_broken')
      }
      if (status >= 500)
        throw new DomainError(effect === 'reads' ? 'upstream_failed' : 'app_unknown_outcome', { cause: new Error(refusal) })
      throw new DomainError('app_refused', { message: `${appName(row.app)} refused: ${refusal}`, details: { status } })
    }
  }

  return async (connection, request, asked) => {
    const startedAt = performance.now()
    let outcome = 'ok'
    try {
      return await rt.providers.call('apps', () => call(connection, request, asked))
    } catch (error) {
      outcome = error instanceof DomainError ? error.code : 'upstream_failed'
      throw error
    } finally {
      await note(connection, asked.action, outcome, startedAt)
    }
  }
}

/** A call that was sent and not answered may have been done. */
const lostIn = (effect: Asked['effect']) => (error: unknown) => {
  const isLost = error instanceof DomainError && (error.code === 'upstream_timeout' || error.code === 'upstream_failed')
  throw isLost && effect !== 'reads' ? new DomainError('app_unknown_outcome', { cause: error }) : error
}
const isTheirs = (error: unknown) => !(error instanceof DomainError) || FAILING.has(error.code)
const busy = (afterMs: number) => {
  const seconds = Math.max(1, Math.ceil(afterMs / 1000))
  return new DomainError('app_busy', { headers: { 'retry-after': String(seconds) }, details: { retry_after_seconds: seconds } })
}

type Sent = { status: number; answer: Answer; retryAfterMs: number | null }

/** One HTTP call. What only reads is tried again by the fetch; anything else is sent once. */
export async function sendTo(
  { fetch }: Pick<Places, 'fetch'>,
  place: Place,
  app: AppDefinition,
  held: Held,
  plain: AppRequest,
  signal?: AbortSignal,
): Promise<Sent> {
  if (plain.under) {
    const { under, ...request } = plain
    const told = await sendTo({ fetch }, place, app, held, under, signal)
    const access = told.status < 400 ? under.token(told.answer) : undefined
    if (access) return sendTo({ fetch }, place, app, { ...held, access }, request, signal)
    return told.status < 400 ? { ...told, status: 403, answer: { message: 'the account may not do this there' } } : told
  }
  if (plain.dav) return { ...(await callDav({ fetch, signal }, held, plain.dav)), retryAfterMs: null }
  const asked = app.sign ? app.sign(held, plain) : { ...plain, headers: { ...plain.headers, authorization: `Bearer ${held.access}` } }
  const { method = 'GET', path, query = {}, json, form } = asked
  // A part that was given as an id may not lead to another call.
  if (/(^|\/)\.{1,2}(\/|$)/.test(path)) throw new DomainError('app_input')
  const base = typeof app.api === 'function' ? app.api(held) : app.api
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]))
  const search = given.length ? `?${new URLSearchParams(given)}` : ''
  if (asked.tool) return callTool({ fetch, url: base + path + search, headers: asked.headers ?? {}, ...(signal && { signal }) }, asked.tool)
  const body = json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form) : undefined
  const response = await fetch((await place.wire(path.startsWith('https://') ? path : base + path)) + search, {
    method,
    headers: {
      accept: 'application/json',
      ...app.headers,
      ...place.headers,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...asked.headers,
    },
    ...(body !== undefined && { body }),
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BYTES,
    maxRedirects: 0,
    tries: 2,
    ...(signal && { signal }),
  })
  const retry = Number(response.headers.get('retry-after'))
  const text = await response.text()
  const id = app.idHeader && response.headers.get(app.idHeader)
  return {
    status: response.status,
    answer: id ? { id } : parsed(text, app),
    retryAfterMs: Number.isFinite(retry) && retry > 0 ? retry * 1000 : null,
  }
}

/** An answer that is not JSON says nothing in the protocols we know; from an unknown API it is the answer. */
function parsed(text: string, { id }: AppDefinition): Answer {
  try {
    return JSON.parse(text)
  } catch {
    return id === CUSTOM ? text : {}
  }
}

/** A refusal in the app's own words, wherever it puts them. */
function reasonIn(answer: any, status: number): string {
  const error = answer?.error
  const said =
    (typeof error === 'string' ? (answer.error_description ?? error) : error?.message) ??
    answer?.message ??
    answer?.errors?.[0]?.message ??
    answer?.Fault?.Error?.[0]?.Message ??
    (Array.isArray(answer) ? answer[0]?.message : undefined)
  return said ? String(said).slice(0, 300) : `it answered ${status}`
}
