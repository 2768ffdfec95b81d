import { keyRevoked } from '@operon/contracts/ai-gateway/events'
import * as contract from '@operon/contracts/ai-gateway/openai'
import { accessReset } from '@operon/contracts/identity/events'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { afterCommit } from '@operon/kit/tx'
import type { AiDb } from '../schema.ts'
import { createKey, endKeys, forgetKey, revokeKey } from './keys.ts'

export function keyRoutes(rt: Runtime<AiDb>) {
  const { app } = rt
  serve(app, contract.aiKeyCreate, createKey)
  serve(app, contract.aiKeyRevoke, (ctx, input) => revokeKey(rt, ctx, input))
  serveTable(app, contract.aiKeys, { scope: (ctx) => ({ user_id: signedIn(ctx).id }) })
  rt.on(accessReset, 'end-keys', async (trx, { user_id: userId, at }) => {
    if (!userId) return
    const ended = await endKeys(trx as never, userId, new Date(at))
    afterCommit(trx, async () => {
      for (const key_id of ended) {
        forgetKey(key_id)
        await rt.broadcast(keyRevoked, { key_id })
      }
    })
  })
  rt.onBroadcast(keyRevoked, ({ key_id }) => forgetKey(key_id))
}
