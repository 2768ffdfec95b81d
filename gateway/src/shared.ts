import { sharedPage } from '@operon/contracts/media/events'
import type { Bus } from '@operon/kit/bus/bus'
import { askOver } from '@operon/kit/requests'
import type { Infra } from '@operon/kit/service'
import { type Asset, asset } from './assets.ts'
import { escaped, type Found } from './frames.ts'

type SharedPicture = { url: string; width: number; height: number }
export type SharedAt = (token: string) => Promise<SharedPicture | null>

const MOST_AT_ONCE = 32
const LONGEST_TOKEN = 100

/**
 * The page behind a public link of a picture: with its preview for whoever passes the link on, and 404 once it was revoked. It is asked for
 * each time. Where media does not answer, the app is sent and asks by itself.
 */
export function sharedPages(
  sharedAt: SharedAt,
  { productName, failed }: { productName: string; failed: (error: unknown, path: string) => void },
) {
  let running = 0
  return (path: string, app: Asset): Promise<Found> | null => {
    const token = /^\/shared\/image\/([\w-]+)$/.exec(path)?.[1]
    if (!token || running >= MOST_AT_ONCE) return null
    if (token.length > LONGEST_TOKEN) return Promise.resolve({ asset: app, status: 404 })
    running++
    return sharedAt(token)
      .then((picture) => (picture ? { asset: withPreview(app, picture, productName), status: 200 } : { asset: app, status: 404 }))
      .catch((error: unknown) => {
        failed(error, path)
        return { asset: app, status: 200 }
      })
      .finally(() => {
        running--
      })
  }
}

function withPreview(app: Asset, { url, width, height }: SharedPicture, productName: string): Asset {
  const tags = [
    ['og:type', 'website'],
    ['og:site_name', productName],
    ['og:title', `Shared image · ${productName}`],
    ['og:image', url],
    ['og:image:width', String(width)],
    ['og:image:height', String(height)],
  ]
    .map(([name, value]) => `<meta property="${name}" content="${escaped(value!)}" />`)
    .join('')
  const more = `${tags}<meta name="twitter:card" content="summary_large_image" /><meta name="robots" content="noindex" /></head>`
  return asset(Buffer.from(app.body.toString('utf8').replace('</head>', () => more)), 'text/html; charset=utf-8', 'no-store', {})
}

/** Asks media, in less time than a reader would notice. */
export const sharedByMedia =
  ({ vault }: Infra, bus: Bus): SharedAt =>
  (token) =>
    askOver({ bus, vault }, sharedPage, { token }, { deadlineMs: 500 }).then(({ picture }) => picture)
