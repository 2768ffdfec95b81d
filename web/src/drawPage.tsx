import { renderToString } from 'react-dom/server'
import { StaticRouter } from 'react-router-dom'
import { App } from './App.tsx'
import { GivenPageContext } from './api/givenPage.tsx'
import { product } from './content/product.ts'
import { type Head, headOf } from './features/storefront/head.ts'
import type { Page } from './features/storefront/page.ts'
import { preload } from './router.tsx'

/** A page of the marketplace as the gateway sends it, with marks where the installation's name and address go. */
export type Drawn = { status: number; head: string; body: string; after: string } | { status: 301; path: string }

/** Whole and at once: its rows are known, and the code of the page is loaded first. */
export async function drawPage(address: string, page: Page): Promise<Drawn> {
  if (page.kind === 'moved') return { status: 301, path: page.path }
  await preload(address.replace(/\?.*/s, ''))
  const drawn = renderToString(
    <GivenPageContext value={{ address, data: page }}>
      <StaticRouter location={address}>
        <App />
      </StaticRouter>
    </GivenPageContext>,
  )
  // Asked for before the font and the script: the first picture is what a visitor waits for, and takes the connection that is open.
  const [pictures = ''] = /^(?:<link rel="preload" as="image"[^>]*>)*/.exec(drawn) ?? []
  const body = drawn.slice(pictures.length)
  const given = `<script type="application/json" id="given-page">${json({ address, data: page })}</script>`
  const missing = page.kind === 'missing'
  return { status: missing ? 404 : 200, head: pictures + headHtml(headOf(page, product.name)!, address, missing), body, after: given }
}

/** Inside a script element: nothing in it ends the element or begins a comment, and old parsers see no line end. */
const json = (value: unknown) =>
  JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const text = (value: string) => value.replaceAll(/[&<>"']/g, (sign) => entities[sign]!)

function headHtml({ title, description, path, type, structured, picture }: Head, address: string, missing: boolean): string {
  const titles = `<title>${text(title)}</title>`
  if (missing) return `${titles}<meta name="robots" content="noindex" />`
  const url = `__PUBLIC_URL__${text(path)}`
  return [
    titles,
    `<meta name="description" content="${text(description)}" />`,
    `<link rel="canonical" href="${url}" /><meta property="og:url" content="${url}" />`,
    // A search or a later page is for people; search engines keep the place itself.
    address.includes('?') ? '<meta name="robots" content="noindex, follow" />' : '',
    `<meta property="og:type" content="${type}" /><meta property="og:site_name" content="${text(product.name)}" />`,
    `<meta property="og:title" content="${text(title)}" /><meta property="og:description" content="${text(description)}" />`,
    `<meta property="og:image" content="__PUBLIC_URL__${text(picture ?? '/og.png')}" />`,
    picture ? '' : '<meta property="og:image:width" content="1200" /><meta property="og:image:height" content="630" />',
    '<meta name="twitter:card" content="summary_large_image" />',
    structured ? `<script type="application/ld+json">${json(structured)}</script>` : '',
  ].join('')
}
