import { generateAds } from '@operon/contracts/ai-gateway/tools'
import * as contract from '@operon/contracts/ai-gateway/writing'
import type { Endpoint, Input, Output } from '@operon/contracts/contract'
import { type Ctx, signedIn } from '@operon/kit/context'
import { serve } from '@operon/kit/http'
import type { FastifyInstance } from 'fastify'
import type { AnswerDeps } from '../completions/answer.ts'
import { spendKey } from '../keys/limit.ts'
import type { AiDb } from '../schema.ts'
import { adVariations } from './ads.ts'
import { designEmail, subjectIdeas } from './emails.ts'
import { content, email, names, productText, search } from './writing.ts'

export function writingRoutes(app: FastifyInstance, deps: AnswerDeps) {
  /** A key that has a monthly limit spends it here as at /ai/v1. */
  const write = <E extends Endpoint>(contract: E, run: (deps: AnswerDeps, ctx: Ctx<AiDb>, input: Input<E>) => Promise<Output<E>>) =>
    serve(app, contract, async (ctx, input) => {
      await spendKey(ctx, signedIn(ctx))
      return run(deps, ctx, input)
    })
  write(contract.writeContent, content)
  write(contract.suggestNames, names)
  write(contract.searchWeb, search)
  write(contract.writeEmail, email)
  write(contract.generateEmail, designEmail)
  write(contract.suggestSubjects, subjectIdeas)
  write(contract.writeProductText, productText)
  write(generateAds, adVariations)
}
