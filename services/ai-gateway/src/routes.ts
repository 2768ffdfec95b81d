import * as contract from '@operon/contracts/ai-gateway/api'
import * as tables from '@operon/contracts/ai-gateway/tables'
import * as tools from '@operon/contracts/ai-gateway/tools'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve, serveRaw } from '@operon/kit/http'
import type { FastifyInstance } from 'fastify'
import { checkDomains, type DomainDeps } from './domains/domains.ts'
import { dismissActions, runAction } from './orchestrator/actions.ts'
import { type OrchestratorDeps, orchestrate } from './orchestrator/orchestrator.ts'
import { estimate, usage } from './usage/usage.ts'

export function toolRoutes(app: FastifyInstance, deps: OrchestratorDeps, domains: DomainDeps) {
  serveRaw(app, contract.aiOrchestrator, (ctx, input, reply) => orchestrate(deps, ctx, input, reply))
  serve(app, contract.aiRunAction, (ctx, input) => runAction(deps, ctx, input))
  serveTable(app, tables.actions, { scope: (ctx) => ({ user_id: signedIn(ctx).id }), update: dismissActions })
  serve(app, tools.checkDomains, (ctx, input) => checkDomains(domains, input, signedIn(ctx).id))
  serve(app, contract.aiEstimate, (ctx, input) => estimate(deps, ctx, input))
  serve(app, contract.aiUsage, (ctx) => usage(deps, ctx))
}
