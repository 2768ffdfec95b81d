import * as contract from '@operon/contracts/ai-gateway-api'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { FastifyInstance } from 'fastify'
import { createKey, revokeKey } from './keys.ts'

export function keyRoutes(app: FastifyInstance) {
  serve(app, contract.aiKeyCreate, createKey)
  serve(app, contract.aiKeyRevoke, revokeKey)
  serveTable(app, contract.aiKeys, { scope: (ctx) => ({ user_id: signedIn(ctx).id }) })
}
