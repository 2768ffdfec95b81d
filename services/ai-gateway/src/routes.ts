import * as contract from '@operon/contracts/ai-gateway/api'
import * as tools from '@operon/contracts/ai-gateway/tools'
import { signedIn } from '@operon/kit/context'
import { serve, serveRaw } from '@operon/kit/http'
import type { FastifyInstance } from 'fastify'
import type { TurnDeps } from './chat/turn.ts'
import { checkDomains, type DomainDeps } from './domains/domains.ts'
import { orchestrate } from './orchestrator/orchestrator.ts'
import { estimate, usage } from './usage/usage.ts'

export function toolRoutes(app: FastifyInstance, deps: TurnDeps, domains: DomainDeps) {
  serveRaw(app, contract.aiOrchestrator, (ctx, input, reply) => orchestrate(deps, ctx, input, reply))
  serve(app, tools.checkDomains, (ctx, input) => checkDomains(domains, input, signedIn(ctx).id))
  serve(app, contract.aiEstimate, (ctx, input) => estimate(deps, ctx, input))
  serve(app, contract.aiUsage, (ctx) => usage(deps, ctx))
}
