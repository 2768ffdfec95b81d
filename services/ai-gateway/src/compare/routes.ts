import * as contract from '@operon/contracts/ai-gateway/api'
import * as contractEvents from '@operon/contracts/ai-gateway/events'
import * as tables from '@operon/contracts/ai-gateway/tables'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve, serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { AiDb } from '../schema.ts'
import { type CompareDeps, compare, deleteComparisons, vote } from './compare.ts'

export function compareRoutes(rt: Runtime<AiDb>, deps: CompareDeps) {
  serveRaw(rt.app, contract.aiCompare, (ctx, input, reply) => compare(deps, ctx, input, reply))
  serve(rt.app, contract.aiCompareVote, vote)
  serve(rt.app, contract.aiCompareStop, async (ctx, { comparison_id, lane = null }) => {
    await rt.broadcast(contractEvents.stopAnswer, { user_id: signedIn(ctx).id, id: comparison_id, lane: lane ?? -1 })
    return { stopped: lane === null ? 6 : 1 }
  })
  serveTable(rt.app, tables.comparisons, { scope: (ctx) => ({ user_id: signedIn(ctx).id }), delete: deleteComparisons })
}
