import { DomainError } from '../errors.ts'
import { messageOf } from '../inbox.ts'
import type { Logger } from '../telemetry.ts'

/** The answer to a bus request, as it travels. */
export type Wire =
  | { ok: unknown }
  | { error: { code: string; status: number; message: string; details?: unknown; headers?: Record<string, string> } }

/** Runs a request's handler; a bug in it is logged here and says nothing of itself to the asker. */
export async function answerOf(name: string, handler: (payload: any) => Promise<unknown>, payload: unknown, log: Logger): Promise<Wire> {
  try {
    return { ok: (await handler(payload)) ?? null }
  } catch (thrown) {
    if (!(thrown instanceof DomainError)) log.error({ err: thrown, request: name }, 'a bus request failed unexpectedly')
    const { code, status, message, details, headers } = thrown instanceof DomainError ? thrown : new DomainError('internal')
    return { error: { code, status, message, details, headers } }
  }
}

export function unwrap(wire: Wire): unknown {
  if ('ok' in wire) return wire.ok
  const { code, status, message, details, headers = {} } = wire.error
  throw new DomainError(code, { status, message, details, headers })
}

export const nobodyAnswers = (name: string, why: unknown) =>
  new DomainError('unavailable', { cause: new Error(`nobody answers ${name}: ${messageOf(why)}`) })

export const serviceOf = (name: string): string => name.slice(0, name.indexOf('.'))
