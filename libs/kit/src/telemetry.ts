import { AsyncLocalStorage } from 'node:async_hooks'
import { type Logger, pino, stdSerializers } from 'pino'
import { drawRandom } from './ids.ts'

export type { Logger } from 'pino'

const redact = {
  paths: [
    'password',
    'token',
    'access_token',
    'refresh_token',
    'secret',
    'authorization',
    'cookie',
    'apikey',
    'code',
    '*.password',
    '*.token',
    '*.access_token',
    '*.refresh_token',
    '*.secret',
    '*.authorization',
    '*.cookie',
    '*.apikey',
    // Any field of a message may be personal; its name and id are enough for a log.
    'payload',
    'envelope',
    '*.payload',
    '*.envelope',
    'email',
    'phone',
    '*.email',
    '*.phone',
    'req.headers.authorization',
    'req.headers.cookie',
    'req.headers.apikey',
  ],
  censor: '[hidden]',
}

/** PostgreSQL's errors quote the row that they are about, in `detail`: who and what that was belongs into no log. */
const serializers = {
  err(error: unknown) {
    if (typeof error !== 'object' || error === null) return error
    const { detail, where, parameters, ...told } = stdSerializers.err(error as Error) as Record<string, unknown>
    return told
  },
}

/** Severe enough that somebody will ask of whose call it was. */
const FAILURE = 40

/** A line of a failure always has the four fields by which a customer's question is answered; null where there is none. */
function mixin(line: object, level: number) {
  const { trace, about } = traces.getStore() ?? {}
  const common = trace ? { trace: trace.split('-')[1] } : {}
  if (level < FAILURE) return common
  const { err } = line as { err?: unknown }
  const { requestId = null, tenant = null } = about ?? {}
  return { ...common, requestId, errorCode: errorCodeOf(err), provider: providerOf(err), tenant }
}

export function createLogger(level = process.env.LOG_LEVEL ?? 'info', destination?: { write(line: string): void }): Logger {
  const options = { level, redact, serializers, base: null, timestamp: pino.stdTimeFunctions.isoTime, mixin }
  return destination ? pino(options, destination) : pino(options)
}

/** A refusal's own code, PostgreSQL's or Node's, else the error's name. */
function errorCodeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : null
}

const blamed = new WeakMap<object, string>()
/** Notes which third party an error came from, for the log. */
export function blame<E>(error: E, provider: string): E {
  if (typeof error === 'object' && error !== null) blamed.set(error, provider)
  return error
}
const CAUSES = 5
function providerOf(error: unknown): string | null {
  let at = error
  for (let depth = 0; depth < CAUSES && typeof at === 'object' && at !== null; depth++) {
    const provider = blamed.get(at)
    if (provider) return provider
    at = (at as { cause?: unknown }).cause
  }
  return null
}

/** Of whose call the lines are; `tenant` is the person's id, known once they are admitted. */
export type About = { requestId: string; tenant: string | null }
// W3C trace context: carried over HTTP, the bus and jobs as one string.
const traces = new AsyncLocalStorage<{ trace: string; about: About | undefined }>()
export const currentTrace = () => traces.getStore()?.trace
export const withTrace = <T>(trace: string, work: () => T, about = traces.getStore()?.about): T => traces.run({ trace, about }, work)
/** From here on the lines of this call name the person. */
export function tellTenant(id: string | null) {
  const about = traces.getStore()?.about
  if (about) about.tenant = id
}
/** For what goes on by itself: a timer set within a request would carry its trace for ever. */
export const withoutTrace = <T>(work: () => T): T => traces.exit(work)
export const newTrace = (): string => `00-${drawRandom(16).toString('hex')}-${drawRandom(8).toString('hex')}-01`
/** The same trace, one step further; a malformed header begins a new one. */
export function nextTrace(header: unknown): string {
  const parent = typeof header === 'string' && /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/.exec(header)
  return parent ? `00-${parent[1]}-${drawRandom(8).toString('hex')}-${parent[2]}` : newTrace()
}
