import { accountErasures } from '@operon/contracts/erasure'
import * as identity from '@operon/contracts/identity'
import { serve } from '@operon/kit/http'
import { type Deps, withDeps } from '../deps.ts'
import { deleteAccount, exportAccount, listAudit, listSessions, revokeSession, syncSignUp } from './account.ts'
import { demoSignIn } from './demo.ts'
import { erasureConsumers, listErasures } from './erasures.ts'

export function accountRoutes(deps: Deps) {
  const { app } = deps.rt
  const run = withDeps(deps)
  serve(app, identity.tableSync, run(syncSignUp))
  serve(app, identity.accountSessions, run(listSessions))
  serve(app, identity.accountSessionRevoke, run(revokeSession))
  serve(app, identity.accountAudit, run(listAudit))
  serve(app, identity.accountExport, run(exportAccount))
  serve(app, identity.accountDelete, run(deleteAccount))
  serve(app, accountErasures, run(listErasures))
  serve(app, identity.demoSignIn, run(demoSignIn))
  erasureConsumers(deps)
}
