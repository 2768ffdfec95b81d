import { expect, test, vi } from 'vitest'
import type { Cache } from './cache/cache.ts'
import { createMemoryCache } from './cache/memory.ts'
import { Limits, RateSettings } from './limits.ts'
import { createLogger } from './telemetry.ts'

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

test('one caller waits for a store that does not answer, the others are counted here, and later it is asked again', async () => {
  vi.useFakeTimers()
  const take = vi.fn().mockRejectedValue(new Error('Command timed out'))
  const cache: Cache = { ...createMemoryCache(), take }
  const limits = new Limits(RateSettings.parse({}), cache, createLogger('silent'))
  await limits.take('public-send', 'a')
  for (let n = 0; n < 9; n++) limits.take('public-send', 'a')
  expect(take).toHaveBeenCalledTimes(1)
  expect(() => limits.take('public-send', 'a')).toThrow(expect.objectContaining({ code: 'rate_limited' }))
  vi.advanceTimersByTime(2_001)
  await limits.take('public-send', 'b')
  expect(take).toHaveBeenCalledTimes(2)
  vi.useRealTimers()
})
