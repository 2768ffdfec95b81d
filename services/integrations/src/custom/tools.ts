import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/custom'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import type { Connecting } from '../connections/connect.ts'
import type { Tokens } from '../connections/tokens.ts'
import type { IntegrationsDb } from '../schema.ts'
import { apiOf } from './apis.ts'
import { allowedAsBefore, type Tool, toolsAt } from './mcp.ts'

type Call = Ctx<IntegrationsDb>

async function serverOf(ctx: Call, connectionId: string) {
  const found = await apiOf(ctx, connectionId)
  if (found.kind !== 'mcp') throw new DomainError('app_not_connected', { message: 'No such MCP server is connected.' })
  return { row: found.row, tools: found.operations }
}

const shown = (tools: Tool[]) =>
  tools.map(({ name, title, description, readOnly, allow }) => ({ name, title, description, read_only: readOnly, allow }))

export const listTools = async (ctx: Call, { connection_id }: Input<typeof api.listMcpTools>) => ({
  tools: shown((await serverOf(ctx, connection_id)).tools),
})

export async function refreshTools(ctx: Call, { connection_id }: Input<typeof api.refreshMcpTools>, at: Connecting & { tokens: Tokens }) {
  const { row } = await serverOf(ctx, connection_id)
  const { held } = await at.tokens.fresh(row)
  const { tools, leftOut } = await toolsAt(held, at, ctx.signal)
  return { tools: await keep(ctx, connection_id, (before) => allowedAsBefore(tools, before)), left_out: leftOut }
}

export async function allowTool(ctx: Call, { connection_id, tool: name, allow }: Input<typeof api.allowMcpTool>) {
  const tools = await keep(ctx, connection_id, (before) => {
    if (!before.some((tool) => tool.name === name)) throw new DomainError('app_action_unknown', { message: 'The server has no such tool.' })
    return before.map((tool) => (tool.name === name ? { ...tool, allow } : tool))
  })
  return { tools }
}

/** Read and written in one transaction, so that no allowance is lost to another that is given at the same time. */
async function keep(ctx: Call, connectionId: string, change: (before: Tool[]) => Tool[]) {
  return inTransaction(ctx.db, async (trx) => {
    const { row } = await serverOf(ctx, connectionId)
    const kept = await trx
      .selectFrom('custom_apis')
      .select('operations')
      .where('id', '=', row.id)
      .where('user_id', '=', row.user_id)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const tools = change(kept.operations as Tool[])
    await trx
      .updateTable('custom_apis')
      .set({ operations: JSON.stringify(tools) })
      .where('id', '=', row.id)
      .where('user_id', '=', row.user_id)
      .execute()
    return shown(tools)
  })
}
