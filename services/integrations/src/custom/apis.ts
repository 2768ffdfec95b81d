import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/custom'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { AppRequest, Held } from '../apps/app.ts'
import { CUSTOM, custom } from '../apps/custom.ts'
import { placesFor } from '../apps/place.ts'
import { onceUnderKey } from '../connections/actions.ts'
import { type CallApp, sendTo } from '../connections/call.ts'
import { type Connecting, demandRoom } from '../connections/connect.ts'
import { type ConnectionRow, endConnection, oneAtATime, seal } from '../connections/keep.ts'
import { type Granted, lifeOf, mint, NotGranted } from '../connections/tokens.ts'
import type { IntegrationsDb } from '../schema.ts'
import { anyCalls, inputOf, type Operation, operationsIn } from './openapi.ts'

type Call = Ctx<IntegrationsDb>
type Connect = Input<typeof api.connectCustomApi>
type Asked = Input<typeof api.readCustomApi>

const MOST_DOCUMENT = 5 * 1024 * 1024
const MOST_ANSWER = 20_000
const MOST_APIS = 50

const own = (ctx: Call) =>
  ctx.db
    .selectFrom('connections')
    .innerJoin('custom_apis', 'custom_apis.id', 'connections.id')
    .where('connections.user_id', '=', signedIn(ctx).id)
    .where('connections.app', '=', CUSTOM)
    .where('connections.state', '<>', 'disconnected')

export async function listApis(ctx: Call) {
  const rows = await own(ctx)
    .selectAll('connections')
    .select(['custom_apis.base', 'custom_apis.auth', sql<number>`jsonb_array_length(custom_apis.operations)`.as('operations')])
    .orderBy('connections.created_at')
    .limit(MOST_APIS)
    .execute()
  return {
    apis: rows.map(({ id, account, base, auth, state, failure, operations, last_call_at, created_at }) => ({
      ...{ connection_id: id, name: account, base, state, failure, operations },
      auth: auth as Connect['auth'],
      last_call_at: last_call_at?.toISOString() ?? null,
      created_at: created_at.toISOString(),
    })),
  }
}

async function apiOf(ctx: Call, connectionId: string): Promise<{ row: ConnectionRow; operations: Operation[] }> {
  const found = await own(ctx)
    .where('connections.id', '=', connectionId)
    .selectAll('connections')
    .select('custom_apis.operations')
    .executeTakeFirst()
  if (!found) throw new DomainError('app_not_connected', { message: 'No such API is connected.' })
  const { operations, ...row } = found
  return { row, operations: operations as Operation[] }
}

export async function connectApi(ctx: Call, input: Connect, at: Connecting) {
  const { document, from } = await documentOf(input, at)
  const read = document === undefined ? { base: null, operations: anyCalls, leftOut: 0 } : operationsIn(document, from)
  const base = addressIn(input.base ?? read.base)
  const granted = await grantedBy(input, base, at)
  await tryIt(ctx, input, granted.held, at)
  const user = signedIn(ctx)
  const id = input.connection_id ?? newId()
  await inTransaction(ctx.db, async (trx) => {
    await oneAtATime(trx, user.id, CUSTOM)
    const values = {
      account: input.name,
      sealed: seal(at.vault, id, granted.held),
      ...lifeOf(granted.seconds),
      ...{ state: 'connected' as const, failure: null, lease_until: null },
      ...{ checked_at: sql<Date>`now()`, updated_at: sql<Date>`now()` },
    }
    const told = { base, auth: input.auth, operations: JSON.stringify(read.operations) }
    if (input.connection_id) {
      const kept = await trx
        .updateTable('connections')
        .set({ ...values, generation: sql`generation + 1` })
        .where('id', '=', id)
        .where('user_id', '=', user.id)
        .where('app', '=', CUSTOM)
        .where('state', '<>', 'disconnected')
        .returning('id')
        .executeTakeFirst()
      if (!kept) throw new DomainError('app_not_connected', { message: 'No such API is connected.' })
      await trx.updateTable('custom_apis').set(told).where('id', '=', id).where('user_id', '=', user.id).execute()
      return
    }
    await demandRoom({ ...ctx, db: trx as never })
    await trx
      .insertInto('connections')
      .values({ id, user_id: user.id, app: CUSTOM, account_id: id, sandbox: false, scopes: [], ...values })
      .execute()
    await trx
      .insertInto('custom_apis')
      .values({ id, user_id: user.id, ...told })
      .execute()
  })
  return { connection_id: id, operations: read.operations.length, left_out: read.leftOut }
}

async function documentOf({ document, document_url }: Connect, { places }: Connecting): Promise<{ document?: string; from?: string }> {
  if (document !== undefined || document_url === undefined) return document === undefined ? {} : { document }
  const response = await places.strangers(document_url, { maxBytes: MOST_DOCUMENT, headers: { accept: 'application/json' } })
  if (!response.ok)
    throw new DomainError('custom_api_document', { message: `The document could not be fetched: its address answered ${response.status}.` })
  return { document: await response.text(), from: document_url }
}

function addressIn(given: string | null): string {
  const url = given && URL.canParse(given) ? new URL(given) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new DomainError('custom_api_document', { message: 'Give the address of the API, as https://api.example.com/v1.' })
  return url.href.replace(/\/+$/, '')
}

async function grantedBy(input: Connect, base: string, at: Connecting): Promise<Granted> {
  const { auth, auth_name, client_id, token_url } = input
  const key = input.key?.trim() ?? ''
  const missing = (field: string, what: string) => new DomainError('app_key_missing', { message: `Enter ${what}.`, details: { field } })
  if (auth !== 'none' && !key) throw missing('key', 'the key')
  if (key && !/^[\x20-\x7e]+$/.test(key)) throw new DomainError('app_key_refused')
  if ((auth === 'header' || auth === 'query') && !/^[\w.-]+$/.test(auth_name ?? ''))
    throw missing('auth_name', 'the name under which the key is sent')
  if (auth === 'oauth' && !client_id) throw missing('client_id', 'the client id')
  if (auth === 'oauth' && !URL.canParse(token_url ?? '')) throw missing('token_url', 'the address that gives tokens')
  const fields = { auth, ...(auth_name && { auth_name }), ...(client_id && { client_id }), ...(token_url && { token_url }) }
  const held: Held = { access: key, base, fields, ...(auth === 'oauth' && { refresh: key }) }
  const bought = custom.mint!(held)
  if (!bought) return { held, scopes: [], seconds: null }
  return mint(placesFor(at.places, CUSTOM), at.places.at(CUSTOM, false)!, bought, held).catch((error: unknown) => {
    throw error instanceof NotGranted ? new DomainError('app_key_refused', { cause: error }) : error
  })
}

/** One call with the key. Without a path to try, many APIs have nothing at their address, so only a refusal of the key counts. */
async function tryIt(ctx: Call, { check_path }: Connect, held: Held, { places }: Connecting) {
  const path = check_path ? `/${segments(check_path)}` : ''
  const { status } = await sendTo(placesFor(places, CUSTOM), places.at(CUSTOM, false)!, custom, held, { path }, ctx.signal)
  if (status === 401 || status === 403) throw new DomainError('app_key_refused')
  if (status >= 500) throw new DomainError('upstream_failed')
  if (check_path && status >= 400)
    throw new DomainError('app_refused', { message: `The API answered ${status} at the path that it was tried with.` })
}

export async function listOperations(ctx: Call, { connection_id, q = '' }: Input<typeof api.listCustomOperations>) {
  const { operations } = await apiOf(ctx, connection_id)
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ name, title, path }: Operation) => words.every((word) => `${name} ${title} ${path}`.toLowerCase().includes(word))
  return {
    operations: operations.filter(fits).map((each) => ({
      ...{ name: each.name, title: each.title, effect: each.effect, method: each.method, path: each.path },
      input: inputOf(each),
    })),
  }
}

export async function readApi(ctx: Call, asked: Asked, call: CallApp) {
  const { row, request, operation } = await chosen(ctx, asked, 'reads')
  return shown(await call(row, () => request, { action: operation.name, effect: 'reads', signal: ctx.signal }))
}

export async function runApi(ctx: Call, asked: Asked, call: CallApp) {
  const { row, request, operation } = await chosen(ctx, asked, 'sends')
  return onceUnderKey(ctx, row, operation.name, async () =>
    shown(await call(row, () => request, { action: operation.name, effect: 'sends', signal: ctx.signal })),
  )
}

async function chosen(ctx: Call, { connection_id, operation: name, input }: Asked, effect: Operation['effect']) {
  const { row, operations } = await apiOf(ctx, connection_id)
  const operation = operations.find((each) => each.name === name)
  if (!operation) throw new DomainError('app_action_unknown', { message: 'The API has no operation of that name.' })
  if (operation.effect !== effect)
    throw new DomainError('app_action_unknown', {
      message: effect === 'reads' ? 'This operation does more than read.' : 'This operation only reads.',
    })
  if (row.state === 'broken')
    throw new DomainError('connection_broken', {
      message: `${row.account} does not accept the key any more. Connect it again with another one.`,
    })
  return { row, operation, request: requestOf(operation, input) }
}

function shown(answer: unknown) {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return { answer: text.slice(0, MOST_ANSWER), cut: text.length > MOST_ANSWER }
}

const wrong = (message: string) => new DomainError('app_input', { message: `The operation needs other fields: ${message}` })
const segments = (path: string) =>
  path
    .replace(/^\/+/, '')
    .split('/')
    .map((each) => encodeURIComponent(each))
    .join('/')

function requestOf(operation: Operation, input: Record<string, unknown>): AppRequest {
  const { parts, body, bodyRequired, method } = operation
  const known = new Set([...parts.map(({ name }) => name), ...(body ? ['body'] : [])])
  for (const name of Object.keys(input)) if (!known.has(name)) throw wrong(`there is no ${name}`)
  let path = operation.path
  const query: Record<string, string> = {}
  const headers: Record<string, string> = {}
  const isAnyCall = path === '/{path}'
  for (const { name, in: place, required } of parts) {
    const given = Object.hasOwn(input, name) ? input[name] : undefined
    if (given === undefined || given === null) {
      if (required) throw wrong(`${name} is missing`)
      continue
    }
    if (isAnyCall && place === 'query') {
      if (typeof given !== 'object') throw wrong('query takes names and values')
      for (const [key, value] of Object.entries(given)) query[key] = plain(key, value)
      continue
    }
    const value = plain(name, given)
    if (place === 'path') path = path.replaceAll(`{${name}}`, () => (isAnyCall ? segments(value) : encodeURIComponent(value)))
    else if (place === 'query') query[name] = value
    else if (/^[\x20-\x7e]*$/.test(value)) headers[name.toLowerCase()] = value
    else throw wrong(`${name} cannot stand in a header`)
  }
  if (bodyRequired && input.body === undefined) throw wrong('body is missing')
  return { method, path, query, headers, ...(body && input.body !== undefined && { json: input.body }) }
}

function plain(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => plain(name, each)).join(',')
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value).slice(0, 4000)
  throw wrong(`${name} takes a plain value`)
}

export async function disconnectApi(ctx: Call, { connection_id }: Input<typeof api.disconnectCustomApi>) {
  const found = await own(ctx).where('connections.id', '=', connection_id).selectAll('connections').executeTakeFirst()
  if (!found) return { disconnected: false }
  return inTransaction(ctx.db, async (trx) => {
    const disconnected = await endConnection(trx, found)
    await trx.deleteFrom('custom_apis').where('id', '=', found.id).where('user_id', '=', found.user_id).execute()
    return { disconnected }
  })
}
