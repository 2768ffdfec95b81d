import { createLogger } from '@operon/kit/telemetry'
import { Response } from 'undici'
import { expect, test, vi } from 'vitest'
import { Config } from '../config.ts'
import { checkDomains } from './domains.ts'
import { createPrices } from './prices.ts'
import { registrars } from './registrars.ts'

const log = createLogger('silent')
const [porkbun, vercel, namesilo] = registrars as [(typeof registrars)[0], (typeof registrars)[0], (typeof registrars)[0]]
const list = (com: string) =>
  JSON.stringify({ status: 'SUCCESS', pricing: { com: { registration: com, renewal: '1,011.08', transfer: '1' } } })

test('a price list is asked for once in some hours; while a registrar fails its last list stands, with its date [spec-97]', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-21T10:00:00Z') })
  const fetch = vi.fn(async (_url: string, _options?: object) => new Response(list('10.44')))
  const prices = createPrices(fetch, null, {}, log)
  const [first] = await Promise.all([prices(porkbun, ['com']), prices(porkbun, ['com'])])
  expect(first).toEqual({ asOf: new Date(), of: { com: { registration: 1044, renewal: 101108 } } })
  expect(fetch.mock.calls.map(([url]) => url)).toEqual(['https://api.porkbun.com/api/json/v3/pricing/get'])
  vi.setSystemTime(new Date('2026-11-22T10:00:00Z'))
  for (const answer of ['{"status":"ERROR"}', 'no JSON']) {
    fetch.mockImplementationOnce(async () => new Response(answer))
    expect(await prices(porkbun, ['com'])).toEqual(first)
    const asked = fetch.mock.calls.length
    expect(await prices(porkbun, ['com'])).toEqual(first)
    expect(fetch).toHaveBeenCalledTimes(asked)
    vi.advanceTimersByTime(60_000)
  }
  fetch.mockImplementationOnce(async () => new Response(list('12.00')))
  expect(await prices(porkbun, ['com'])).toMatchObject({ asOf: new Date(), of: { com: { registration: 1200 } } })
  vi.useRealTimers()
})

test('a price that is not a figure is not shown [spec-97]', async () => {
  expect(await createPrices(async () => new Response(list('free')), null, {}, log)(porkbun, ['com'])).toBeNull()
})

test('each registrar is asked on its own wire, with its key; without the key it is not asked [spec-97]', async () => {
  const fetch = vi.fn(async (url: string, _options?: { headers?: unknown }) => {
    if (url.includes('/tlds/co/')) return new Response('{"error":{"code":"tld_not_supported"}}', { status: 400 })
    if (url.includes('vercel')) return new Response('{"years":1,"purchasePrice":11.25,"renewalPrice":"15.25","transferPrice":15.25}')
    return new Response('{"reply":{"code":300,"detail":"success","com":{"registration":"13.95","transfer":"9","renew":"17.29"}}}')
  })
  const prices = createPrices(fetch, null, { VERCEL_TOKEN: 'v', NAMESILO_API_KEY: 'n' }, log)
  expect((await prices(vercel, ['com', 'co']))?.of).toEqual({ com: { registration: 1125, renewal: 1525 } })
  expect((await prices(namesilo, ['com', 'co']))?.of).toEqual({ com: { registration: 1395, renewal: 1729 } })
  expect(fetch.mock.calls.map(([url]) => url)).toEqual([
    'https://api.vercel.com/v1/registrar/tlds/com/price?years=1',
    'https://api.vercel.com/v1/registrar/tlds/co/price?years=1',
    'https://www.namesilo.com/api/getPrices?version=1&type=json&key=n',
  ])
  expect(fetch.mock.calls[0]![1]).toMatchObject({ headers: { authorization: 'Bearer v' } })
  fetch.mockClear()
  expect(await createPrices(fetch, null, {}, log)(vercel, ['com'])).toBeNull()
  expect(fetch).not.toHaveBeenCalled()
})

test("the operator's affiliate links are marked as such, and no other link is [spec-97]", async () => {
  const { DOMAIN_AFFILIATE_LINKS: affiliate } = Config.parse({
    DOMAIN_AFFILIATE_LINKS: '{"Porkbun":"https://partner.example/?q={domain}"}',
  })
  const fetch = async () => new Response('{}', { status: 404 })
  const { results } = await checkDomains({ fetch, prices: async () => null, affiliate, sandbox: null }, { name: 'Brightpath' }, 'nobody')
  expect(results[0]!.prices.map(({ link, affiliate: marked }) => [link, marked])).toEqual([
    ['https://partner.example/?q=brightpath.com', true],
    [vercel.page('brightpath.com'), false],
    [namesilo.page('brightpath.com'), false],
  ])
  for (const wrong of ['{"GoDaddy":"https://a.example/{domain}"}', '{"Porkbun":"https://a.example/"}', 'Porkbun'])
    expect(Config.safeParse({ DOMAIN_AFFILIATE_LINKS: wrong }).success, wrong).toBe(false)
})
