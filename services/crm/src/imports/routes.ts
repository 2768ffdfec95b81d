import { forgetImports, workOnImport as work } from '@operon/contracts/crm/events'
import * as contract from '@operon/contracts/crm/imports'
import { serve, serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'
import { exportContacts } from './export.ts'
import { checkImport, forgetOldImports, listImports, runImport, showImport, stageImport, startImport, undoImport } from './imports.ts'
import { workOnImport } from './merge.ts'

export function importRoutes(rt: Runtime<CrmDb>) {
  const { app } = rt
  serve(app, contract.startImport, startImport)
  serve(app, contract.stageImport, stageImport)
  serve(app, contract.checkImport, checkImport)
  serve(app, contract.runImport, runImport)
  serve(app, contract.undoImport, undoImport)
  serve(app, contract.showImport, showImport)
  serve(app, contract.listImports, listImports)
  serveRaw(app, contract.exportContacts, exportContacts)
  rt.job(work, (ctx, { payload }) => workOnImport(ctx, payload.import_id))
  rt.job(forgetImports, forgetOldImports, { cron: '53 3 * * *' })
}
