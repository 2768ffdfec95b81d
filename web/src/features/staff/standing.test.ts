import { expect, test } from 'vitest'
import { standingOf } from './standing.ts'

const tokenWith = (app_metadata: object) => `head.${btoa(JSON.stringify({ app_metadata }))}.signature`

test.each([
  [{ staff: true }, 'staff'],
  [{ staff_needs: 'second_factor' }, 'needs_second_factor'],
  [{ staff: 'true' }, 'nobody'],
  [{}, 'nobody'],
] as const)('a token with %j opens the page for %s', (metadata, standing) => {
  expect(standingOf(tokenWith(metadata))).toBe(standing)
})

test('what is no token is nobody', () => {
  for (const token of ['', 'x', 'a.b.c']) expect(standingOf(token)).toBe('nobody')
})
