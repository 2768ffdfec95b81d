import * as contract from '@operon/contracts/ai-gateway/openai'
import { serve, serveRaw } from '@operon/kit/http'
import type { FastifyInstance } from 'fastify'
import type { AnswerDeps } from '../completions/answer.ts'
import { complete } from './completions.ts'
import { embeddings } from './embeddings.ts'
import { getModel, listModels } from './models.ts'
import { respond } from './responses.ts'

export function openaiRoutes(app: FastifyInstance, deps: AnswerDeps) {
  serveRaw(app, contract.chatCompletions, (ctx, input, reply) => complete(deps, ctx, input, reply))
  serveRaw(app, contract.createResponse, (ctx, input, reply) => respond(deps, ctx, input, reply))
  serve(app, contract.createEmbeddings, (ctx, input) => embeddings(deps, ctx, input))
  serve(app, contract.listModels, () => listModels(deps.providers))
  serve(app, contract.getModel, (_ctx, { model }) => getModel(deps.providers, model))
}
