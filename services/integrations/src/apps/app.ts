import type { AppId } from '@operon/contracts/integrations/apps'
import { z } from 'zod'
import type { DavCall } from '../calendars/caldav/calls.ts'
import type { VendorId } from './vendors.ts'

/** Our access to an account over there, sealed as one value. */
export type Held = {
  /** The access token, or the key that the person pasted. */
  access: string
  refresh?: string
  /** Where this account's API is, where the app says so with its tokens. */
  base?: string
  /** The other fields of a key form, and what an app needs with each call. */
  fields?: Record<string, string>
}

export type AppRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the app's address, or an address of another host of the same vendor. */
  path: string
  query?: Record<string, string | number | undefined>
  json?: unknown
  form?: Record<string, string>
  headers?: Record<string, string>
  /** A call that tells the token for this one, where the connection's own is not good for it. */
  under?: { path: string; query: Record<string, string>; token: (answer: Answer) => string | undefined }
  /** A tool of the MCP server at the address, in the place of an HTTP call. */
  tool?: { name: string; arguments: Record<string, unknown> }
  /** A step with a calendar at a CalDAV server, which may take several requests. */
  dav?: DavCall
}
/** An app's answer, taken apart. */
export type Answer = any

export type Row = { id: string; title: string; detail: string | null; url: string | null; at: string | null }
export type Done = { id: string | null; url: string | null }

type Common<I extends z.ZodObject> = { title: string; input: I; request: (input: z.output<I>, held: Held) => AppRequest }
export type Reading<I extends z.ZodObject = any> = Common<I> & {
  effect: 'reads'
  rows: (answer: Answer, input: z.output<I>) => Row[]
  /** Of lists that name ids alone: how one is read. */
  each?: EachOne
}
export type Doing<I extends z.ZodObject = any> = Common<I> & { effect: 'changes' | 'sends'; done: (answer: Answer) => Done }
export type AppAction = Reading | Doing

export type AppDefinition = {
  id: AppId
  /** Whose consent page and tokens it uses; without one it takes a key. */
  vendor?: VendorId
  scopes?: readonly string[]
  /** Where the API is; an account's own address goes before it. */
  api: string | ((held: Held) => string)
  /** How a call shows who asks; `Authorization: Bearer` unless it says otherwise. */
  sign?: (held: Held, request: AppRequest) => AppRequest
  headers?: Record<string, string>
  /** The cheapest call that tells whose account it is: the test call as well. */
  who: AppRequest & { read: (answer: Answer, held: Held) => { id: string; name: string } }
  /** A header that tells the vendor which operator calls, and the setting that has its value. Not set up without it. */
  operator?: { header: string; setting: 'CONNECT_GOOGLE_ADS_DEVELOPER_TOKEN' }
  /** The header that names what was made, where the body is empty. */
  idHeader?: string
  /** As many calls as the vendor allows an account. */
  perMinute: number
  /** Of apps that answer 200 to a refusal: its reason. */
  refusal?: (answer: Answer) => string | null
  /** Reasons that mean that our access has ended. */
  ended?: readonly string[]
  /** Of apps whose key buys a short-lived token: how. The key itself is kept as `refresh`. */
  mint?: (held: Held) => { url: string; headers: Record<string, string>; form: Record<string, string> } | null
  /** How its lists go on, where all of them go on the same way. */
  paging?: Paging
  actions: Record<string, AppAction>
}

type Paging = { send: (request: AppRequest, cursor: string) => AppRequest; next: (answer: Answer) => unknown }
/** By a parameter, among those of the request. */
export const pagedBy = (name: string, next: Paging['next']): Paging => ({
  send: (request, cursor) =>
    request.json === undefined
      ? { ...request, query: { ...request.query, [name]: cursor } }
      : { ...request, json: { ...(request.json as object), [name]: cursor } },
  next,
})

/** How something that happens in an app is noticed: what is there now is listed again and again, and what is new in it has happened. */
export type AppTrigger<I extends z.ZodObject = any> = {
  input: I
  /** `since` is a little before the newest that is known. Lists that cannot take it come with the newest first. */
  request: (input: z.output<I>, since: Date, held: Held) => AppRequest
  rows: (answer: Answer, input: z.output<I>) => Row[]
  /** The rows' times are when it happened, so that what is older than `since` is none of it. */
  timed: boolean
  /** The key that tells one happening from another: the id alone, or with another value, so that each change of a thing counts. */
  key: (row: Row) => string
  /** Of lists that name ids alone: how one is read. */
  each?: EachOne
}
export type EachOne = { request: (id: string) => AppRequest; row: (answer: Answer) => Row }

/** Each thing counts once. */
export const appears = <I extends z.ZodObject>(
  input: I,
  request: AppTrigger<I>['request'],
  rows: AppTrigger<I>['rows'],
  more: { timed?: boolean; each?: EachOne } = {},
): AppTrigger<I> => ({ input, request, rows, timed: more.timed ?? false, key: ({ id }) => id, ...(more.each && { each: more.each }) })
/** A thing counts anew with each change: of its time where the rows are timed, else of its details. */
export const changes = <I extends z.ZodObject>(
  input: I,
  request: AppTrigger<I>['request'],
  rows: AppTrigger<I>['rows'],
  timed = true,
): AppTrigger<I> => ({ input, request, rows, timed, key: ({ id, at, detail }) => `${id}@${timed ? at : detail}` })

/** An action that answers with rows. */
export const reads = <I extends z.ZodObject>(
  title: string,
  input: I,
  request: Reading<I>['request'],
  rows: Reading<I>['rows'],
  each?: EachOne,
): Reading<I> => ({ effect: 'reads', title, input, request, rows, ...(each && { each }) })
/** An action that posts, adds or changes something. */
export const does = <I extends z.ZodObject>(
  title: string,
  effect: Doing['effect'],
  input: I,
  request: Doing<I>['request'],
  done: Doing<I>['done'],
): Doing<I> => ({ effect, title, input, request, done })

export const row = (id: unknown, title: unknown, more: { detail?: unknown; url?: unknown; at?: unknown } = {}): Row => ({
  id: String(id ?? ''),
  title: textOr(title, 'Untitled').slice(0, 300),
  detail: textOr(more.detail)?.slice(0, 500) ?? null,
  url: textOr(more.url),
  at: textOr(more.at),
})
function textOr(value: unknown, absent: string): string
function textOr(value: unknown): string | null
function textOr(value: unknown, absent: string | null = null) {
  return value === undefined || value === null || value === '' ? absent : String(value)
}
export const made = (id: unknown, url?: unknown): Done => ({ id: textOr(id), url: textOr(url) })
export const listOf = (value: unknown): any[] => (Array.isArray(value) ? value : [])

/** Fields that many actions share, with what a form or a model should know of them. */
export const field = {
  text: (label: string, max = 5000) => z.string().min(1).max(max).describe(label),
  optional: (label: string, max = 5000) => z.string().max(max).optional().describe(label),
  words: z.string().min(1).max(200).describe('Words to search for'),
  email: z.email().max(320).describe('Email address'),
  time: (label: string) => z.iso.datetime({ offset: true }).describe(`${label}, as 2026-12-01T09:00:00Z`),
  limit: z.int().min(1).max(100).default(25).describe('How many, at most'),
}
