import type { Endpoint, Input, Output } from '@operon/contracts/contract'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { serve } from '@operon/kit/http'
import type { Mailer } from '@operon/kit/mail/mailer'
import type { Texter } from '@operon/kit/mail/texts'
import type { Runtime } from '@operon/kit/service'
import type { IdentityConfig } from './config.ts'
import type { Keys } from './keys/keys.ts'
import type { Providers } from './oauth/providers.ts'
import type { Hasher } from './passwords/hashing.ts'
import type { IdentityDb } from './schema.ts'

/** The tools of identity's domain functions, beside the call's context. */
export type Deps = {
  rt: Runtime<IdentityDb, IdentityConfig>
  config: IdentityConfig
  keys: Keys
  hasher: Hasher
  oauth: Providers
  mailer: Mailer
  texter: Texter
}
export type AuthCtx = Ctx<IdentityDb> & { deps: Deps }

/** A refusal in the words and codes of the auth protocol. */
export const refuse = (status: number, code: string, message: string, more: { details?: unknown; headers?: Record<string, string> } = {}) =>
  new DomainError(code, { status, message, ...more })

export const invalid = (message: string) => refuse(400, 'validation_failed', message)

/** One domain function as a handler: the route stays one line. */
export const withDeps =
  (deps: Deps) =>
  <I, O>(run: (ctx: AuthCtx, input: I) => Promise<O>) =>
  (ctx: Ctx<any>, input: I): Promise<O> =>
    run(Object.assign(ctx, { deps }), input)

/** How a feature's routes begin: `route(contract, domainFunction)` is one line each; `run` is for those that write their answer themselves. */
export function routing(deps: Deps) {
  const run = withDeps(deps)
  const route = <E extends Endpoint>(contract: E, domain: (ctx: AuthCtx, input: Input<E>) => Promise<Output<E>>) =>
    serve(deps.rt.app, contract, run(domain))
  return { app: deps.rt.app, run, route }
}
