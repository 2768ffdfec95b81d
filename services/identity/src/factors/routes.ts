import * as identity from '@operon/contracts/identity'
import * as auth from '@operon/contracts/identity-auth'
import { serve } from '@operon/kit/http'
import { type Deps, withDeps } from '../deps.ts'
import { challengeFactor, enrolFactor, removeFactor, verifyFactor } from './factors.ts'
import { makeRecoveryCodes, useRecoveryCode } from './recovery-codes.ts'

export function factorRoutes(deps: Deps) {
  const { app } = deps.rt
  const run = withDeps(deps)
  serve(app, auth.enrolFactor, run(enrolFactor))
  serve(app, auth.challengeFactor, run(challengeFactor))
  serve(app, auth.verifyFactor, run(verifyFactor))
  serve(app, auth.removeFactor, run(removeFactor))
  serve(app, identity.accountRecoveryCodes, run(makeRecoveryCodes))
  serve(app, identity.accountRecoveryUse, run(useRecoveryCode))
}
