import * as threads from '@operon/contracts/marketplace/threads'
import { serve, serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { takeMail, takingInbound } from './relay.ts'
import { listOwnThreads, listThreads, orderMessages, showThread, threadFile } from './threads.ts'
import { answerMessage, askSeller, messageSeller, messageSellerFiles, orderOfGuest } from './write.ts'

export function threadRoutes(rt: Runtime<MarketplaceDb, Config>) {
  const { app } = rt
  serve(app, threads.listThreads, listThreads)
  serve(app, threads.listOwnThreads, listOwnThreads)
  serve(app, threads.showThread, showThread)
  serve(app, threads.answerMessage, answerMessage)
  serve(app, threads.messageSeller, messageSeller(rt))
  serveRaw(app, threads.messageSellerFiles, messageSellerFiles(rt), (ctx, form) => orderOfGuest(rt.vault, ctx, form))
  serve(app, threads.askSeller, askSeller)
  serve(app, threads.orderMessages, orderMessages(rt))
  serve(app, threads.threadFile, threadFile(rt))
  serveRaw(app, threads.mailWebhook, takeMail(rt), async (_ctx, _mail, request) => takingInbound(rt, request))
}
