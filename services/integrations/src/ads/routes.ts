import * as rules from '@operon/contracts/integrations/ad-rules'
import * as api from '@operon/contracts/integrations/ads'
import { adRuleSweep } from '@operon/contracts/integrations/events'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { CallApp } from '../connections/call.ts'
import type { IntegrationsDb } from '../schema.ts'
import { changeAd, createAd, previewAd, previewChange } from './changes.ts'
import { analytics, listAds, openAdLists } from './lists.ts'
import { applyRules, createRule, deleteRule, listRules } from './rules.ts'

export function adRoutes(rt: Runtime<IntegrationsDb, Config>, call: CallApp) {
  const { app } = rt
  const lists = openAdLists(rt.db, call)
  serve(app, api.metaAdsAnalytics, (ctx, input) => analytics(ctx, input, lists))
  serve(app, api.listAds, (ctx, input) => listAds(ctx, input, lists))
  serve(app, api.previewAdChange, (ctx, input) => previewChange(ctx, input, lists, call))
  serve(app, api.changeAd, (ctx, input) => changeAd(ctx, input, lists, call))
  serve(app, api.previewAd, (ctx, input) => previewAd(ctx, input, lists, call))
  serve(app, api.metaAdsCreate, (ctx, input) => createAd(ctx, input, lists, call))
  serve(app, rules.listAdRules, listRules)
  serve(app, rules.createAdRule, (ctx, input) => createRule(ctx, input, lists))
  serve(app, rules.deleteAdRule, deleteRule)
  rt.job(adRuleSweep, () => applyRules(rt, lists, call), { everyMs: 120_000 })
}
