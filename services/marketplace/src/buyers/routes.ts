import * as buyers from '@operon/contracts/marketplace/buyers'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { serve, serveRaw } from '@operon/kit/http'
import type { Mailer } from '@operon/kit/mail/mailer'
import { sendPage } from '@operon/kit/page'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { changeSearch, mySearches, saveSearch, sendSearchLetter, stopSearch, sweepSearches } from './searches.ts'
import { buyerOverview, isSaved, myWishlist, saveItem } from './wishlist.ts'

const EVERY_MS = 15 * 60_000

export function buyerRoutes(rt: Runtime<MarketplaceDb, Config>, mailer: Mailer) {
  const { app, kit } = rt
  serve(app, buyers.buyerOverview, buyerOverview)
  serve(app, buyers.saveItem, saveItem)
  serve(app, buyers.isSaved, isSaved)
  serve(app, buyers.myWishlist, myWishlist)
  serve(app, buyers.saveSearch, saveSearch)
  serve(app, buyers.mySearches, mySearches)
  serve(app, buyers.changeSearch, changeSearch)
  const stop = stopSearch(rt)
  const product = kit.PRODUCT_NAME
  const form = (token: string) => ({ action: buyers.searchUnsubscribe.path, hidden: { token }, button: 'Stop these emails' })
  serveRaw(app, buyers.searchUnsubscribePage, async (_ctx, { token }, reply) =>
    sendPage(reply, {
      product,
      title: 'Stop these emails?',
      text: 'You will get no more emails about this saved search.',
      form: form(token),
    }),
  )
  serveRaw(app, buyers.searchUnsubscribe, async (ctx, { token }, reply, request) => {
    // Mail programs post one click and read no page.
    if (!request.headers.accept?.includes('text/html')) return reply.send(await stop(ctx as Ctx<MarketplaceDb>, token ?? ''))
    try {
      const { message } = await stop(ctx as Ctx<MarketplaceDb>, token ?? '')
      return sendPage(reply, { product, title: 'Done', text: message })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return sendPage(reply, { product, title: 'That did not work', text: error.message }, { status: error.status })
    }
  })
  const send = sendSearchLetter(rt, mailer)
  rt.job(buyers.searchLetter, (ctx, { id, payload }) => send(ctx, id, payload))
  rt.job(buyers.sweepSearches, sweepSearches, { concurrency: 1, everyMs: EVERY_MS })
}
