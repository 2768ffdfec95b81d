import { createLogger } from '@operon/kit/telemetry'
import { Response } from 'undici'
import { expect, test, vi } from 'vitest'
import { createPrices } from './prices.ts'

const list = (com: string) =>
  JSON.stringify({ status: 'SUCCESS', pricing: { com: { registration: com, renewal: '1,011.08', transfer: '1' } } })

test('a price list is asked for once in some hours; while it cannot be asked the last one stands, with its date [spec-97]', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-21T10:00:00Z') })
  const fetch = vi.fn(async (_url: string, _options?: object) => new Response(list('10.44')))
  const prices = createPrices(fetch, null, createLogger('silent'))
  const [first] = await Promise.all([prices(['com']), prices(['com'])])
  expect(first).toEqual({ asOf: new Date(), of: { com: { registration: 1044, renewal: 101108 } } })
  expect(fetch.mock.calls.map(([url]) => url)).toEqual(['https://api.porkbun.com/api/json/v3/pricing/get'])
  vi.setSystemTime(new Date('2026-11-22T10:00:00Z'))
  for (const answer of ['{"status":"ERROR"}', 'no JSON']) {
    fetch.mockImplementationOnce(async () => new Response(answer))
    expect(await prices(['com'])).toEqual(first)
    const asked = fetch.mock.calls.length
    expect(await prices(['com'])).toEqual(first)
    expect(fetch).toHaveBeenCalledTimes(asked)
    vi.advanceTimersByTime(60_000)
  }
  fetch.mockImplementationOnce(async () => new Response(list('12.00')))
  expect(await prices(['com'])).toMatchObject({ asOf: new Date(), of: { com: { registration: 1200 } } })
  vi.useRealTimers()
})

test('nobody is shown a price that no registrar told [spec-97]', async () => {
  expect(await createPrices(async () => new Response(list('free')), null, createLogger('silent'))(['com'])).toBeNull()
})
