import { noColumn, notUnderstood, refusal, tooMuch } from './errors.ts'
import type { Columns } from './values.ts'

export const comparisons = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike'] as const
export type Comparison = (typeof comparisons)[number]
export type Is = 'null' | 'not_null' | 'true' | 'false' | 'unknown'
export type Filter =
  | { is: 'group'; not: boolean; join: 'and' | 'or'; of: Filter[] }
  | { is: 'compare'; not: boolean; column: string; op: Comparison; value: string }
  | { is: 'in'; not: boolean; column: string; values: string[] }
  | { is: 'is'; not: boolean; column: string; value: Is }

const MAX_DEPTH = 6
const MAX_LIST = 300
const MAX_VALUE = 4000
const MAX_WILDCARDS = 10
const tests: readonly string[] = ['null', 'not_null', 'true', 'false', 'unknown']

/** `column=not.op.value`. The value runs to the end as it is; only lists are taken apart. */
export function parseFilter(table: string, columns: Columns, key: string, text: string): Filter {
  const column = unquote(key)
  if (column.includes('.'))
    throw refusal(400, 'PGRST108', `'${column.slice(0, column.indexOf('.'))}' is not an embedded resource in this request`)
  if (!Object.hasOwn(columns, column)) throw noColumn(table, column)
  const [, not, op, rest] = /^(not\.)?([a-z]+)\.(.*)$/s.exec(text) ?? []
  if (!op) throw cannotRead(text)
  const cursor = new Cursor(text, text.length - rest!.length)
  const filter = op === 'in' ? inList(column, !!not, cursor.list()) : test(column, !!not, op, rest!, text)
  if (op === 'in' && !cursor.ended) throw cannotRead(text)
  return filter
}

/** `or=(a.eq.1,and(b.gt.2,c.is.null))`, nested. */
export function parseLogic(table: string, columns: Columns, key: string, text: string): Filter {
  const cursor = new Cursor(text)
  const of = group(table, columns, cursor, 1)
  if (!cursor.ended) throw cannotRead(text)
  return { is: 'group', not: key.startsWith('not.'), join: key.endsWith('or') ? 'or' : 'and', of }
}

function group(table: string, columns: Columns, cursor: Cursor, depth: number): Filter[] {
  if (depth > MAX_DEPTH) throw tooMuch(`conditions nested more than ${MAX_DEPTH} deep`)
  cursor.expect('(')
  const of: Filter[] = []
  do of.push(condition(table, columns, cursor, depth))
  while (cursor.take(','))
  cursor.expect(')')
  return of
}

function condition(table: string, columns: Columns, cursor: Cursor, depth: number): Filter {
  cursor.skipSpaces()
  const nested = cursor.match(/(not\.)?(and|or)(?=\()/y)
  if (nested) return { is: 'group', not: !!nested[1], join: nested[2] as 'and' | 'or', of: group(table, columns, cursor, depth + 1) }
  const column = cursor.peek() === '"' ? cursor.quoted() : (cursor.match(/[^.,()"]+/y)?.[0].trim() ?? '')
  const [, not, op] = cursor.match(/\.(not\.)?([a-z]+)\./y) ?? []
  if (!column || !op) throw cannotRead(cursor.text)
  if (!Object.hasOwn(columns, column)) throw noColumn(table, column)
  const filter = op === 'in' ? inList(column, !!not, cursor.list()) : test(column, !!not, op, cursor.value(), cursor.text)
  cursor.skipSpaces()
  return filter
}

function test(column: string, not: boolean, op: string, value: string, text: string): Filter {
  if (value.length > MAX_VALUE) throw tooMuch(`a value of ${value.length} characters`)
  if (op === 'is') {
    const word = value.toLowerCase()
    if (!tests.includes(word)) throw cannotRead(text)
    return { is: 'is', not, column, value: word as Is }
  }
  if (!(comparisons as readonly string[]).includes(op))
    throw notUnderstood(`"failed to parse filter (${short(text)})"`, `The operator ${op} is not offered by this data API.`)
  if (op === 'like' || op === 'ilike') {
    if ((value.match(/[*%]/g)?.length ?? 0) > MAX_WILDCARDS) throw tooMuch(`a pattern with more than ${MAX_WILDCARDS} wildcards`)
    return { is: 'compare', not, column, op, value: value.replaceAll('*', '%') }
  }
  return { is: 'compare', not, column, op: op as Comparison, value }
}

function inList(column: string, not: boolean, values: string[]): Filter {
  if (values.length > MAX_LIST) throw tooMuch(`${values.length} values in a list, at most ${MAX_LIST}`)
  return { is: 'in', not, column, values }
}

export const unquote = (text: string): string => (/^".*"$/s.test(text) && text.length > 1 ? text.slice(1, -1) : text)
const short = (text: string) => text.slice(0, 100)
const cannotRead = (text: string) => notUnderstood(`"failed to parse filter (${short(text)})"`)

class Cursor {
  readonly text: string
  #at: number

  constructor(text: string, at = 0) {
    this.text = text
    this.#at = at
  }

  get ended(): boolean {
    return this.#at >= this.text.length
  }

  peek(): string {
    return this.text[this.#at] ?? ''
  }

  take(char: string): boolean {
    if (this.peek() !== char) return false
    this.#at++
    return true
  }

  expect(char: string) {
    if (!this.take(char)) throw cannotRead(this.text)
  }

  match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.text)
    if (found) this.#at += found[0].length
    return found
  }

  skipSpaces() {
    this.match(/ */y)
  }

  quoted(): string {
    const found = this.match(/"((?:[^"\\]|\\.)*)"/sy)
    if (!found) throw cannotRead(this.text)
    return found[1]!.replace(/\\(.)/gs, '$1')
  }

  value(): string {
    return this.peek() === '"' ? this.quoted() : this.match(/[^,)]*/y)![0]
  }

  list(): string[] {
    this.expect('(')
    if (this.take(')')) return []
    const values: string[] = []
    do values.push(this.value())
    while (this.take(','))
    this.expect(')')
    return values
  }
}
