import type { Of, Offer, Page } from './features/storefront/page.ts'

const seller = { slug: 'sample', name: 'Sample' }
const offer: Offer = {
  id: '00000000-0000-7000-8000-000000000000',
  key: 'sample',
  title: 'Sample',
  summary: 'Sample',
  category: 'Sample',
  item_type: 'sample',
  price_cents: 100,
  currency: 'usd',
  seller,
  rating: { mean: 4.5, count: 2 },
  picture: '/favicon.svg',
}
const profile = {
  contact_email: 'sample@example.com',
  phone: '1',
  website: 'https://example.com',
  location: 'Sample',
  business_category: 'Sample',
  business_description: 'Sample',
  accent: 'lime' as const,
  picture: '/favicon.svg',
}
const offers = { offers: [offer, { ...offer, price_cents: 0, rating: null }], categories: ['Sample'], next: 'more' }
const product: Of<'product'> = {
  kind: 'product',
  product: {
    ...offer,
    description: 'Sample',
    licence_terms: 'Sample',
    version: 1,
    activation_limit: 1,
    files: 1,
    pictures: ['/favicon.svg', '/favicon.svg'],
  },
  more: [offer],
}

/** One of each state of the marketplace's pages: the build takes from them which styles such a page can need. Nobody is shown them. */
export const samplePages: [address: string, page: Page][] = [
  ['/marketplace?q=sample', { kind: 'directory', ...offers }],
  ['/marketplace?after=more', { kind: 'directory', ...offers, offers: [] }],
  ['/marketplace/sample', { kind: 'storefront', seller, profile, total: 1, ...offers }],
  ['/marketplace/empty', { kind: 'storefront', seller, total: 0, offers: [], categories: [], next: null }],
  ['/marketplace/sample/sample', product],
  ['/marketplace/nobody', { kind: 'missing', seller: null }],
  ['/marketplace/sample/nothing', { kind: 'missing', seller }],
]
