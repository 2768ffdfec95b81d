import * as contract from '@operon/contracts/identity/passkeys'
import { type Deps, routing } from '../deps.ts'
import { addPasskey, askPasskey, beginPasskey, listPasskeys, removePasskey, renamePasskey, signInWithPasskey } from './passkeys.ts'

export function passkeyRoutes(deps: Deps) {
  const { route } = routing(deps)
  route(contract.beginPasskey, beginPasskey)
  route(contract.addPasskey, addPasskey)
  route(contract.askPasskey, askPasskey)
  route(contract.signInWithPasskey, signInWithPasskey)
  route(contract.listPasskeys, listPasskeys)
  route(contract.renamePasskey, renamePasskey)
  route(contract.removePasskey, removePasskey)
}
