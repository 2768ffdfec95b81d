import { prerender } from 'react-dom/static'
import { StaticRouter } from 'react-router-dom'
import { App } from './App.tsx'
import { prerenderedFrames, prerenderedPages } from './content/pages.ts'
import { product } from './content/product.ts'
import { appRoutes } from './router.tsx'
import { samplePages } from './samplePages.ts'

export const site = { pages: prerenderedPages, frames: prerenderedFrames, product, appRoutes, samplePages }

/** The page as HTML, whole: nothing streams in later, so no inline script is needed. */
export async function renderPage(path: string): Promise<string> {
  const failures: unknown[] = []
  const { prelude } = await prerender(
    <StaticRouter location={path}>
      <App />
    </StaticRouter>,
    { progressiveChunkSize: Number.POSITIVE_INFINITY, onError: (error) => void failures.push(error) },
  )
  const html = await new Response(prelude).text()
  if (failures.length) throw new AggregateError(failures, `Prerendering ${path} failed`)
  return html
}
