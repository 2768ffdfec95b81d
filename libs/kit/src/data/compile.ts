import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { refusal } from './errors.ts'
import type { Filter } from './filters.ts'
import type { Count } from './headers.ts'
import type { Keyset } from './keyset.ts'
import { MAX_ROWS, type Order, type Query } from './query.ts'
import { type Columns, literal } from './values.ts'

/** The rows that a caller may see or touch: columns that must hold these values, or any condition. */
export type Policy = Record<string, string | number | boolean | null | undefined> | Expression<SqlBool>
type Condition = RawBuilder<SqlBool>
export type Total = { rows: number; isExact: boolean }

const operators = { eq: '=', neq: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=', like: 'like', ilike: 'ilike' } as const

/** Filters as parameters: a name comes from the contract, a value is always bound. */
export function conditionOf(columns: Columns, filters: Filter[]): Condition {
  return allOf(filters.map((filter) => compile(columns, filter)))
}

export function policyCondition(policy: Policy): Expression<SqlBool> {
  if ('toOperationNode' in policy) return policy as Expression<SqlBool>
  // A policy without a value means nobody was there to give it: no row, rather than every row.
  return allOf(
    Object.entries(policy).map(([column, value]) =>
      value === undefined || value === null ? never : sql<SqlBool>`${sql.ref(column)} = ${value}`,
    ),
  )
}

export const allOf = (conditions: Expression<SqlBool>[]): Condition =>
  conditions.length ? sql<SqlBool>`(${sql.join(conditions, sql` and `)})` : sql<SqlBool>`true`
const never: Condition = sql<SqlBool>`false`

function compile(columns: Columns, filter: Filter): Condition {
  const test = positive(columns, filter)
  return filter.not ? sql<SqlBool>`not (${test})` : test
}

function positive(columns: Columns, filter: Filter): Condition {
  if (filter.is === 'group')
    return sql<SqlBool>`(${sql.join(
      filter.of.map((each) => compile(columns, each)),
      filter.join === 'or' ? sql` or ` : sql` and `,
    )})`
  const { column } = filter
  const kind = columns[column]!
  const ref = sql.ref(column)
  if (filter.is === 'is') return isTest(ref, kind, filter.value)
  if (filter.is === 'in')
    return filter.values.length ? sql<SqlBool>`${ref} = any(${filter.values.map((value) => literal(kind, value))})` : never
  const pattern = filter.op === 'like' || filter.op === 'ilike'
  if (pattern && kind !== 'text')
    throw refusal(404, '42883', `operator does not exist: ${kind} ${filter.op === 'like' ? '~~' : '~~*'} unknown`)
  return sql<SqlBool>`${ref} ${sql.raw(operators[filter.op])} ${literal(kind, filter.value)}`
}

function isTest(ref: RawBuilder<unknown>, kind: Columns[string], value: string): Condition {
  if (value === 'null') return sql<SqlBool>`${ref} is null`
  if (value === 'not_null') return sql<SqlBool>`${ref} is not null`
  if (kind !== 'boolean') throw refusal(400, '42804', `argument of IS ${value.toUpperCase()} must be type boolean, not type ${kind}`)
  return value === 'true'
    ? sql<SqlBool>`${ref} is true`
    : value === 'false'
      ? sql<SqlBool>`${ref} is false`
      : sql<SqlBool>`${ref} is unknown`
}

type Read = {
  from: string
  columns: Columns
  query: Query
  where: Expression<SqlBool>
  limit: number
  offset: number
  keyset: Keyset | null
}

/** The columns that are asked for, once each, and those that a page goes on from; renames happen on the way out. */
export function selectRows(
  db: Kysely<any>,
  { from, columns, query, where, limit, offset, keyset }: Read,
): Promise<Record<string, unknown>[]> {
  const asked = [...new Set([...query.select.map(({ column }) => column), ...(keyset?.columns ?? [])])]
  const order = steady(query.order, columns)
  return db
    .selectFrom(sql`${sql.table(from)}`.as('row'))
    .select(asked.map((column) => columnExpression(column, columns[column]!)))
    .where(where)
    .$if(order.length > 0, (select) => select.orderBy(sql.join(order.map(orderExpression))))
    .limit(limit)
    .offset(offset)
    .execute() as Promise<Record<string, unknown>[]>
}

/** The id decides between rows that an order leaves equal, so that no page repeats or skips one. */
function steady(order: Order[], columns: Columns): Order[] {
  const last = order.at(-1)
  if (!last || !columns.id || order.some(({ column }) => column === 'id')) return order
  return [...order, { column: 'id', descending: last.descending, nulls: null }]
}

/** Counting is a walk through what is counted, so it ends here; beyond, the planner's estimate has to do. */
const COUNTED_AT_MOST = 100_000

/** How many rows there are: to the last one, or as the planner expects. `estimated` counts what a page can hold, as PostgREST does. */
export async function countRows(db: Kysely<any>, from: string, where: Expression<SqlBool>, how: Count): Promise<Total> {
  const rows = db
    .selectFrom(sql`${sql.table(from)}`.as('row'))
    .select(sql`1`.as('one'))
    .where(where)
  const most = how === 'exact' ? COUNTED_AT_MOST : MAX_ROWS
  if (how !== 'planned') {
    const counted = db.selectFrom(rows.limit(most + 1).as('counted')).select(sql<number>`count(*)`.as('total'))
    const { total } = await counted.executeTakeFirstOrThrow()
    if (total <= most) return { rows: total, isExact: true }
  }
  const plan = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`explain (format json) ${rows}`.execute(db)
  const planned = plan.rows[0]!['QUERY PLAN'][0].Plan['Plan Rows']
  return { rows: how === 'planned' ? planned : Math.max(planned, most + 1), isExact: false }
}

/** A column as it is read: times as text, so that no microsecond is lost on the way through a Date. */
function columnExpression(column: string, kind: Columns[string]) {
  const ref = sql.ref(column)
  if (kind === 'timestamp') return sql`(${ref} at time zone 'UTC')::text`.as(column)
  return kind === 'date' ? sql`${ref}::text`.as(column) : ref.as(column)
}

/** By the table's own column: its bare name would mean the text that is made of it, which no index can serve. */
function orderExpression({ column, descending, nulls }: Order) {
  const direction = descending ? sql`desc` : sql`asc`
  return sql`${sql.ref(`row.${column}`)} ${direction}${nulls ? (nulls === 'first' ? sql` nulls first` : sql` nulls last`) : sql``}`
}
