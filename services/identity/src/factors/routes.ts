import * as identity from '@operon/contracts/identity/api'
import * as auth from '@operon/contracts/identity/auth'
import { serveRaw } from '@operon/kit/http'
import { sendPage } from '@operon/kit/page'
import { type Deps, routing } from '../deps.ts'
import { challengeFactor, enrolFactor, removeFactor, verifyFactor } from './factors.ts'
import { beginRecovery, showRecovery, stopByLink, stopPage, stopRecovery } from './recovery.ts'
import { makeRecoveryCodes, useRecoveryCode } from './recovery-codes.ts'

export function factorRoutes(deps: Deps) {
  const { app, run, route } = routing(deps)
  route(auth.enrolFactor, enrolFactor)
  route(auth.challengeFactor, challengeFactor)
  route(auth.verifyFactor, verifyFactor)
  route(auth.removeFactor, removeFactor)
  route(identity.accountRecoveryCodes, makeRecoveryCodes)
  route(identity.accountRecoveryUse, useRecoveryCode)
  route(identity.accountFactorRecovery, showRecovery)
  route(identity.accountFactorRecoveryBegin, beginRecovery)
  route(identity.accountFactorRecoveryStop, stopRecovery)
  serveRaw(app, auth.stopFactorRecoveryPage, async (ctx, input, reply) => sendPage(reply, await run(stopPage)(ctx, input)))
  serveRaw(app, auth.stopFactorRecovery, async (ctx, input, reply) => sendPage(reply, await run(stopByLink)(ctx, input)))
}
