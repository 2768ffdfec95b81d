import type { GuardedFetch } from '@operon/kit/fetch'
import { z } from 'zod'

export const providers = ['Porkbun', 'Vercel', 'NameSilo'] as const

/** Prices of the first year and of renewals, by top-level domain. */
export type PriceList = Record<string, { registration: number; renewal: number }>
type Get = (path: string, options?: Parameters<GuardedFetch>[1]) => ReturnType<GuardedFetch>

export type Registrar = {
  provider: (typeof providers)[number]
  origin: string
  /** The setting with the key that its price list needs. */
  keyIn?: 'VERCEL_TOKEN' | 'NAMESILO_API_KEY'
  page: (domain: string) => string
  prices: (get: Get, tlds: readonly string[], key: string) => Promise<PriceList>
}

const cents = z
  .union([z.string(), z.number()])
  .transform((dollars) => Math.round(Number(String(dollars).replaceAll(',', '')) * 100))
  .pipe(z.int().positive())

/** Three registrars that publish their prices by an API: Porkbun to everybody, the others to holders of a free key. */
export const registrars: readonly Registrar[] = [
  {
    provider: 'Porkbun',
    origin: 'https://api.porkbun.com',
    page: (domain) => `https://porkbun.com/checkout/search?q=${domain}`,
    async prices(get, tlds) {
      const answer = await get('/api/json/v3/pricing/get', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tlds }),
        repeatable: true,
      })
      return Porkbun.parse(await answer.json()).pricing
    },
  },
  {
    provider: 'Vercel',
    origin: 'https://api.vercel.com',
    keyIn: 'VERCEL_TOKEN',
    page: (domain) => `https://vercel.com/domains/search?q=${domain}`,
    async prices(get, tlds, key) {
      const asking = tlds.map(async (tld): Promise<PriceList> => {
        const answer = await get(`/v1/registrar/tlds/${tld}/price?years=1`, { headers: { authorization: `Bearer ${key}` } })
        const body = await answer.json()
        // An ending that it does not sell for a single year.
        if (answer.status === 400) return {}
        const { purchasePrice, renewalPrice } = Vercel.parse(body)
        return { [tld]: { registration: purchasePrice, renewal: renewalPrice } }
      })
      return Object.assign({}, ...(await Promise.all(asking)))
    },
  },
  {
    provider: 'NameSilo',
    origin: 'https://www.namesilo.com',
    keyIn: 'NAMESILO_API_KEY',
    page: (domain) => `https://www.namesilo.com/domain/search-domains?query=${domain}`,
    async prices(get, tlds, key) {
      const answer = await get(`/api/getPrices?version=1&type=json&key=${encodeURIComponent(key)}`)
      const { reply } = NameSilo.parse(await answer.json())
      const sold = tlds.filter((tld) => reply[tld])
      return Object.fromEntries(
        sold.map((tld) => {
          const { registration, renew } = NameSiloPrice.parse(reply[tld])
          return [tld, { registration, renewal: renew }]
        }),
      )
    },
  },
]

const Porkbun = z.object({
  status: z.literal('SUCCESS'),
  pricing: z.record(z.string(), z.object({ registration: cents, renewal: cents })),
})
const Vercel = z.object({ purchasePrice: cents, renewalPrice: cents })
const NameSilo = z.object({ reply: z.looseObject({ code: z.coerce.string().pipe(z.literal('300')) }) })
const NameSiloPrice = z.object({ registration: cents, renew: cents })
