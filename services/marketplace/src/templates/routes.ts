import * as contract from '@operon/contracts/marketplace/templates'
import { serve, serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { sendFree, templateLibrary } from './list.ts'
import { seedLibrary } from './seed.ts'

export function templateRoutes(rt: Runtime<MarketplaceDb, Config>) {
  serve(rt.app, contract.templateLibrary, templateLibrary)
  serveRaw(rt.app, contract.freeDownload, sendFree(rt))
  if (rt.config.TEMPLATE_LIBRARY === 'on') rt.onStart(() => seedLibrary(rt))
}
