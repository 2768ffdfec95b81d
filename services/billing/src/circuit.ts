import { DomainError } from '@operon/kit/errors'

type Options = { failures: number; openMs: number; counts: (error: unknown) => boolean }

/** After so many failures in a row calls are refused at once for a while, so that a slow provider does not hold every request. */
export function createCircuit({ failures, openMs, counts }: Options) {
  let inARow = 0
  let openUntil = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (Date.now() < openUntil) throw new DomainError('unavailable', { headers: { 'retry-after': String(Math.ceil(openMs / 1000)) } })
    try {
      const result = await work()
      inARow = 0
      return result
    } catch (error) {
      inARow = counts(error) ? inARow + 1 : 0
      // The call after the pause is the trial: it closes the circuit or opens it again.
      if (inARow >= failures) openUntil = Date.now() + openMs
      throw error
    }
  }
}
