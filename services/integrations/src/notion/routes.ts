import * as api from '@operon/contracts/integrations/notion'
import * as rows from '@operon/contracts/integrations/notion-rows'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { CallApp } from '../connections/call.ts'
import type { IntegrationsDb } from '../schema.ts'
import { findPages, showPage, updatePage } from './pages.ts'
import { listChanges, listColumns, writeRow } from './rows.ts'

export function notionRoutes(app: Runtime<IntegrationsDb, Config>['app'], call: CallApp) {
  serve(app, api.findNotionPages, (ctx, input) => findPages(ctx, input, call))
  serve(app, api.showNotionPage, (ctx, input) => showPage(ctx, input, call))
  serve(app, api.updateNotionPage, (ctx, input) => updatePage(ctx, input, call))
  serve(app, rows.listNotionColumns, (ctx, input) => listColumns(ctx, input, call))
  serve(app, rows.listNotionChanges, (ctx, input) => listChanges(ctx, input, call))
  serve(app, rows.writeNotionRow, (ctx, input) => writeRow(ctx, input, call))
}
