import { readFileSync } from 'node:fs'
import type { KitConfig } from '@operon/kit/config'
import { asset, compressed, sendAsset } from './assets.ts'
import { docsPage } from './docs/page.ts'
import type { Page } from './handle.ts'
import type { RawHeaders } from './headers.ts'
import { openApi } from './openapi.ts'
import type { Spoken } from './routes.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
const beside = (name: string) => new URL(`docs/${name}`, import.meta.url)
const font = (name: string) => new URL(import.meta.resolve(`@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`))

/** `/openapi.json` and `/docs`, both made from the contracts. */
export function referencePages({ config, spoken }: { config: KitConfig; spoken: Spoken[] }): Map<string, Page> {
  const document = openApi(config, spoken)
  const serve = (body: Buffer, type: string, headers: RawHeaders = [], encoded = compressed(body)): Page => {
    const page = asset(body, type, 'no-cache', encoded)
    return (call) => sendAsset(call, page, 200, headers)
  }
  const told = {
    document,
    product: config.PRODUCT_NAME,
    publicUrl: config.PUBLIC_URL,
    publishableKey: config.PUBLISHABLE_KEYS.split(',')[0]!,
  }
  return new Map<string, Page>([
    [
      '/openapi.json',
      serve(Buffer.from(JSON.stringify(document)), 'application/json; charset=utf-8', ['access-control-allow-origin', '*']),
    ],
    ['/docs', serve(Buffer.from(docsPage(told)), 'text/html; charset=utf-8', ['content-security-policy', POLICY])],
    ['/docs/docs.css', serve(readFileSync(beside('docs.css')), 'text/css; charset=utf-8')],
    ['/docs/docs.js', serve(readFileSync(beside('docs.js')), 'text/javascript; charset=utf-8')],
    ...['instrument-sans', 'geist-mono'].map(
      (name) => [`/docs/${name}.woff2`, serve(readFileSync(font(name)), 'font/woff2', [], {})] as [string, Page],
    ),
  ])
}
