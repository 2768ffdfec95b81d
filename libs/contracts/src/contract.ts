import { z } from 'zod'

/** Who may call. `user` is any signed-in account; `aal2` a second factor (or a fresh re-authentication where none exists); `service` a service key. */
export type Access = 'public' | 'user' | 'aal2' | 'staff' | 'service'
export type RateClass = 'auth-strict' | 'auth' | 'read' | 'write' | 'ai' | 'webhook'
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Endpoint = {
  kind: 'endpoint'
  method: Method
  path: `/${string}`
  access: Access
  rate: RateClass
  summary?: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  reply: z.ZodType
  /** Answers to success other than 200. */
  status?: number
  /** The handler writes the response itself: a stream, a file, a redirect. */
  raw?: true
  /** The body reaches the handler as bytes: signed webhooks, uploads. */
  bytes?: true
  /** A browser page or a protocol answer that is not JSON. */
  contentType?: string
  /** The largest body accepted, when it is not the usual 1 MiB. */
  maxBytes?: number
  /** The bearer may be an API key of the user's own, which the owning service checks. */
  apiKeys?: true
  /** Also for an account with a second factor that has shown only its password. Elsewhere such a caller is refused, or counts as anonymous where anybody may call. */
  halfSignedIn?: true
  /** Accepts an `Idempotency-Key`: the first answer is kept for a day and given again. */
  idempotent?: true
}

/** One HTTP operation at an address of its own: the auth protocol, the AI protocol, webhooks, files. */
export const endpoint = <const E extends Omit<Endpoint, 'kind'>>(e: E) => ({ kind: 'endpoint' as const, ...e })

type FnOptions = Omit<Endpoint, 'kind' | 'method' | 'path' | 'params' | 'query' | 'rate'> & { rate?: RateClass }

/** A named function: `POST /functions/v1/<name>`, how everything that is not auth, data or a foreign protocol is called. */
export const fn = <const N extends string, const E extends FnOptions>(name: N, e: E) => ({
  kind: 'endpoint' as const,
  method: 'POST' as const,
  path: `/functions/v1/${name}` as const,
  rate: 'write' as RateClass,
  ...e,
})

export type Table = {
  kind: 'table'
  name: string
  /** What each column holds when read. Nothing else can be selected, filtered or ordered by. */
  columns: z.ZodObject
  /** Who may read; the service adds the row policy, the owner's filter first of all. */
  access: Access
  /** As an endpoint's. */
  halfSignedIn?: true
  rate: RateClass
  summary?: string
  /** What a write may carry; a verb that is absent answers 42501. */
  insert?: z.ZodObject
  update?: z.ZodObject
  delete?: true
}
/** A table of the data API: `/rest/v1/<name>`. Reads are generic; each write verb named here is one domain function. */
export const table = <const N extends string, const T extends Omit<Table, 'kind' | 'name' | 'rate'> & { rate?: RateClass }>(
  name: N,
  t: T,
) => ({ kind: 'table' as const, name, rate: 'read' as RateClass, ...t })

export type Event = { kind: 'event'; name: `${string}.${string}`; delivery: 'durable' | 'broadcast'; payload: z.ZodObject }
/** Something that happened. Durable: every consumer gets it at least once. Broadcast: every running instance, now or never. */
export const event = <const N extends `${string}.${string}`, P extends z.ZodObject>(
  name: N,
  payload: P,
  delivery: 'durable' | 'broadcast' = 'durable',
) => ({ kind: 'event' as const, name, delivery, payload })

export type Request = { kind: 'request'; name: `${string}.${string}`; input: z.ZodType; reply: z.ZodType }
/** The rare question to another service that its events cannot answer. The first word of its name is who answers. */
export const request = <const N extends `${string}.${string}`, I extends z.ZodType, R extends z.ZodType>(name: N, input: I, reply: R) => ({
  kind: 'request' as const,
  name,
  input,
  reply,
})

export type Job = { kind: 'job'; name: `${string}.${string}`; payload: z.ZodObject; attempts?: number; priority?: number }
/** Slow, retried or scheduled work inside one service: an event with one reader. */
export const job = <const N extends `${string}.${string}`, P extends z.ZodObject>(
  name: N,
  payload: P,
  options: { attempts?: number; priority?: number } = {},
) => ({ kind: 'job' as const, name, payload, ...options })

/** What travels: the payload with what every event carries. `version` is the row's, where an event carries state. */
export type Envelope<P = unknown> = {
  id: string
  name: string
  at: string
  user_id: string | null
  payload: P
  trace?: string
}

/** An id in a path, a query or a body: marked, so that the attack runner knows what to swap between tenants. */
export const id = (of: string) => z.uuid().meta({ 'x-id': of })
export const time = z.iso.datetime({ offset: true })
export const text = (max: number) => z.string().max(max)

type Out<T> = T extends z.ZodType ? z.output<T> : unknown
type In<T> = T extends z.ZodType ? z.input<T> : unknown
type Part<E, K extends string> = K extends keyof E ? E[K] : undefined
/** Path, query and body as one object: a name means one thing in a call. */
export type Input<E> = Out<Part<E, 'params'>> & Out<Part<E, 'query'>> & Out<Part<E, 'body'>>
export type Args<E> = In<Part<E, 'params'>> & In<Part<E, 'query'>> & In<Part<E, 'body'>>
export type Output<E extends { reply: z.ZodType }> = z.input<E['reply']>
export type Reply<E extends { reply: z.ZodType }> = z.output<E['reply']>
export type Payload<E extends { payload: z.ZodType }> = z.output<E['payload']>
export type Row<T extends { columns: z.ZodObject }> = z.output<T['columns']>
