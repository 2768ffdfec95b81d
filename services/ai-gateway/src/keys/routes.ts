import { keyRevoked } from '@operon/contracts/ai-gateway/events'
import * as contract from '@operon/contracts/ai-gateway/openai'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { AiDb } from '../schema.ts'
import { createKey, forgetKey, revokeKey } from './keys.ts'

export function keyRoutes(rt: Runtime<AiDb>) {
  const { app } = rt
  serve(app, contract.aiKeyCreate, createKey)
  serve(app, contract.aiKeyRevoke, (ctx, input) => revokeKey(rt, ctx, input))
  serveTable(app, contract.aiKeys, { scope: (ctx) => ({ user_id: signedIn(ctx).id }) })
  rt.onBroadcast(keyRevoked, ({ key_id }) => forgetKey(key_id))
}
