import type { Row, Table } from '@operon/contracts/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Expression, SqlBool } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '../context.ts'
import { admit } from '../http.ts'
import { inTransaction } from '../tx.ts'
import { allOf, conditionOf, countRows, type Policy, policyCondition, selectRows } from './compile.ts'
import { asRefusal, mayNot, notSingle, refusal } from './errors.ts'
import { checkProfile, type Preferences, readPreferences, readShape, readWindow, type Shape } from './headers.ts'
import { behind, cursorOf, type Keyset, keysetOf } from './keyset.ts'
import { parseQuery, type Query } from './query.ts'
import { readPatch, readRows } from './rows.ts'
import { type Columns, columnsOf, present, requiredOf } from './values.ts'

type Written<T extends Table> = Promise<Partial<Row<T>>[] | Record<string, unknown>[]>
type Part<T, K extends string> = K extends keyof T ? (T[K] extends z.ZodObject ? z.output<T[K]> : never) : never

type TableOptions<T extends Table> = {
  /** The table or view of the service's database; the contract's name when absent. */
  from?: string
  /** The rows that the caller may see and change. Part of every statement. */
  scope: (ctx: Ctx<any>, query: Query) => Policy
  /** Refuses reads that the table does not answer. */
  check?: (ctx: Ctx<any>, query: Query) => void | Promise<void>
  /** Domain functions, inside a transaction (`ctx.db` is it). They answer with the rows as they are now; `where` is the caller's filters and the scope. */
  insert?: (ctx: Ctx<any>, rows: Part<T, 'insert'>[]) => Written<T>
  update?: (ctx: Ctx<any>, change: { where: Expression<SqlBool>; patch: Part<T, 'update'> }) => Written<T>
  delete?: (ctx: Ctx<any>, change: { where: Expression<SqlBool> }) => Written<T>
}

type Window = { offset: number; limit: number }
type Call = { ctx: Ctx<any>; query: Query; prefer: Preferences; shape: Shape; request: FastifyRequest; reply: FastifyReply }

/** Mounts a table of the data API: PostgREST's grammar for reads, one domain function for each write that the contract names. */
export function serveTable<T extends Table>(app: FastifyInstance, contract: T, options: TableOptions<T>) {
  for (const verb of ['insert', 'update', 'delete'] as const) {
    if (!!contract[verb] !== !!options[verb]) throw new Error(`table ${contract.name}: the contract and the service disagree about ${verb}`)
  }
  const columns = columnsOf(contract.columns)
  const required = requiredOf(contract.columns)
  const from = options.from ?? contract.name
  const answer = { GET: read, HEAD: read, POST: insert, PATCH: update, DELETE: remove, PUT: refuse }
  const path = `/rest/v1/${contract.name}` as const
  const route: RouteOptions = {
    method: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT'],
    url: path,
    exposeHeadRoute: false,
    onRequest: admit(app, { ...contract, path }),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const verb = answer[request.method as keyof typeof answer]
      const { ctx } = request
      const { url = '', headers } = request.raw
      checkProfile(one(headers['accept-profile'] ?? headers['content-profile']))
      const prefer = readPreferences(one(headers.prefer))
      const shape = readShape(headers.accept)
      const query = withoutNulls(parseQuery(contract.name, columns, url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''))
      reply.header('cache-control', 'no-store')
      if (prefer.applied) reply.header('preference-applied', prefer.applied)
      try {
        return await verb({ ctx, query, prefer, shape, request, reply })
      } catch (error) {
        throw asRefusal(error)
      }
    },
  }
  // A scope of its own, for its way of reading a body.
  app.register(async (scope) => {
    readJson(scope)
    scope.route(route)
  })

  const whereOf = ({ ctx, query }: Call) => allOf([policyCondition(options.scope(ctx, query)), conditionOf(columns, query.filters)])

  async function read(call: Call) {
    const { ctx, query, prefer, shape, request, reply } = call
    await options.check?.(ctx, query)
    const where = whereOf(call)
    const window = readWindow(query, one(request.raw.headers.range))
    const { offset, limit } = window
    const keyset = keysetOf(query.order, columns, required)
    const found = prefer.count ? await countRows(ctx.db, from, where, prefer.count) : null
    if (found?.isExact && offset > 0 && offset >= found.rows)
      throw refusal(
        416,
        'PGRST103',
        'Requested range not satisfiable',
        `An offset of ${offset} was requested, but there are only ${found.rows} rows.`,
      )
    // Told as it is: what was too much to count is an estimate.
    if (prefer.count === 'exact' && !found!.isExact)
      reply.header('preference-applied', prefer.applied.replace('count=exact', 'count=estimated'))
    // A caller that asks for the number alone does not make us read the rows.
    if (request.method === 'HEAD' && found && !shape.single) {
      const there = Math.max(0, Math.min(limit, found.rows - offset))
      return reply
        .code(there < found.rows ? 206 : 200)
        .header('content-range', contentRange(offset, there, found.rows))
        .header('content-type', shape.contentType)
        .send()
    }
    // One row more than the page holds says that there is another.
    const rows = await selectRows(ctx.db, {
      ...{ from, columns, query, offset, keyset },
      where: allOf([where, behind(keyset, columns, query)]),
      limit: limit && limit + 1,
    })
    const page = rows.slice(0, limit)
    const total = found && (found.isExact ? found.rows : Math.max(found.rows, offset + rows.length))
    if (rows.length > limit) reply.header('link', `<${nextOf(call, page, keyset, window)}>; rel="next"`)
    reply.code(total !== null && page.length < total ? 206 : 200).header('content-range', contentRange(offset, page.length, total))
    return send(call, page)
  }

  /** Where the next page is: behind the last row of this one, or by its number where the order says no place. */
  function nextOf({ request }: Call, page: Record<string, unknown>[], keyset: Keyset | null, { offset, limit }: Window) {
    const { url = '' } = request.raw
    const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
    query.set('limit', String(limit))
    query.delete('offset')
    if (keyset) query.set('cursor', cursorOf(keyset, columns, page.at(-1)!))
    else query.set('offset', String(offset + limit))
    return `${path}?${query}`
  }

  /** Where nulls go says nothing about a column without any, and would keep an index from being used. */
  function withoutNulls(query: Query): Query {
    return { ...query, order: query.order.map((order) => (required.has(order.column) ? { ...order, nulls: null } : order)) }
  }

  async function insert(call: Call) {
    if (!contract.insert) return refuse(call)
    const given = readRows(contract.name, contract.insert, call.request.body, call.query.columns)
    const rows = given.length ? await write(call, (ctx) => options.insert!(ctx, given as never)) : []
    const { id } = rows[0] ?? {}
    if (call.prefer.reply === 'headers-only' && rows.length === 1 && id !== undefined) call.reply.header('location', `${path}?id=eq.${id}`)
    return written(call, rows, 201)
  }

  async function update(call: Call) {
    if (!contract.update) return refuse(call)
    const patch = readPatch(contract.name, contract.update, call.request.body, call.query.columns)
    const rows = await write(call, (ctx) => options.update!(ctx, { where: narrowed(call), patch: patch as never }))
    return written(call, rows, 200)
  }

  async function remove(call: Call) {
    if (!contract.delete) return refuse(call)
    const rows = await write(call, (ctx) => options.delete!(ctx, { where: narrowed(call) }))
    return written(call, rows, 200)
  }

  async function refuse({ ctx }: Call): Promise<never> {
    throw mayNot(contract.name, ctx.actor.kind === 'user')
  }

  function narrowed(call: Call) {
    if (!call.query.filters.length) throw refusal(400, '21000', 'A change of many rows needs a filter.')
    if (call.query.limit !== null || call.query.offset || call.query.cursor !== null)
      throw refusal(400, 'PGRST100', 'A change takes no limit and no offset.')
    return whereOf(call)
  }

  // The caller's expectations of the answer are checked before the commit, so that a refused answer changes nothing.
  function write({ ctx, prefer, shape }: Call, run: (ctx: Ctx<any>) => Written<T>): Promise<Record<string, unknown>[]> {
    return inTransaction(ctx.db, async (trx) => {
      const rows = (await run({ ...ctx, db: trx as never })) as Record<string, unknown>[]
      if (prefer.maxAffected !== null && rows.length > prefer.maxAffected)
        throw refusal(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', `The query affects ${rows.length} rows`)
      if (shape.single && prefer.reply === 'representation' && rows.length !== 1) throw notSingle(rows.length)
      return rows
    })
  }

  function written(call: Call, rows: Record<string, unknown>[], status: number) {
    const { prefer, reply } = call
    reply.header('content-range', prefer.count ? `*/${rows.length}` : '*/*')
    if (prefer.reply === 'representation') return send({ ...call, reply: reply.code(status) }, rows)
    return reply.code(status === 201 ? 201 : 204).send()
  }

  function send({ query, shape, reply, request }: Call, rows: Record<string, unknown>[]) {
    const answers = rows.map((row) => shaped(row, query, columns, shape))
    if (shape.single && answers.length !== 1) throw notSingle(answers.length)
    reply.header('content-type', shape.contentType)
    return request.method === 'HEAD' ? reply.send() : reply.send(JSON.stringify(shape.single ? answers[0] : answers))
  }
}

// supabase-js says that it sends JSON with a DELETE, and sends nothing.
function readJson(scope: FastifyInstance) {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    parse(request, body as string, (error, parsed) => done(error && refusal(400, 'PGRST102', 'Empty or invalid json'), parsed))
  })
}

function shaped(row: Record<string, unknown>, { select }: Query, columns: Columns, { stripNulls }: Shape) {
  const entries = select.map(({ column, as }) => [as, present(columns[column]!, row[column])] as const)
  return Object.fromEntries(stripNulls ? entries.filter(([, value]) => value !== null) : entries)
}

const contentRange = (offset: number, rows: number, total: number | null) =>
  `${rows ? `${offset}-${offset + rows - 1}` : '*'}/${total ?? '*'}`
const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value.join(',') : value)
