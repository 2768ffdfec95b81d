import { type ErrorCode, errors } from '@operon/contracts/messages'

type Options = { message?: string; status?: number; details?: unknown; headers?: Record<string, string>; cause?: unknown }

/** An expected failure that the caller can act on. Anything else that is thrown is a bug and answers 500. */
export class DomainError extends Error {
  override name = 'DomainError'
  readonly code: string
  readonly status: number
  readonly details: unknown
  readonly headers: Record<string, string>

  /** A code of the catalogue brings its status and text; a foreign protocol's code (GoTrue, PostgREST) brings its own. */
  constructor(code: ErrorCode, options?: Options)
  constructor(code: string, options: Options & { message: string; status: number })
  constructor(code: string, options: Options = {}) {
    const known = errors[code as ErrorCode]
    super(options.message ?? known.message, { cause: options.cause })
    this.code = code
    this.status = options.status ?? known.status
    this.details = options.details
    this.headers = options.headers ?? {}
  }
}
