import type { Input } from '@operon/contracts/contract'
import { type AppId, appOf, apps } from '@operon/contracts/integrations/apps'
import type * as api from '@operon/contracts/integrations/connections'
import { DAY_MS, now } from '@operon/kit/clock'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { firstIdOf, newId } from '@operon/kit/ids'
import { sql } from 'kysely'
import { z } from 'zod'
import { actionOf, definitionOf } from '../apps/all.ts'
import type { AppAction, Doing, Held, Reading } from '../apps/app.ts'
import { BESIDE } from '../apps/caldav.ts'
import type { Places } from '../apps/place.ts'
import type { IntegrationsDb } from '../schema.ts'
import type { CallApp } from './call.ts'
import { fewAtATime } from './few.ts'
import { type ConnectionRow, shown } from './keep.ts'

type Call = Ctx<IntegrationsDb>
type Asked = Pick<Input<typeof api.runAppAction>, 'app' | 'action' | 'input' | 'connection_id'>

const SHOWN_CALLS = 50
const MOST_ROWS = 100
/** Of a list that names ids alone, each is a call of its own. */
const MOST_READ = 25
const BATCH = 1000
const rank = { connected: 0, degraded: 1, broken: 2, disconnected: 3 } as const

export const ownConnections = (ctx: Call) =>
  ctx.db
    .selectFrom('connections')
    .selectAll()
    .where('user_id', '=', signedIn(ctx).id)
    .where('app', 'not in', BESIDE)
    .where('state', '<>', 'disconnected')

export async function listApps(ctx: Call, _input: unknown, places: Places) {
  const rows = await ownConnections(ctx).execute()
  const listed = apps.map(({ id, name, category, description, key }) => {
    const own = rows.filter(({ app }) => app === id).sort((one, other) => rank[one.state] - rank[other.state])
    return {
      id,
      name,
      category,
      description,
      state: own[0]?.state ?? null,
      accounts: own.length,
      available: places.of(id) !== null,
      by: key ? ('key' as const) : ('sign-in' as const),
    }
  })
  // A broken one serves nobody until it is connected again.
  const connected = listed.filter(({ state }) => state !== null && state !== 'broken').length
  return { apps: listed, connected, available: listed.filter(({ available, state }) => available && state === null).length }
}

export async function listConnections(ctx: Call, { app }: Input<typeof api.listConnections>) {
  const rows = await (app ? ownConnections(ctx).where('app', '=', app) : ownConnections(ctx)).orderBy('created_at').execute()
  return { connections: rows.map(shown) }
}

export async function connectionOf(ctx: Call, id: string): Promise<ConnectionRow> {
  const row = await ownConnections(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return row
}

export async function showConnection(ctx: Call, { connection_id }: Input<typeof api.showConnection>) {
  const row = await connectionOf(ctx, connection_id)
  const calls = await ctx.db
    .selectFrom('connection_calls')
    .select(['created_at', 'action', 'outcome', 'duration_ms'])
    .where('connection_id', '=', row.id)
    .where('user_id', '=', row.user_id)
    .orderBy('id', 'desc')
    .limit(SHOWN_CALLS)
    .execute()
  return { connection: shown(row), calls: calls.map(({ created_at, ...call }) => ({ at: created_at.toISOString(), ...call })) }
}

/** However it goes, the answer is the connection as it is then. */
export async function testConnection(ctx: Call, { connection_id }: Input<typeof api.testConnection>, call: CallApp) {
  const row = await connectionOf(ctx, connection_id)
  if (row.state !== 'broken')
    await call(row, () => definitionOf(row.app).who, { action: 'test', effect: 'reads', signal: ctx.signal }).catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error
    })
  return { connection: shown(await connectionOf(ctx, connection_id)) }
}

export function listAppActions(_ctx: unknown, { app }: Input<typeof api.listAppActions>) {
  const actions = Object.entries(definitionOf(app).actions).map(([name, { title, effect, input }]) => {
    const { $schema, ...schema } = z.toJSONSchema(input as z.ZodType, { io: 'input' })
    return { name, title, effect, input: schema as Record<string, unknown> }
  })
  return Promise.resolve({ actions })
}

async function chosen(ctx: Call, { app, action: name, input, connection_id }: Asked) {
  const action = actionOf(definitionOf(app), name)
  if (!action) throw new DomainError('app_action_unknown', { details: { actions: Object.keys(definitionOf(app).actions) } })
  const given = (action.input as z.ZodType<Record<string, unknown>>).safeParse(input)
  if (!given.success) throw new DomainError('app_input', { message: inputWords(given.error), details: given.error.issues })
  return { action, input: given.data, row: await workingConnection(ctx, app, connection_id) }
}

/** The connection that is named, or the healthiest of the app. */
export async function workingConnection(ctx: Call, app: AppId, connectionId: string | undefined): Promise<ConnectionRow> {
  const rows = await ownConnections(ctx).where('app', '=', app).execute()
  const own = connectionId ? rows.find(({ id }) => id === connectionId) : rows.sort((one, other) => rank[one.state] - rank[other.state])[0]
  if (!own) throw new DomainError('app_not_connected', { message: `${appOf(app)!.name} is not connected. Connect it in the App Library.` })
  if (own.state === 'broken') throw new DomainError('connection_broken', { message: brokenWords(own) })
  return own
}
const brokenWords = ({ app, account }: ConnectionRow) =>
  `${appOf(app)!.name} does not accept the connection to ${account} any more. Connect it again in the App Library.`
export const inputWords = ({ issues }: z.ZodError) =>
  `The action needs other fields: ${issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`).join('; ')}`

export async function readFromApp(ctx: Call, asked: Input<typeof api.readFromApp>, call: CallApp) {
  const { action, input, row } = await chosen(ctx, asked)
  if (!isReading(action)) throw new DomainError('app_action_unknown', { message: 'This action does more than read.' })
  const { paging } = definitionOf(asked.app)
  const once = { action: asked.action, effect: 'reads' as const, signal: ctx.signal }
  const first = (held: Held) => action.request(input, held)
  const { cursor } = asked
  if (cursor && !paging) throw new DomainError('app_input', { message: 'This app’s lists do not go on. Ask for something narrower.' })
  const answer = await call(row, cursor ? (held) => paging!.send(first(held), cursor) : first, once)
  const all = action.rows(answer, input)
  const { each } = action
  const rows = all.slice(0, each ? MOST_READ : MOST_ROWS)
  const next = paging?.next(answer)
  return {
    account: row.account,
    rows: each ? await fewAtATime(rows, async ({ id }) => each.row(await call(row, () => each.request(id), once))) : rows,
    // Where it does not say so itself, a list that is as long as was asked for may go on.
    more: Boolean(next) || rows.length < all.length || (!paging && all.length >= Number(input.limit ?? MOST_ROWS)),
    cursor: next ? String(next) : null,
  }
}

const isReading = (action: AppAction): action is Reading => action.effect === 'reads'

export async function previewAppAction(ctx: Call, asked: Input<typeof api.previewAppAction>) {
  const { action, input, row } = await chosen(ctx, asked)
  const fields = Object.entries(input).map(([name, value]) => ({ name, value: String(value).slice(0, 500) }))
  return { account: row.account, title: action.title, fields }
}

/** Under a key the call is written down before it is made: one whose answer was lost is told so, and not made again. */
export async function runAppAction(ctx: Call, asked: Input<typeof api.runAppAction>, call: CallApp) {
  const { action, input, row } = await chosen(ctx, asked)
  if (isReading(action)) throw new DomainError('app_action_unknown', { message: 'This action only reads.' })
  return onceUnderKey(ctx, row, asked.action, async () => {
    const answer = await call(row, (held) => action.request(input, held), {
      action: asked.action,
      effect: action.effect,
      signal: ctx.signal,
    })
    return { account: row.account, ...(action as Doing).done(answer) }
  })
}

/** Done once under the caller's key, with its reply kept. Without a key it is simply done. */
export async function onceUnderKey<R extends object>(ctx: Call, row: ConnectionRow, action: string, work: () => Promise<R>): Promise<R> {
  const key = ctx.idempotencyKey
  if (!key) return work()
  const known = await begin(ctx, row, action, key)
  if (known) return known as R
  try {
    const reply = await work()
    await ctx.db
      .updateTable('app_effects')
      .set({ reply: JSON.stringify(reply) })
      .where('user_id', '=', row.user_id)
      .where('key', '=', key)
      .execute()
    return reply
  } catch (error) {
    // Refused before anything was done, so the same key may try again.
    if (error instanceof DomainError && error.code !== 'app_unknown_outcome')
      await ctx.db.deleteFrom('app_effects').where('user_id', '=', row.user_id).where('key', '=', key).where('reply', 'is', null).execute()
    throw error
  }
}

async function begin(ctx: Call, { id, user_id }: ConnectionRow, action: string, key: string) {
  const mine = await ctx.db
    .insertInto('app_effects')
    .values({ id: newId(), user_id, key, connection_id: id, action, reply: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  if (mine) return null
  const { reply } = await ctx.db
    .selectFrom('app_effects')
    .select('reply')
    .where('user_id', '=', user_id)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  if (!reply) throw new DomainError('app_unknown_outcome')
  return reply as object
}

export async function notionDatabases(ctx: Call, _input: unknown, call: CallApp) {
  const { rows } = await readFromApp(ctx, { app: 'notion', action: 'list-databases', input: { limit: 100 } }, call)
  return { databases: rows.map(({ id, title, url }) => ({ id, title, url })) }
}

/** Ids rise with time, so the primary keys find what is old. */
export const forgetOld = async (db: Call['db']) => {
  for (const [table, days] of [
    ['connection_calls', 7],
    ['app_effects', 90],
  ] as const)
    for (;;) {
      const { numAffectedRows = 0n } = await sql`
        delete from ${sql.table(table)} where id in (
          select id from ${sql.table(table)} where id < ${firstIdOf(now() - days * DAY_MS)} order by id limit ${BATCH})`.execute(db)
      if (numAffectedRows < BATCH) break
    }
  await sql`delete from oauth_attempts where expires_at < now()`.execute(db)
}
