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
import { type Connecting, takeRoom } from '../connections/connect.ts'
import { type ConnectionRow, endConnection, oneAtATime, seal } from '../connections/keep.ts'
import { type Granted, lifeOf, mint, NotGranted } from '../connections/tokens.ts'
import type { IntegrationsDb } from '../schema.ts'
import { allowedAsBefore, type Tool, toolsAt } from './mcp.ts'
import { anyCalls, inputOf, type Operation, OURS, operationsIn } from './openapi.ts'
import { requestOf, segments } from './request.ts'

type Call = Ctx<IntegrationsDb>
type Connect = Input<typeof api.connectCustomApi>
type Asked = Input<typeof api.readCustomApi>

const MOST_DOCUMENT = 5 * 1024 * 1024
const MOST_ANSWER = 20_000
const MOST_APIS = 50
const FULL = `You have ${MOST_APIS} APIs and MCP servers of your own. Disconnect one that you do not use.`
/** Until the person has signed in there. */
const UNSIGNED = { state: 'broken' as const, failure: 'Sign in there to connect it.' }

const own = (ctx: Call) =>
  ctx.db
    .selectFrom('connections')
    .innerJoin('custom_apis', 'custom_apis.id', 'connections.id')
    .where('connections.user_id', '=', signedIn(ctx).id)
    .where('connections.app', '=', CUSTOM)
    .where('connections.state', '<>', 'disconnected')

const callable = sql<number>`case custom_apis.kind when 'mcp'
  then (select count(*)::int from jsonb_array_elements(custom_apis.operations) tool where tool->>'allow' <> 'no')
  else jsonb_array_length(custom_apis.operations) end`

export async function listApis(ctx: Call) {
  const rows = await own(ctx)
    .selectAll('connections')
    .select(['custom_apis.base', 'custom_apis.auth', 'custom_apis.kind', callable.as('operations')])
    .orderBy('connections.created_at')
    .limit(MOST_APIS)
    .execute()
  return {
    apis: rows.map(({ id, account, base, auth, kind, state, failure, operations, last_call_at, created_at }) => ({
      ...{ connection_id: id, name: account, base, kind, state, failure, operations },
      auth: auth as Connect['auth'],
      last_call_at: last_call_at?.toISOString() ?? null,
      created_at: created_at.toISOString(),
    })),
  }
}

type Api = { row: ConnectionRow; base: string } & ({ kind: 'api'; operations: Operation[] } | { kind: 'mcp'; operations: Tool[] })
export async function apiOf(ctx: Call, connectionId: string): Promise<Api> {
  const found = await own(ctx)
    .where('connections.id', '=', connectionId)
    .selectAll('connections')
    .select(['custom_apis.operations', 'custom_apis.kind', 'custom_apis.base'])
    .executeTakeFirst()
  if (!found) throw new DomainError('app_not_connected', { message: 'No such API is connected.' })
  const { operations, kind, base, ...row } = found
  return { row, base, kind, operations } as Api
}

export async function connectApi(ctx: Call, input: Connect, at: Connecting) {
  // Anybody could call any address from here, without as much as an email to be asked at.
  if (signedIn(ctx).anonymous) throw new DomainError('anonymous_no_calls')
  const { base, granted, operations, leftOut } = input.kind === 'mcp' ? await asServer(ctx, input, at) : await asApi(ctx, input, at)
  const user = signedIn(ctx)
  const id = input.connection_id ?? newId()
  await inTransaction(ctx.db, async (trx) => {
    await oneAtATime(trx, user.id, CUSTOM)
    const values = {
      account: input.name,
      sealed: seal(at.vault, id, granted.held),
      ...lifeOf(granted.seconds),
      ...(input.auth === 'signin' ? UNSIGNED : { state: 'connected' as const, failure: null }),
      lease_until: null,
      ...{ checked_at: sql<Date>`now()`, updated_at: sql<Date>`now()` },
    }
    const told = { base, auth: input.auth, kind: input.kind, operations: JSON.stringify(operations) }
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
    await takeRoom(ctx, trx as never)
    // One that is not listed could not be disconnected.
    if ((await listApis({ ...ctx, db: trx as never })).apis.length >= MOST_APIS)
      throw new DomainError('connection_limit', { message: FULL })
    await trx
      .insertInto('connections')
      .values({ id, user_id: user.id, app: CUSTOM, account_id: id, sandbox: false, scopes: [], ...values })
      .execute()
    await trx
      .insertInto('custom_apis')
      .values({ id, user_id: user.id, ...told })
      .execute()
  })
  return { connection_id: id, operations: operations.length, left_out: leftOut }
}

async function asApi(ctx: Call, input: Connect, at: Connecting) {
  const { document, from } = await documentOf(input, at)
  const read = document === undefined ? { base: null, operations: anyCalls, leftOut: 0 } : operationsIn(document, from)
  const base = addressIn(input.base ?? read.base)
  const granted = await grantedBy(input, base, at)
  if (input.auth !== 'signin') await tryIt(ctx, input, granted.held, at)
  return { ...read, base, granted }
}

/** Listing the tools is the test. Those that were allowed on this server before stay so where they are the same. */
async function asServer(ctx: Call, input: Connect, at: Connecting) {
  const base = addressIn(input.base ?? null)
  const granted = await grantedBy(input, base, at)
  const { tools, leftOut } = input.auth === 'signin' ? { tools: [], leftOut: 0 } : await toolsAt(granted.held, at, ctx.signal)
  const before = input.connection_id ? await apiOf(ctx, input.connection_id) : null
  // An allowance holds for one address, however alike the tools at another are.
  const known = before?.kind === 'mcp' && before.base === base ? before.operations : []
  return { base, granted, operations: input.auth === 'signin' ? known : allowedAsBefore(tools, known), leftOut }
}

async function documentOf({ document, document_url }: Connect, { places }: Connecting): Promise<{ document?: string; from?: string }> {
  if (document !== undefined || document_url === undefined) return document === undefined ? {} : { document }
  const response = await places.strangers(document_url, { maxBytes: MOST_DOCUMENT, headers: { accept: 'application/json' } })
  if (!response.ok)
    throw new DomainError('custom_api_document', { message: `The document could not be fetched: its address answered ${response.status}.` })
  return { document: await response.text(), from: document_url }
}

/** As long as an address may be that is given by itself. */
const LONGEST_ADDRESS = 500
function addressIn(given: string | null): string {
  const url = given && given.length <= LONGEST_ADDRESS && URL.canParse(given) ? new URL(given) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new DomainError('custom_api_document', { message: 'Give the address of the API, as https://api.example.com/v1.' })
  return url.href.replace(/\/+$/, '')
}

async function grantedBy(input: Connect, base: string, at: Connecting): Promise<Granted> {
  const { auth, auth_name, client_id, token_url, authorize_url, scope } = input
  const key = input.key?.trim() ?? ''
  const missing = (field: string, what: string) => new DomainError('app_key_missing', { message: `Enter ${what}.`, details: { field } })
  if (auth !== 'none' && auth !== 'signin' && !key) throw missing('key', 'the key')
  if (key && !/^[\x20-\x7e]+$/.test(key)) throw new DomainError('app_key_refused')
  if ((auth === 'header' || auth === 'query') && !/^[\w.-]+$/.test(auth_name ?? ''))
    throw missing('auth_name', 'the name under which the key is sent')
  // A key may stand in place of our own sign, and not of where a call goes or ends.
  if (auth === 'header' && OURS.includes(auth_name!.toLowerCase()) && !['authorization', 'cookie'].includes(auth_name!.toLowerCase()))
    throw missing('auth_name', 'the name of a header that a key can stand in')
  const isOauth = auth === 'oauth' || auth === 'signin'
  if (isOauth && !client_id) throw missing('client_id', 'the client id')
  if (isOauth && !URL.canParse(token_url ?? '')) throw missing('token_url', 'the address that gives tokens')
  if (auth === 'signin') {
    if (!/^https?:/.test(authorize_url ?? '') || !URL.canParse(authorize_url!))
      throw missing('authorize_url', 'the address where you approve')
    const client = { client_id: client_id!, token_url: token_url!, authorize_url: authorize_url!, ...(key && { client_secret: key }) }
    return { held: { access: '', base, fields: { auth, ...client, ...(scope && { scope }) } }, scopes: [], seconds: null }
  }
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
  const { kind, operations } = await apiOf(ctx, connection_id)
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (...texts: string[]) => words.every((word) => texts.join(' ').toLowerCase().includes(word))
  if (kind === 'mcp')
    return {
      operations: operations
        .filter(({ allow, name, title, description }) => allow !== 'no' && fits(name, title, description))
        .map(({ name, title, description, allow, schema }) => ({
          ...{ name, title, description, effect: allow === 'reads' ? ('reads' as const) : ('sends' as const) },
          ...{ method: 'TOOL', path: name, input: schema },
        })),
    }
  return {
    operations: operations
      .filter(({ name, title, path }) => fits(name, title, path))
      .map((each) => ({
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
  const { row, kind, operations } = await apiOf(ctx, connection_id)
  const found = operations.find((each) => each.name === name)
  if (!found) throw new DomainError('app_action_unknown', { message: 'The API has no operation of that name.' })
  if ('allow' in found && found.allow === 'no')
    throw new DomainError('app_action_unknown', { message: 'This tool is not allowed. Its owner can allow it in the App Library.' })
  const does = 'allow' in found ? (found.allow === 'reads' ? 'reads' : 'sends') : found.effect
  if (does !== effect)
    throw new DomainError('app_action_unknown', {
      message: effect === 'reads' ? 'This operation does more than read.' : 'This operation only reads.',
    })
  if (row.state === 'broken')
    throw new DomainError('connection_broken', {
      message: `${row.account} does not accept our access. Connect it again in the App Library.`,
    })
  const request: AppRequest = kind === 'mcp' ? { path: '', tool: { name, arguments: input } } : requestOf(found as Operation, input)
  return { row, operation: found, request }
}

function shown(answer: unknown) {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return { answer: text.slice(0, MOST_ANSWER), cut: text.length > MOST_ANSWER }
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
