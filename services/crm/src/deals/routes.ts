import * as deal from '@operon/contracts/crm/deals'
import { forgetDeletedDeals } from '@operon/contracts/crm/events'
import * as pipeline from '@operon/contracts/crm/pipelines'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'
import { closeDeal, createDeal, moveDeal, undoDealChange, updateDeal } from './change.ts'
import { deleteDeal, forgetDeleted, restoreDeal } from './delete.ts'
import { findDeals, showDeal } from './find.ts'
import { createPipeline, deletePipeline, showBoard, updatePipeline } from './pipelines.ts'

export function dealRoutes(rt: Runtime<CrmDb>) {
  const { app } = rt
  serve(app, deal.createDeal, createDeal)
  serve(app, deal.updateDeal, updateDeal)
  serve(app, deal.moveDeal, moveDeal)
  serve(app, deal.closeDeal, closeDeal)
  serve(app, deal.undoDealChange, undoDealChange)
  serve(app, deal.deleteDeal, deleteDeal)
  serve(app, deal.restoreDeal, restoreDeal)
  serve(app, deal.findDeals, findDeals)
  serve(app, deal.showDeal, showDeal)
  serve(app, pipeline.showBoard, showBoard)
  serve(app, pipeline.createPipeline, createPipeline)
  serve(app, pipeline.updatePipeline, updatePipeline)
  serve(app, pipeline.deletePipeline, deletePipeline)
  rt.job(forgetDeletedDeals, forgetDeleted, { cron: '47 3 * * *' })
}
