import * as contract from '@operon/contracts/ai-gateway/approvals'
import { connectionChanged } from '@operon/contracts/integrations/events'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { AiDb } from '../schema.ts'
import { type Approvals, approve, dismiss, edit, propose, undo } from './approvals.ts'
import { Runner } from './run.ts'

export function approvalRoutes(rt: Runtime<AiDb, any>): Approvals {
  const approvals = { rt, runner: new Runner(rt) }
  rt.onStop(() => approvals.runner.finish())
  serve(rt.app, contract.proposeActions, async (ctx, input) => ({ approval: await propose(approvals, ctx, input) }))
  serve(rt.app, contract.approveActions, async (ctx, { approval_id }) => ({ approval: await approve(approvals, ctx, approval_id) }))
  serve(rt.app, contract.editProposal, async (ctx, input) => ({ approval: await edit(approvals, ctx, input) }))
  serve(rt.app, contract.undoAction, async (ctx, input) => ({ approval: await undo(approvals, ctx, input) }))
  serveTable(rt.app, contract.approvals, { scope: (ctx) => ({ user_id: signedIn(ctx).id }), update: dismiss })
  rt.on(connectionChanged, 'project-connections', async (trx, { user_id, payload: { service_name: app, version, status } }) => {
    if (!user_id) return
    const row = { version, connected: status === 'connected' }
    await trx
      .insertInto('ai_connections')
      .values({ user_id, app, ...row })
      .onConflict((conflict) => conflict.columns(['user_id', 'app']).doUpdateSet(row).where('ai_connections.version', '<', version))
      .execute()
  })
  return approvals
}
