import { z } from 'zod'
import type { ActivityKind } from './crm/heat.ts'
import type { ErrorCode } from './messages.ts'
import { cleanName } from './names.ts'
import type { Unit } from './plans.ts'

/** The callers that are let in. `user` is any signed-in account; `aal2` has shown who they are within ten minutes, with the second factor where there is one; `service` a service key. */
export type Access = 'public' | 'user' | 'aal2' | 'staff' | 'service'
/** `public-send` is for what writes to an address that a stranger named. */
export type RateClass = 'auth-strict' | 'public-send' | 'auth' | 'read' | 'write' | 'ai' | 'webhook'
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Endpoint = {
  kind: 'endpoint'
  method: Method
  path: `/${string}`
  access: Access
  rate: RateClass
  /** One sentence on what it does, then anything else a caller should know. */
  summary?: string
  description?: string
  /** A call as it may be, for the reference pages and for models. */
  example?: { request?: unknown; reply: unknown }
  /** The refusals that are this operation's own, beside those that any call may meet. */
  errors?: readonly ErrorCode[]
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
  /** The bearer may be an API key of the user's own, whatever its scopes: the handler looks at them. A capability needs no such mark. */
  apiKeys?: true
  /** An OAuth resource: the bearer is a token that identity made for this address, or an API key. A session does not open it. */
  resource?: true
  /** Also for an account with a second factor that has shown only its password. Elsewhere such a caller is refused, or counts as anonymous where anybody may call. */
  halfSignedIn?: true
  /**
   * Accepts an `Idempotency-Key`: the effect happens once for a key, and the first answer is given again for 90 days. `true`: mark, effect
   * and answer commit together, so the function works in its own database alone and leaves what is outside to jobs. `'two-phase'`: the
   * function calls a provider that takes the key itself, or keeps its own state; a call that died without an answer runs again.
   */
  idempotent?: true | 'two-phase'
  /** Makes it a capability, offered to assistants, workflows and programs. */
  action?: Action
  /** How a demo account may use it, where access, effect, method and rate do not tell. See `demoUseOf`. */
  demo?: DemoUse | 'recorded'
  /** Part of a protocol that is switched off here: what it would be for. */
  notOffered?: string
}

/** `never` is refused in every demo: credentials and money. `changes` is refused in a demo that only reads. */
export type DemoUse = 'reads' | 'changes' | 'never'

/** How a demo account may use a call. `recorded` counts as a read: there the function answers from a record and changes nothing. */
export function demoUseOf(
  contract: Pick<Endpoint, 'access'> & Partial<Pick<Endpoint, 'rate' | 'action' | 'demo'>> & { kind?: string },
  method?: string,
): DemoUse {
  if (contract.demo) return contract.demo === 'recorded' ? 'reads' : contract.demo
  if (contract.access === 'aal2') return 'never'
  if (contract.action) return contract.action.effect === 'reads' ? 'reads' : 'changes'
  if (method === 'GET' || method === 'HEAD') return 'reads'
  // A table has one rate for all of its verbs.
  return contract.kind === 'endpoint' && contract.rate === 'read' ? 'reads' : 'changes'
}

/** Decides whether the person is asked first: `reads` and an undoable `changes` run at once, everything else is approved first. */
export type Effect = 'reads' | 'changes' | 'spends' | 'sends' | 'destroys'

/** Something that can be done for a person, as everyone who offers it has to know it. */
export type Action<I = any, R = any> = {
  /** In the palette and in the list of proposals. */
  title: string
  /** When a model should choose it. */
  when: string
  /** Names that lead to it when a person says one, beside the words of its texts: of the apps, for what works in any of them. */
  about?: readonly string[]
  effect: Effect
  /** The sentence that the person approves. Required unless the action only reads. */
  does?: (input: I) => string
  /** The meter that it draws on. */
  unit?: Unit
  /**
   * A reading function that takes this body or a part of it: what would come of it. Without one, an action that asks is tried out in a
   * transaction that is rolled back where it works in its own database alone, and else shows the rows that its input names.
   */
  preview?: Endpoint
  /** Why neither can say anything. The person reads it beside the sentence and the input. */
  noPreview?: string
  /** The way back and for how long it is open. Its body is made of this call's input and reply, field by field. */
  undo?: { contract: Endpoint; seconds: number }
  /** Apps that have to be connected. */
  needs?: readonly string[]
  /** How its reply is shown beside a figure that an assistant took from it. */
  evidence?: Evidence
  /** The specified words that ask for it. Typing them approves the action, up to one unit. */
  typed?: Typed<R>
}

export const typedRequests = ['names', 'meta', 'voice', 'image', 'email', 'notion'] as const
export type TypedRequest = (typeof typedRequests)[number]
export type Typed<R = any> = {
  as: TypedRequest
  /** Turns the message into the call's body. */
  input: (said: string) => object
  /** The answer in the conversation. */
  says: (reply: R, said: string) => string
  /** The answer when it fails; without it the conversation says that no answer came. */
  failed?: string
}

/** The rows behind a figure: `rows` is the reply's list, or the reply is one row itself. A column is a field's path; `cents` go by the row's `currency`. */
export type Evidence = {
  rows?: string
  columns: Record<string, { label: string; as: 'text' | 'time' | 'cents' | 'microusd' | 'count' | 'percent' }>
}

const column =
  <A extends Evidence['columns'][string]['as']>(as: A) =>
  (label: string) => ({ label, as })
/** The columns of evidence. */
export const col = {
  text: column('text'),
  time: column('time'),
  cents: column('cents'),
  microusd: column('microusd'),
  count: column('count'),
}

/** One HTTP operation at an address of its own: the auth protocol, the AI protocol, webhooks, files. */
export const endpoint = <const E extends Omit<Endpoint, 'kind'>>(e: E) => ({ kind: 'endpoint' as const, ...e })

type FnOptions = Omit<Endpoint, 'kind' | 'method' | 'path' | 'params' | 'query' | 'rate' | 'action' | 'example'> & { rate?: RateClass }
/** Ties the types of an action and its example to the body and the reply. */
type Fitting<B extends z.ZodType, R extends z.ZodType> = {
  body?: B
  reply: R
  example?: { request?: z.input<B>; reply: z.input<R> }
  action?: Action<z.output<B>, z.output<R>>
}

const named = <const N extends string>(name: N) => ({
  kind: 'endpoint' as const,
  method: 'POST' as const,
  path: `/functions/v1/${name}` as const,
  rate: 'write' as RateClass,
})
/** A named function: `POST /functions/v1/<name>`, how everything that is not auth, data or a foreign protocol is called. */
export const fn = <const N extends string, B extends z.ZodType, R extends z.ZodType, const E extends FnOptions>(
  name: N,
  e: E & Fitting<B, R>,
) => ({ ...named(name), ...(e as E) })
/** A function that reads for a signed-in person. */
export const reading = <
  const N extends string,
  B extends z.ZodType,
  R extends z.ZodType,
  const E extends Omit<FnOptions, 'access' | 'rate' | 'idempotent'>,
>(
  name: N,
  e: E & Fitting<B, R>,
) => ({ ...named(name), access: 'user' as const, rate: 'read' as RateClass, ...(e as E) })
/** A function that changes what belongs to a signed-in person, once for a key and in one transaction. */
export const changing = <
  const N extends string,
  B extends z.ZodType,
  R extends z.ZodType,
  const E extends Omit<FnOptions, 'access' | 'rate' | 'idempotent'>,
>(
  name: N,
  e: E & Fitting<B, R>,
) => ({ ...named(name), access: 'user' as const, idempotent: true as const, ...(e as E) })

export type Table = {
  kind: 'table'
  name: string
  /** The type of each column when read. Only these can be selected, filtered or ordered by. */
  columns: z.ZodObject
  /** The callers that may read; the service adds the row policy, the owner's filter first of all. */
  access: Access
  /** As an endpoint's. */
  halfSignedIn?: true
  rate: RateClass
  summary?: string
  /** The columns that a write may carry; a verb that is absent answers 42501. */
  insert?: z.ZodObject
  update?: z.ZodObject
  delete?: true
}
/** A table of the data API: `/rest/v1/<name>`. Reads are generic; each write verb named here is one domain function. */
export const table = <const N extends string, const T extends Omit<Table, 'kind' | 'name' | 'rate'> & { rate?: RateClass }>(
  name: N,
  t: T,
) => ({ kind: 'table' as const, name, rate: 'read' as RateClass, ...t })

/** Something that happened. Durable: every consumer gets it at least once. Broadcast: every running instance, now or never. */
export type Event = { kind: 'event'; name: `${string}.${string}`; delivery: 'durable' | 'broadcast'; payload: z.ZodObject } & Telling
/** Every string of the payload is `personal` or `plain`; `npm run check` names those that are neither. */
export const event = <const N extends `${string}.${string}`, P extends z.ZodObject>(
  name: N,
  payload: P,
  { delivery = 'durable', ...telling }: { delivery?: 'durable' | 'broadcast' } & Telling<z.output<P>> = {},
) => ({ kind: 'event' as const, name, delivery, payload, ...(telling as Telling) })

/** Where an event is shown besides the services that consume it, and in which words. */
export type Telling<P = any> = {
  /** A short form of the state after the event; people are told only when it differs from the last time. The payload carries a `version`. */
  state?: (payload: P) => string
  /** The line in Recent Activity; null where this one is not worth a line. */
  activity?: (payload: P) => string | { command: string; status: string } | null
  /** The page of the app that the line in Recent Activity opens. Each notice names its own. */
  link?: (payload: P) => `/${string}` | null
  /** The notices in the bell, the first of them at the bottom. */
  notice?: (payload: P, product: string) => Notice[]
  /** The email to the account's address; null where this one is not worth an email. */
  email?: (payload: P, product: string) => AccountEmail | null
  /** The email to somebody else whom the payload names, as the buyer of a sale; null where it names nobody. */
  letter?: (payload: P, product: string) => Letter | null
  /** The contact whose timeline it belongs to, of the account that the event is told under. The contact is made where there is none. */
  timeline?: (payload: P) => Happened | null
  /** A workflow can begin with it. */
  trigger?: { title: string; description: string; choices?: readonly TriggerChoice[] }
  /** The topic under which the person's open pages hear it; a broadcast names the person in its `user_id`. */
  live?: string
}

/** One kind of what an event tells of, offered by itself: a workflow that begins with it hears the events whose `field`s have these values. */
export type TriggerChoice = { name: string; title: string; description: string; where: Record<string, string> }

/** Something that a person did, as their contact's timeline says it. The kind decides how much it warms the contact. */
export type Happened = { email: string; text: string; kind: ActivityKind; name?: string; phone?: string | null }

export type Notice = {
  kind: string
  title: string
  body: string
  /** A path of the app. */
  link: `/${string}` | null
  /** The same is raised once for a person; the event itself when absent. */
  about?: string
}
/** An email about the account: one text, one button, one line after it. */
export type AccountEmail = {
  subject: string
  title: string
  text: string
  label: string
  path: `/${string}`
  after: string
  /** Not sent after this time. */
  until?: string
}

/** To an address that may have no account; `person` is the account it belongs to, if any. */
export type Letter = AccountEmail & { to: string; person: string | null }

/** About a person, or written by one: facts and logs leave it out. */
export const personal = <T extends z.ZodType>(schema: T): T => schema.meta({ 'x-personal': true }) as T
/** A word of the product's own. */
export const plain = <T extends z.ZodType>(schema: T): T => schema.meta({ 'x-personal': false }) as T

export type Request = { kind: 'request'; name: `${string}.${string}`; input: z.ZodType; reply: z.ZodType }
/** The rare question to another service that its events cannot answer; it may be asked twice. The first word of its name is who answers. */
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

/** The message on the wire: the payload with the fields of every event. `version` is the row's, where an event carries state. */
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
/** One line, such as a name, a title or a subject. Line breaks, control and direction characters become spaces. */
export const oneLine = (max: number) => z.string().overwrite(cleanName).max(max)

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
