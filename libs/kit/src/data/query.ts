import { noColumn, noColumnToWrite, notUnderstood, refusal, tooMuch } from './errors.ts'
import { type Filter, parseFilter, parseLogic, unquote } from './filters.ts'
import type { Columns } from './values.ts'

export type Selected = { column: string; as: string }
export type Order = { column: string; descending: boolean; nulls: 'first' | 'last' | null }
export type Query = {
  select: Selected[]
  filters: Filter[]
  order: Order[]
  limit: number | null
  offset: number
  /** Where the page before ended. */
  cursor: string | null
  /** The columns that a written row may bring, when the caller names them. */
  columns: string[] | null
}

export const MAX_ROWS = 1000
const MAX_FILTERS = 60
const MAX_SELECTED = 100
const MAX_ORDER = 10
const name = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/

/** Reads PostgREST's grammar against the columns that a contract names; whatever else it holds is refused, never ignored. */
export function parseQuery(table: string, columns: Columns, search: string): Query {
  const query: Query = { select: [], filters: [], order: [], limit: null, offset: 0, cursor: null, columns: null }
  const params = [...new URLSearchParams(search)]
  if (params.length > MAX_FILTERS + 10) throw tooMuch(`${params.length} parameters`)
  for (const [key, value] of params) read(query, table, columns, key, value)
  if (!query.select.length) query.select = parseSelect(table, columns, '*')
  const used = countFilters(query.filters)
  if (used > MAX_FILTERS) throw tooMuch(`${used} filters, at most ${MAX_FILTERS}`)
  return query
}

function read(query: Query, table: string, columns: Columns, key: string, value: string) {
  if (key === 'select') query.select = parseSelect(table, columns, value)
  else if (key === 'order') query.order = parseOrder(table, columns, value)
  else if (key === 'limit') query.limit = parseCount('limit', value)
  else if (key === 'offset') query.offset = parseCount('offset', value)
  else if (key === 'cursor') query.cursor = value
  else if (key === 'columns') query.columns = parseColumns(table, columns, value)
  else if (key === 'on_conflict') throw notUnderstood('Upserts are not offered by this data API.')
  else if (/^(not\.)?(and|or)$/.test(key)) query.filters.push(parseLogic(table, columns, key, value))
  else query.filters.push(parseFilter(table, columns, key, value))
}

function parseSelect(table: string, columns: Columns, text: string): Selected[] {
  const items = splitTop(text).map((item) => item.trim())
  if (items.length > MAX_SELECTED) throw tooMuch(`${items.length} selected columns, at most ${MAX_SELECTED}`)
  if (items.length === 1 && items[0] === '') return parseSelect(table, columns, '*')
  return items.flatMap((item) =>
    item === '*' ? Object.keys(columns).map((column) => ({ column, as: column })) : [selected(table, columns, item)],
  )
}

function selected(table: string, columns: Columns, item: string): Selected {
  if (/(^|\.)(count|sum|avg|min|max)\(\s*\)/.test(item)) throw refusal(400, 'PGRST123', 'Use of aggregate functions is not allowed')
  if (item.includes('(') || item.startsWith('...')) {
    const other = item.replace(/\(.*$/s, '').replace(/^.*:|^\.\.\.|!.*$/gs, '')
    throw refusal(400, 'PGRST200', `Could not find a relationship between '${table}' and '${other}' in the schema cache`)
  }
  if (item.includes('::')) throw notUnderstood(`"failed to parse select parameter (${item})"`, 'Casts are not offered by this data API.')
  const parts = splitOutsideQuotes(item, ':')
  if (parts.length > 2) throw notUnderstood(`"failed to parse select parameter (${item})"`)
  const column = unquote(parts.at(-1)!)
  if (!Object.hasOwn(columns, column)) throw noColumn(table, column)
  return { column, as: parts.length === 2 ? unquote(parts[0]!) : column }
}

function parseOrder(table: string, columns: Columns, text: string): Order[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.length > MAX_ORDER) throw tooMuch(`${items.length} columns in order, at most ${MAX_ORDER}`)
  return items.map((item) => {
    const [column = '', ...words] = item.split('.')
    const direction = words[0] === 'asc' || words[0] === 'desc' ? words.shift() : 'asc'
    const nulls = words[0] === 'nullsfirst' || words[0] === 'nullslast' ? words.shift() : null
    if (words.length || !name.test(unquote(column))) throw notUnderstood(`"failed to parse order (${item})"`)
    if (!Object.hasOwn(columns, unquote(column))) throw noColumn(table, unquote(column))
    return { column: unquote(column), descending: direction === 'desc', nulls: nulls ? (nulls === 'nullsfirst' ? 'first' : 'last') : null }
  })
}

function parseCount(what: string, text: string): number {
  if (/^-\d+$/.test(text))
    throw refusal(416, 'PGRST103', 'Requested range not satisfiable', `${what} should be greater than or equal to zero`)
  if (!/^\d{1,15}$/.test(text)) throw notUnderstood(`"failed to parse ${what} (${text})"`)
  return Number(text)
}

function parseColumns(table: string, columns: Columns, text: string): string[] {
  const named = text.split(',').map((item) => unquote(item.trim()))
  for (const column of named) if (!Object.hasOwn(columns, column)) throw noColumnToWrite(table, column)
  return named
}

/** At the commas that stand in no parentheses and no quotes. */
const splitTop = (text: string): string[] => splitOutsideQuotes(text, ',', true)

function splitOutsideQuotes(text: string, at: string, parentheses = false): string[] {
  const parts = ['']
  let depth = 0
  let quoted = false
  for (const char of text) {
    if (char === '"') quoted = !quoted
    if (!quoted && parentheses && char === '(') depth++
    if (!quoted && parentheses && char === ')') depth--
    if (char === at && !quoted && depth <= 0) parts.push('')
    else parts[parts.length - 1] += char
  }
  return parts
}

const countFilters = (filters: Filter[]): number =>
  filters.reduce((sum, filter) => sum + (filter.is === 'group' ? 1 + countFilters(filter.of) : 1), 0)

/** The value that a query demands of a column by a plain `eq` beside all its other filters, or null. For tables that answer one exact value only. */
export function exactValue(query: Query, column: string): string | null {
  const found = query.filters.filter((filter) => filter.is === 'compare' && filter.column === column && filter.op === 'eq' && !filter.not)
  return found.length === 1 && found[0]!.is === 'compare' ? found[0]!.value : null
}
