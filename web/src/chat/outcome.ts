import { ApiError } from '../api/http.ts'

/** Codes of calls that may have had their effect all the same: their answer was lost, is late, or is still to come. */
const open = ['offline', 'unavailable', 'upstream_timeout', 'idempotency_running']

export type Failure = { title: string; words: string }

/** The words for an act that failed: they say "not done" only where that is known. */
export function failureOf(error: unknown): Failure {
  const { message } = error as Error
  if (error instanceof ApiError && open.includes(error.code))
    return { title: 'It may or may not have happened', words: `${message} Trying again does nothing twice.` }
  return { title: 'It was not done', words: message }
}
