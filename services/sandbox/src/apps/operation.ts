import type { IncomingHttpHeaders } from 'node:http'
import type { Message } from '../inbox/inbox.ts'
import type { AppGrant, AppObject } from './grants.ts'

// The shape of every stand-in's table, and what they share.

/** A call of a vendor's API as its stand-in sees it: the account is known and the parameters are ones that the vendor takes. */
export type ApiCall = {
  grant: Pick<AppGrant, 'email' | 'name' | 'scope'>
  params: Record<string, string>
  query: URLSearchParams
  body: Record<string, any>
  headers: IncomingHttpHeaders
  host: string
  /** Newest first. */
  list: (kind: string) => AppObject[]
  add: (kind: string, data: Record<string, any>) => AppObject
  /** Into the inbox of the sandbox, as what a mail provider takes on. */
  deliver: (mail: Omit<Message, 'id' | 'at' | 'links'>) => void
  /** Into the log of what really happened. */
  log: (kind: string) => void
  /** Puts a thing in its place, or changes it. */
  set: (id: string, kind: string, data: Record<string, any>) => AppObject
}
export type Operation = {
  /** Method, host and path. */
  at: string
  /** The parameters that the vendor takes; anything else is refused. */
  query?: string[]
  body?: string[]
  answer: (call: ApiCall) => unknown
  status?: number
  /** A header without which the vendor answers nobody. */
  needs?: string
}

export const iso = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
export const contacts = ['Maya Patel', 'Jonas Weber', 'Lucia Rossi']
export const mailOf = (name: string) => `${name.toLowerCase().replace(/[^a-z]+/g, '.')}@example.com`
export const limited = <T>(rows: T[], call: ApiCall, name = 'limit') => rows.slice(0, Number(call.query.get(name) ?? 25))
export const has = (text: unknown, words: string) => String(text).toLowerCase().includes(words.toLowerCase())
/** When something was first seen here, which then stays its time. */
const seen = new Map<string, string>()
export function madeAt(id: string): string {
  const at = seen.get(id) ?? new Date().toISOString()
  seen.set(id, at)
  return at
}

/** A page of rows, and where the next one begins. */
export function pageOf<T>(rows: T[], call: ApiCall, size: string, at: string): { rows: T[]; next: string | undefined } {
  const given = { ...Object.fromEntries(call.query), ...call.body }
  const [from, most] = [Number(given[at] ?? 0), Number(given[size] ?? 25)]
  return { rows: rows.slice(from, from + most), next: from + most < rows.length ? String(from + most) : undefined }
}

/** Rows that an account has from the beginning, before those that were added. */
export const kept = (call: ApiCall, kind: string, first: Record<string, any>[]) => [
  ...call.list(kind).map(({ id, data }) => ({ id, ...data })),
  ...first.map((data, index) => ({ id: `${kind}-${index + 1}`, ...data })),
]

/** A vendor's type as it travels: its SDK turns the times into dates. */
export type OnWire<T> = T extends Date ? string : T extends object ? { [K in keyof T]: OnWire<T[K]> } : T

/** An answer without a body. */
export class Bare {
  readonly headers: Record<string, string>
  readonly status: number | undefined
  constructor(headers: Record<string, string>, status?: number) {
    this.headers = headers
    this.status = status
  }
}

/** An answer that is a refusal in the vendor's own words. */
export class Refused {
  readonly status: number
  readonly body: unknown
  constructor(status: number, body: unknown) {
    this.status = status
    this.body = body
  }
}
