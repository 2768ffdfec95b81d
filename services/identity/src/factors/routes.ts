import * as identity from '@operon/contracts/identity/api'
import * as auth from '@operon/contracts/identity/auth'
import { type Deps, routing } from '../deps.ts'
import { challengeFactor, enrolFactor, removeFactor, verifyFactor } from './factors.ts'
import { makeRecoveryCodes, useRecoveryCode } from './recovery-codes.ts'

export function factorRoutes(deps: Deps) {
  const { route } = routing(deps)
  route(auth.enrolFactor, enrolFactor)
  route(auth.challengeFactor, challengeFactor)
  route(auth.verifyFactor, verifyFactor)
  route(auth.removeFactor, removeFactor)
  route(identity.accountRecoveryCodes, makeRecoveryCodes)
  route(identity.accountRecoveryUse, useRecoveryCode)
}
