import * as identity from '@operon/contracts/identity'
import { serve } from '@operon/kit/http'
import { type Deps, withDeps } from '../deps.ts'
import { challengeFactor, enrolFactor, removeFactor, verifyFactor } from './factors.ts'
import { makeRecoveryCodes, useRecoveryCode } from './recovery-codes.ts'

export function factorRoutes(deps: Deps) {
  const { app } = deps.rt
  const run = withDeps(deps)
  serve(app, identity.enrolFactor, run(enrolFactor))
  serve(app, identity.challengeFactor, run(challengeFactor))
  serve(app, identity.verifyFactor, run(verifyFactor))
  serve(app, identity.removeFactor, run(removeFactor))
  serve(app, identity.accountRecoveryCodes, run(makeRecoveryCodes))
  serve(app, identity.accountRecoveryUse, run(useRecoveryCode))
}
