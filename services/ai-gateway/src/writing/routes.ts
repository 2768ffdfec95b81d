import { generateAds } from '@operon/contracts/ai-gateway/tools'
import * as contract from '@operon/contracts/ai-gateway/writing'
import { type Ctx, signedIn } from '@operon/kit/context'
import { serve } from '@operon/kit/http'
import type { FastifyInstance } from 'fastify'
import type { AnswerDeps } from '../completions/answer.ts'
import { spendKey } from '../keys/limit.ts'
import type { AiDb } from '../schema.ts'
import { adVariations } from './ads.ts'
import { content, email, names, productText, search } from './writing.ts'

export function writingRoutes(app: FastifyInstance, deps: AnswerDeps) {
  serve(
    app,
    contract.writeContent,
    counted((ctx, input) => content(deps, ctx, input)),
  )
  serve(
    app,
    contract.suggestNames,
    counted((ctx, input) => names(deps, ctx, input)),
  )
  serve(
    app,
    contract.searchWeb,
    counted((ctx, input) => search(deps, ctx, input)),
  )
  serve(
    app,
    contract.writeEmail,
    counted((ctx, input) => email(deps, ctx, input)),
  )
  serve(
    app,
    contract.writeProductText,
    counted((ctx, input) => productText(deps, ctx, input)),
  )
  serve(
    app,
    generateAds,
    counted((ctx, input) => adVariations(deps, ctx, input)),
  )
}

/** A key that has a monthly limit spends it here as at /ai/v1. */
const counted =
  <I, O>(write: (ctx: Ctx<AiDb>, input: I) => Promise<O>) =>
  async (ctx: Ctx<AiDb>, input: I): Promise<O> => {
    await spendKey(ctx, signedIn(ctx))
    return write(ctx, input)
  }
