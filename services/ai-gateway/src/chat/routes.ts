import * as contract from '@operon/contracts/ai-gateway/api'
import * as contractEvents from '@operon/contracts/ai-gateway/events'
import * as tables from '@operon/contracts/ai-gateway/tables'
import * as tools from '@operon/contracts/ai-gateway/tools'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve, serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { AiDb } from '../schema.ts'
import { chat } from './chat.ts'
import { changeConversations, deleteConversations } from './conversations.ts'
import { contentStats } from './pieces.ts'
import { deletePrompts, editPrompts, savePrompts } from './prompts.ts'
import { searchConversations } from './search.ts'
import type { TurnDeps } from './turn.ts'

export function chatRoutes(rt: Runtime<AiDb>, deps: TurnDeps) {
  const mine = { scope: (ctx: Parameters<typeof signedIn>[0]) => ({ user_id: signedIn(ctx).id }) }
  serveRaw(rt.app, contract.aiChat, (ctx, input, reply) => chat(deps, ctx, input, reply))
  serve(rt.app, contract.aiStop, async (ctx, { message_id }) => {
    const user_id = signedIn(ctx).id
    await rt.broadcast(contractEvents.stopAnswer, { user_id, id: message_id, lane: null })
    return { stopped: true }
  })
  serve(rt.app, tools.contentStats, contentStats)
  serve(rt.app, contract.searchConversations, searchConversations)
  serveTable(rt.app, tables.messages, mine)
  serveTable(rt.app, tables.conversations, { ...mine, update: changeConversations, delete: deleteConversations })
  serveTable(rt.app, tables.savedPrompts, { ...mine, insert: savePrompts, update: editPrompts, delete: deletePrompts })
}
