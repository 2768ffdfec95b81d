import { describe, expect, test } from 'vitest'
import { drawPage } from './drawPage.tsx'
import type { Offer, Page } from './features/storefront/page.ts'

const seller = { slug: 'mara', name: 'Mara Lindt' }
const profile = {
  contact_email: '',
  phone: '',
  website: '',
  location: 'Lisbon',
  business_category: '',
  business_description: '',
  accent: 'teal' as const,
  picture: null,
}
const offer: Offer = {
  id: '0190a1b2-0000-7000-8000-000000000001',
  key: 'lead-qualification',
  title: 'Lead </script><script>alert(1)</script>',
  summary: 'Asks five questions. Scores the answers.',
  category: 'Marketing',
  item_type: 'Workflow',
  price_cents: 4900,
  currency: 'usd',
  seller,
  rating: null,
  picture: '/files/v1/marketplace/~pictures/0190a1b2-0000-7000-8000-00000000000a',
}
const storefront: Page = { kind: 'storefront', seller, profile, total: 1, offers: [offer], categories: ['Marketing'], next: null }

async function drawn(address: string, page: Page) {
  const answer = await drawPage(address, page)
  if ('path' in answer) throw new Error(`led to ${answer.path}`)
  const text = answer.body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  return { ...answer, text: text.replaceAll('&#x27;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>') }
}

describe('as the specification has it [spec-102]', () => {
  test('a seller by their display name, and a product with category, rating, title, two lines, price, type and Buy Now', async () => {
    const { status, body, text } = await drawn('/marketplace/mara', storefront)
    expect(status).toBe(200)
    expect(body).toContain('data-accent="teal"')
    expect(body).toMatch(/<h1[^>]*>.*Mara Lindt.*<\/h1>/s)
    for (const said of ['Marketing', 'No reviews yet', offer.title, offer.summary, '$49.00', 'Workflow', 'Buy Now'])
      expect(text).toContain(said)
    expect(body).toMatch(/<p class="[^"]*line-clamp-2[^"]*">Asks five questions/)
    expect(body).toMatch(/<a [^>]*href="\/"[^>]*>Get Started<\/a>/)
    const rated: Page = { ...storefront, offers: [{ ...offer, rating: { mean: 4.5, count: 2 } }] }
    expect((await drawn('/marketplace/mara', rated)).text).toMatch(/4\.5 of 5, \( ?2 reviews/)
  })

  test('a seller with nothing on sale, a seller who is nobody, and a product that is gone', async () => {
    const empty: Page = { ...storefront, total: 0, offers: [], categories: [] }
    const { text } = await drawn('/marketplace/mara', empty)
    expect(text).toContain('No products available')
    expect(text).toContain("This seller hasn't listed any products yet.")
    const nobody = await drawn('/marketplace/nobody', { kind: 'missing', seller: null })
    expect(nobody.status).toBe(404)
    expect(nobody.text).toContain('Marketplace Not Found')
    expect(nobody.text).toContain("The marketplace you're looking for doesn't exist.")
    expect(nobody.head).toContain('<meta name="robots" content="noindex" />')
    const gone = await drawn('/marketplace/mara/gone', { kind: 'missing', seller })
    expect([gone.status, gone.text.includes('Product not found')]).toEqual([404, true])
    expect(await drawPage('/marketplace/ann', { kind: 'moved', path: '/marketplace/mara' })).toEqual({
      status: 301,
      path: '/marketplace/mara',
    })
  })
})

test('a product has its own title, picture and structured data for previews and search engines, and none of its words ends a script', async () => {
  const product: Page = {
    kind: 'product',
    product: {
      ...offer,
      rating: { mean: 4.5, count: 2 },
      description: 'Asks five questions.',
      licence_terms: 'One business.',
      version: 2,
      activation_limit: 3,
      files: 1,
      pictures: [offer.picture!],
    },
    more: [],
  }
  const { head, after, text } = await drawn('/marketplace/mara/lead-qualification', product)
  expect(head).toContain('<meta property="og:type" content="product" />')
  expect(head).toContain(`<meta property="og:image" content="__PUBLIC_URL__${offer.picture}" />`)
  expect(head).toContain('<link rel="canonical" href="__PUBLIC_URL__/marketplace/mara/lead-qualification" />')
  const [, structured] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(head)!
  expect(JSON.parse(structured!)).toMatchObject({
    '@type': 'Product',
    name: offer.title,
    image: [`__PUBLIC_URL__${offer.picture}`],
    aggregateRating: { ratingValue: 4.5, reviewCount: 2 },
    offers: { price: '49.00', priceCurrency: 'USD', availability: 'https://schema.org/InStock' },
  })
  expect(`${head}${after}`).not.toContain('alert(1)</script>')
  for (const said of ['License terms', 'One business.', 'Version 2', 'For 3 machines', '1 file', 'You can buy without an account.'])
    expect(text).toContain(said)
})

test('the first picture is asked for before anything else of the page, and the others when they come near', async () => {
  const offers = [1, 2, 3].map((n) => ({ ...offer, id: `${offer.id.slice(0, -1)}${n}`, picture: `${offer.picture!.slice(0, -1)}${n}` }))
  const { head, body } = await drawn('/marketplace/mara', { ...storefront, offers })
  const pictures = [...body.matchAll(/<img[^>]*>/g)].map(([tag]) => tag)
  expect(pictures.map((tag) => [/loading="(\w+)"/.exec(tag)?.[1], /fetchPriority="(\w+)"/i.exec(tag)?.[1]])).toEqual([
    ['eager', 'high'],
    ['lazy', 'auto'],
    ['lazy', 'auto'],
  ])
  expect(head).toMatch(
    /^<link rel="preload" as="image" type="image\/avif" fetchPriority="high" imageSrcSet="[^"]*-000000000001\?w=480&amp;f=avif 480w"/,
  )
  expect(body).not.toContain('rel="preload"')
  expect(body.match(/<li class="[^"]*\[content-visibility:auto\]/g)).toHaveLength(2)
  // The seller's own picture stands above them all.
  const picture = `${offer.picture!.slice(0, -1)}9`
  const headed = await drawn('/marketplace/mara', { ...storefront, offers, profile: { ...profile, picture } })
  expect(headed.head.match(/<link rel="preload"[^>]*>/g)).toEqual([expect.stringContaining('000000000009?w=480&amp;f=avif 480w')])
  expect(headed.body.match(/loading="eager"/g)).toHaveLength(1)
})
