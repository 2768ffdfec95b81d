import type { CallReply } from '@operon/contracts/calls'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useLocation, useParams, useSearchParams } from 'react-router-dom'
import { callPublic } from '../../api/call.ts'
import { useGivenPage } from '../../api/givenPage.tsx'

export type Page = CallReply<'storefront-page'>
export type Of<K extends Page['kind']> = Extract<Page, { kind: K }>
export type Offer = Of<'directory'>['offers'][number]

/** The page at this address: as the server gave it along, else asked for. While a search runs, what is there stays. */
export function useMarketplacePage() {
  const { userSlug, itemKey } = useParams()
  const { pathname } = useLocation()
  const [params] = useSearchParams()
  const asked = {
    slug: userSlug ?? null,
    item: itemKey ?? null,
    q: (params.get('q') ?? '').slice(0, 100),
    category: (params.get('category') ?? '').slice(0, 60),
    after: (params.get('after') ?? '').slice(0, 120),
  }
  const given = useGivenPage<Page>(addressOf(pathname, asked))
  const page = useQuery({
    queryKey: ['storefront-page', asked],
    queryFn: () => callPublic('storefront-page', asked),
    staleTime: 30_000,
    placeholderData: (before, query) => {
      const [, was] = (query?.queryKey ?? []) as [string?, typeof asked?]
      return was?.slug === asked.slug && was.item === asked.item ? keepPreviousData(before) : undefined
    },
    ...(given && { initialData: given }),
  })
  return { asked, page }
}

export type Narrowed = { q: string; category: string; after: string }
/** As the server names the page: always in this order. */
export function addressOf(pathname: string, { q, category, after }: Narrowed) {
  const query = new URLSearchParams(Object.entries({ q, category, after }).filter(([, value]) => value)).toString()
  return query ? `${pathname}?${query}` : pathname
}

const money = new Map<string, Intl.NumberFormat>()
export function priceOf({ price_cents, currency }: Pick<Offer, 'price_cents' | 'currency'>) {
  if (!price_cents) return 'Free'
  let format = money.get(currency)
  if (!format) {
    format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
    money.set(currency, format)
  }
  return format.format(price_cents / 100)
}
