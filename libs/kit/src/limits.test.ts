import { expect, test } from 'vitest'
import { createMemoryCache } from './cache/memory.ts'
import { Limits, RateSettings } from './limits.ts'

test('what writes to an address that a stranger named is sent ten times, then refused with the time to wait; others have ten of their own', () => {
  const limits = new Limits(RateSettings.parse({}), createMemoryCache(), undefined as never)
  for (let n = 0; n < 10; n++) expect(limits.take('public-send', 'a')).toMatchObject({ policy: '"public-send";q=10;w=60' })
  expect(() => limits.take('public-send', 'a')).toThrow(
    expect.objectContaining({
      code: 'rate_limited',
      headers: expect.objectContaining({ 'retry-after': expect.stringMatching(/^[1-6]$/) }),
    }),
  )
  expect(limits.take('public-send', 'b')).toMatchObject({ policy: expect.stringContaining('public-send') })
})
