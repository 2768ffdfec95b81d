import { accountErasures } from '@operon/contracts/erasure'
import * as identity from '@operon/contracts/identity/api'
import * as exports from '@operon/contracts/identity/exports'
import { serveRaw } from '@operon/kit/http'
import { type Deps, routing } from '../deps.ts'
import { deleteAccount, listAudit, listSessions, revokeSession, syncSignUp } from './account.ts'
import { demoSignIn } from './demo.ts'
import { erasureConsumers, listErasures } from './erasures.ts'
import { exportAccount } from './export.ts'
import { beginExport, listExports, openExport } from './exports.ts'

export function accountRoutes(deps: Deps) {
  const { app, route, run } = routing(deps)
  route(identity.tableSync, syncSignUp)
  route(identity.accountSessions, listSessions)
  route(identity.accountSessionRevoke, revokeSession)
  route(identity.accountAudit, listAudit)
  serveRaw(app, exports.accountExport, async (ctx, input, reply) =>
    reply.type('application/json').send(await run(exportAccount)(ctx, input)),
  )
  route(exports.accountExportBegin, beginExport)
  route(exports.accountExports, listExports)
  route(exports.accountExportOpen, openExport)
  route(identity.accountDelete, deleteAccount)
  route(accountErasures, listErasures)
  route(identity.demoSignIn, demoSignIn)
  erasureConsumers(deps)
}
