import type { KitConfig } from '@operon/kit/config'
import { asset, compressed, sendAsset } from './assets.ts'
import type { Page } from './handle.ts'
import type { RawHeaders } from './headers.ts'
import { openApi } from './openapi.ts'
import type { Spoken } from './routes.ts'
import type { Json } from './schemas.ts'

/** `/openapi.json` and `/docs`, both made from the contracts. */
export function referencePages({ config, spoken }: { config: KitConfig; spoken: Spoken[] }): Map<string, Page> {
  const document = openApi(config, spoken)
  const serve = (text: string, type: string, headers: RawHeaders): Page => {
    const body = Buffer.from(text)
    const page = asset(body, type, 'no-cache', compressed(body))
    return (call) => sendAsset(call, page, 200, headers)
  }
  const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
  return new Map<string, Page>([
    ['/openapi.json', serve(JSON.stringify(document), 'application/json; charset=utf-8', ['access-control-allow-origin', '*'])],
    ['/docs', serve(docsPage(document), 'text/html; charset=utf-8', ['content-security-policy', policy])],
  ])
}

function docsPage(document: Json): string {
  const { title } = document.info as { title: string }
  const rows: string[] = []
  let service = ''
  for (const [path, methods] of Object.entries(document.paths as Record<string, Json>)) {
    for (const [method, operation] of Object.entries(methods as Record<string, Json>)) {
      const [tag = ''] = operation.tags as string[]
      if (tag !== service) rows.push(`<h2>${escaped(tag)}</h2>`)
      service = tag
      rows.push(operationHtml(method, path, operation))
    }
  }
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)} API</title><style>${style}</style>
<main><h1>${escaped(title)} API</h1><p>Made from the contracts that the services run by. The same as a document: <a href="/openapi.json">/openapi.json</a>.
Send the access token as <code>Authorization: Bearer</code>, the publishable key as <code>apikey</code>.</p>${rows.join('\n')}
<h2>Components</h2>${componentsHtml(document)}</main></html>`
}

function operationHtml(method: string, path: string, operation: Json): string {
  const details = { parameters: operation.parameters, requestBody: operation.requestBody, responses: operation.responses }
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code> <i>${escaped(String(operation['x-access']))} · ${escaped(String(operation['x-rate']))}</i>
<span>${escaped(String(operation.summary ?? ''))}</span></summary><pre>${jsonHtml(details)}</pre></details>`
}

const componentsHtml = ({ components }: Json): string =>
  ['schemas', 'parameters', 'responses']
    .flatMap((kind) => Object.entries((components as Json)[kind] as Json).map(([name, value]) => [`${kind}/${name}`, value] as const))
    .map(
      ([at, value]) => `<details id="${escaped(at)}"><summary><code>${escaped(at)}</code></summary><pre>${jsonHtml(value)}</pre></details>`,
    )
    .join('\n')

/** References lead to what they refer to. */
const jsonHtml = (value: unknown): string =>
  escaped(JSON.stringify(value, null, 1)).replaceAll(/&quot;#\/components\/([\w./-]+)&quot;/g, '<a href="#$1">$1</a>')

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const style = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}main{max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{margin-top:2.5rem;font-size:1.1rem}details{border-top:1px solid #8884;padding:.4rem 0}summary{cursor:pointer}summary b{display:inline-block;width:4.2rem}
summary i{opacity:.7;font-size:.85em;margin-left:.5rem}summary span{display:block;opacity:.8;margin-left:4.6rem}pre{overflow:auto;font-size:12px;padding:1rem;background:#8882;border-radius:6px}`
