import * as jobs from '@operon/contracts/crm/events'
import * as contract from '@operon/contracts/crm/notion-sync'
import { connectionChanged } from '@operon/contracts/integrations/events'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { enqueue } from '@operon/kit/tx'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { runSync, syncsDue } from './run.ts'
import { listConflicts, propose, settle, showSync, start, stop, syncNow } from './syncs.ts'

export function notionSyncRoutes(rt: Runtime<CrmDb, Config>) {
  const { app } = rt
  serve(app, contract.showNotionSync, showSync)
  serve(app, contract.proposeNotionSync, (ctx, input) => propose(ctx, input, rt))
  serve(app, contract.startNotionSync, (ctx, input) => start(ctx, input, rt))
  serve(app, contract.stopNotionSync, stop)
  serve(app, contract.runNotionSync, syncNow)
  serve(app, contract.listNotionConflicts, listConflicts)
  serve(app, contract.settleNotionConflict, settle)
  rt.on(connectionChanged, 'sync-notion', async (trx, { user_id, payload }) => {
    if (!user_id || payload.service_name !== 'notion' || payload.status !== 'connected') return
    const known = await trx.selectFrom('notion_syncs').select('id').where('user_id', '=', user_id).execute()
    for (const { id } of known) await enqueue(trx, jobs.syncNotion, { sync_id: id }, { userId: user_id })
  })
  rt.job(jobs.syncNotion, ({ db }, { payload }) => runSync(db, rt, payload.sync_id))
  rt.job(jobs.notionDue, (ctx) => syncsDue(ctx), { everyMs: 60_000 })
}
