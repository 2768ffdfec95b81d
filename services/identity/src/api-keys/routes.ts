import * as contract from '@operon/contracts/identity/keys'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { type Deps, routing } from '../deps.ts'
import { adoptKeys, createKey, findKey, listScopes, revokeKey } from './api-keys.ts'

export function apiKeyRoutes(deps: Deps) {
  const { app, run, route } = routing(deps)
  route(contract.aiKeyCreate, createKey)
  route(contract.aiKeyRevoke, revokeKey)
  route(contract.aiKeyScopes, listScopes)
  serveTable(app, contract.aiKeys, { scope: (ctx) => ({ user_id: signedIn(ctx).id }) })
  deps.rt.answer(contract.findKey, run(findKey))
  deps.rt.answer(contract.adoptKeys, run(adoptKeys))
}
