import type { IncomingHttpHeaders } from 'node:http'
import {
  buyNow as buyNowContract,
  storefrontPage as pageContract,
  productPicture,
  storefrontSitemap as sitemapContract,
  storefrontPageRequest,
} from '@operon/contracts/marketplace/storefront'
import { DomainError } from '@operon/kit/errors'
import { serve, serveRaw } from '@operon/kit/http'
import { sendPage } from '@operon/kit/page'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import { startCheckout } from '../orders/checkout.ts'
import type { MarketplaceDb } from '../schema.ts'
import { pictureCopies } from './copies.ts'
import { storefrontPage } from './page.ts'
import { sendPicture } from './pictures.ts'
import { sitemapOf } from './sitemap.ts'

export function storefrontRoutes(rt: Runtime<MarketplaceDb, Config>) {
  const { app, answer, kit } = rt
  answer(storefrontPageRequest, storefrontPage)
  serve(app, pageContract, storefrontPage)
  serveRaw(app, sitemapContract, async ({ db }, _input, reply) =>
    reply
      .header('content-type', 'application/xml; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(await sitemapOf(db, kit.PUBLIC_URL)),
  )
  serveRaw(app, productPicture, sendPicture(rt))
  pictureCopies(rt)
  const checkout = startCheckout(rt)
  serveRaw(app, buyNowContract, async (ctx, { item_id }, reply, request) => {
    if (!isOwnForm(request.headers, kit.PUBLIC_URL)) throw new DomainError('forbidden')
    try {
      const { url } = await checkout(ctx, { item_id })
      return reply.code(303).header('location', url).header('cache-control', 'no-store').send()
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      const page = { product: kit.PRODUCT_NAME, title: 'Checkout did not open', text: error.message }
      return sendPage(reply, page, { status: error.status })
    }
  })
}

/** A form on another site must not open checkouts in a visitor's name. Browsers say where a form comes from; no page can say otherwise. */
function isOwnForm(headers: IncomingHttpHeaders, publicUrl: string) {
  return headers['sec-fetch-site'] === 'same-origin' || headers.origin === new URL(publicUrl).origin
}
