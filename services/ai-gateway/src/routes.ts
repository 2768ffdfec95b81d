import * as contract from '@operon/contracts/ai-gateway'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { FastifyInstance } from 'fastify'
import { adVariations } from './ads/ads.ts'
import type { AnswerDeps } from './completions/answer.ts'
import { checkDomains, type DomainDeps } from './domains/domains.ts'
import { runAction } from './orchestrator/actions.ts'
import { orchestrate } from './orchestrator/orchestrator.ts'
import { estimate, usage } from './usage/usage.ts'

export function toolRoutes(app: FastifyInstance, deps: AnswerDeps, domains: DomainDeps) {
  serve(app, contract.aiOrchestrator, (ctx, input) => orchestrate(deps, ctx, input))
  serve(app, contract.aiRunAction, (ctx, input) => runAction(deps, ctx, input))
  serveTable(app, contract.actions, { scope: (ctx) => ({ user_id: signedIn(ctx).id }) })
  serve(app, contract.generateAds, (ctx, input) => adVariations(deps, ctx, input))
  serve(app, contract.checkDomains, (_ctx, input) => checkDomains(domains, input))
  serve(app, contract.aiEstimate, estimate)
  serve(app, contract.aiUsage, usage)
}
