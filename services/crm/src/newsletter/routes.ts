import {
  newsletterConfirm,
  newsletterConfirmPage,
  newsletterSubscribe,
  newsletterUnsubscribe,
  newsletterUnsubscribePage,
} from '@operon/contracts/crm/api'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { serve, serveRaw } from '@operon/kit/http'
import { sendPage } from '@operon/kit/page'
import type { Runtime } from '@operon/kit/service'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { confirm, subscribe, unsubscribe } from './newsletter.ts'

export function newsletterRoutes(rt: Runtime<CrmDb, Config>) {
  const product = rt.kit.PRODUCT_NAME
  const ask = { title: 'Confirm your subscription', text: `You will get product news from ${product}.`, button: 'Confirm' }
  const leave = { title: 'Unsubscribe', text: `You will get no more ${product} newsletters.`, button: 'Unsubscribe' }
  serve(rt.app, newsletterSubscribe, subscribe(rt))
  serveRaw(rt.app, newsletterConfirmPage, async (_ctx, { token }, reply) =>
    sendPage(reply, question(product, newsletterConfirmPage.path, token, ask)),
  )
  serveRaw(rt.app, newsletterConfirm, (ctx, input, reply, request) =>
    answer(product, request, reply, () => confirm(ctx as Ctx<CrmDb>, input.token)),
  )
  serveRaw(rt.app, newsletterUnsubscribePage, async (_ctx, { token }, reply) =>
    sendPage(reply, question(product, newsletterUnsubscribePage.path, token, leave)),
  )
  serveRaw(rt.app, newsletterUnsubscribe, (ctx, input, reply, request) =>
    answer(product, request, reply, () => unsubscribe(ctx as Ctx<CrmDb>, input.token)),
  )
}

type Words = { title: string; text: string; button: string }
const question = (product: string, action: string, token: string, { button, ...words }: Words) => ({
  product,
  ...words,
  form: { action, hidden: { token }, button },
})

/** The form of the page gets a page; programs get JSON. */
async function answer(product: string, request: FastifyRequest, reply: FastifyReply, run: () => Promise<{ ok: boolean; message: string }>) {
  if (!request.headers.accept?.includes('text/html')) return reply.send(await run())
  try {
    const { message } = await run()
    return sendPage(reply, { product, title: 'Done', text: message })
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return sendPage(reply, { product, title: 'That did not work', text: error.message }, { status: error.status })
  }
}
