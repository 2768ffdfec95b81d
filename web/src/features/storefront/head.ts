import type { Offer, Page } from './page.ts'

export type Head = {
  title: string
  description: string
  path: string
  type: 'website' | 'product'
  structured: object | null
  picture?: string | null
}

const PUBLIC_URL = '__PUBLIC_URL__'
const pathOf = ({ seller, key }: Pick<Offer, 'seller' | 'key'>) => `/marketplace/${seller.slug}/${key}`

/** The tags of a page for search engines and link previews; null where there is nothing to index. */
export function headOf(page: Page, name: string): Head | null {
  switch (page.kind) {
    case 'directory':
      return {
        title: `Marketplace · ${name}`,
        description: 'Templates and automations, sold by the people who made them. Browse and buy without an account.',
        path: '/marketplace',
        type: 'website',
        structured: listOf(page.offers),
      }
    case 'storefront':
      return {
        title: `${page.seller.name} · ${name}`,
        description: page.profile?.business_description
          ? shortened(page.profile.business_description)
          : `${countOf(page.total)} by ${page.seller.name}. Browse and buy without an account.`,
        picture: page.profile?.picture ?? null,
        path: `/marketplace/${page.seller.slug}`,
        type: 'website',
        structured: listOf(page.offers),
      }
    case 'product': {
      const { product } = page
      return {
        title: `${product.title} by ${product.seller.name} · ${name}`,
        description: shortened(product.summary),
        path: pathOf(product),
        type: 'product',
        picture: product.picture,
        structured: {
          '@context': 'https://schema.org',
          '@type': 'Product',
          name: product.title,
          description: shortened(product.summary),
          category: product.category,
          ...(product.pictures.length && { image: product.pictures.map((picture) => PUBLIC_URL + picture) }),
          url: PUBLIC_URL + pathOf(product),
          brand: { '@type': 'Brand', name: product.seller.name },
          ...(product.rating && {
            aggregateRating: { '@type': 'AggregateRating', ratingValue: product.rating.mean, reviewCount: product.rating.count },
          }),
          offers: {
            '@type': 'Offer',
            url: PUBLIC_URL + pathOf(product),
            price: (product.price_cents / 100).toFixed(2),
            priceCurrency: product.currency.toUpperCase(),
            availability: 'https://schema.org/InStock',
            seller: { '@type': 'Person', name: product.seller.name },
          },
        },
      }
    }
    case 'missing':
      return {
        title: page.seller ? `Product not found · ${name}` : `Marketplace Not Found · ${name}`,
        description: '',
        path: '',
        type: 'website',
        structured: null,
      }
    default:
      return null
  }
}

const countOf = (total: number) => (total === 1 ? '1 product' : total ? `${total.toLocaleString('en-US')} products` : 'Products')

function listOf(offers: Offer[]) {
  if (!offers.length) return null
  const itemListElement = offers.map((offer, at) => ({
    '@type': 'ListItem',
    position: at + 1,
    url: PUBLIC_URL + pathOf(offer),
    name: offer.title,
  }))
  return { '@context': 'https://schema.org', '@type': 'ItemList', itemListElement }
}

function shortened(text: string) {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= 160 ? line : `${line.slice(0, 157).trimEnd()}…`
}
