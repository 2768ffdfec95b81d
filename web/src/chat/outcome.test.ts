import { expect, test } from 'vitest'
import { ApiError, unreached } from '../api/http.ts'
import { failureOf } from './outcome.ts'

test('an act is told as not done where the server said so, and as unknown where its answer was lost or is still to come', () => {
  expect(failureOf(new ApiError(502, 'answer_cut', 'The answer was cut off.'))).toEqual({
    title: 'It was not done',
    words: 'The answer was cut off.',
  })
  for (const code of ['offline', 'unavailable', 'upstream_timeout', 'idempotency_running'])
    expect(failureOf(new ApiError(0, code, unreached))).toEqual({
      title: 'It may or may not have happened',
      words: `${unreached} Trying again does nothing twice.`,
    })
})
