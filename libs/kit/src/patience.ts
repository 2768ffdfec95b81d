import { setTimeout as delay } from 'node:timers/promises'
import { SetupError } from './config.ts'
import type { Logger } from './telemetry.ts'

/** How long a start waits for a server that may be starting as well, before it says so and ends. */
export type Patience = { log: Logger; withinMs: number }
type Options<T> = Patience & {
  /** Its name and address, without credentials: `PostgreSQL at db:5432`. */
  what: string
  open: () => Promise<T>
  /** A reason that waiting does not mend: a wrong password, no TLS. */
  isFinal: (error: unknown) => boolean
}

export const START_WAIT_MS = 30_000
const AGAIN_MS = 250
const SAY_EVERY_MS = 10_000

/** Opens a connection, and waits for a server that does not answer yet; the wait is said, and bounded. */
export async function patiently<T>({ what, open, isFinal, log, withinMs }: Options<T>): Promise<T> {
  const began = Date.now()
  let said = 0
  for (;;) {
    try {
      const opened = await open()
      if (said) log.warn(`${what} answers after ${seconds(Date.now() - began)}`)
      return opened
    } catch (error) {
      const why = reasonOf(error)
      const waited = Date.now() - began
      if (isFinal(error)) throw new SetupError(`${what} refuses: ${why}`, { cause: error })
      if (waited >= withinMs) throw new SetupError(`${what} did not answer within ${seconds(withinMs)}: ${why}`, { cause: error })
      if (!said || Date.now() - said >= SAY_EVERY_MS) {
        log.warn(`${what} does not answer yet (${why}), waiting for it up to ${seconds(withinMs)}`)
        said = Date.now()
      }
      await delay(Math.min(AGAIN_MS, Math.max(1, withinMs - waited)))
    }
  }
}

const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`

/** A name with several addresses fails with one error that has no message of its own. */
function reasonOf(error: unknown): string {
  const { message, code, errors, cause } = error as { message?: string; code?: string; errors?: unknown[]; cause?: unknown }
  if (errors?.length) return reasonOf(errors[0])
  if (cause instanceof Error && cause.message && !message?.includes(cause.message)) return `${message}: ${cause.message}`
  return message || code || String(error)
}

/** Errors of a TLS handshake: certificates do not become right by waiting. */
export const isTls = (error: unknown): boolean => {
  const { code = '', cause } = error as { code?: string; cause?: unknown }
  return /CERT|^ERR_TLS|^ERR_SSL|UNABLE_TO_/.test(code) || (cause instanceof Error && isTls(cause))
}
