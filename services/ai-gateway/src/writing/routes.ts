import { generateAds } from '@operon/contracts/ai-gateway/tools'
import * as contract from '@operon/contracts/ai-gateway/writing'
import { serve } from '@operon/kit/http'
import type { FastifyInstance } from 'fastify'
import type { AnswerDeps } from '../completions/answer.ts'
import { adVariations } from './ads.ts'
import { content, email, names, productText } from './writing.ts'

export function writingRoutes(app: FastifyInstance, deps: AnswerDeps) {
  serve(app, contract.writeContent, (ctx, input) => content(deps, ctx, input))
  serve(app, contract.suggestNames, (ctx, input) => names(deps, ctx, input))
  serve(app, contract.writeEmail, (ctx, input) => email(deps, ctx, input))
  serve(app, contract.writeProductText, (ctx, input) => productText(deps, ctx, input))
  serve(app, generateAds, (ctx, input) => adVariations(deps, ctx, input))
}
