import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { sql } from 'kysely'
import type { AiDb } from '../schema.ts'

/** The part of a conversation that a model is given: the last messages that have words. */
const HISTORY = 40
/** How far back they are looked for, past answers that never came. */
const STEPS = 200

type Where = { replaces?: string | undefined; after?: string | undefined }

/** The message that the next one follows: the one before what it replaces, the one that is named, or the version shown last. */
export async function placeIn(ctx: Ctx<AiDb>, conversationId: string, { replaces, after }: Where): Promise<string> {
  if (replaces) return beforeOf(ctx, conversationId, await messageIn(ctx, conversationId, replaces))
  if (after) return (await messageIn(ctx, conversationId, after)).id
  return (await tipOf(ctx, conversationId)) ?? conversationId
}

/** The conversation up to a message, along that message's own version. */
export async function historyUpTo(ctx: Ctx<AiDb>, conversationId: string, messageId: string) {
  const { rows } = await sql<{ role: 'user' | 'assistant'; content: string }>`
    with recursive path as (
      select id, after_id, role, content, 1 as step from ai_messages
      where id = ${messageId} and conversation_id = ${conversationId} and user_id = ${signedIn(ctx).id}
      union all
      select before.id, before.after_id, before.role, before.content, path.step + 1
      from path join ai_messages before on before.id = coalesce(path.after_id, (
        select each.id from ai_messages each where each.conversation_id = ${conversationId} and each.id < path.id order by each.id desc limit 1
      ))
      where before.conversation_id = ${conversationId} and before.user_id = ${signedIn(ctx).id} and path.step < ${STEPS}
    )
    select role, content from path where content <> '' order by step limit ${HISTORY}`.execute(ctx.db)
  return rows.toReversed()
}

async function messageIn(ctx: Ctx<AiDb>, conversationId: string, id: string) {
  const found = await ctx.db
    .selectFrom('ai_messages')
    .select(['id', 'after_id'])
    .where('id', '=', id)
    .where('conversation_id', '=', conversationId)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirst()
  if (!found) throw new DomainError('not_found')
  return found
}

async function beforeOf(ctx: Ctx<AiDb>, conversationId: string, { id, after_id }: { id: string; after_id: string | null }) {
  if (after_id) return after_id
  const before = await ctx.db
    .selectFrom('ai_messages')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('user_id', '=', signedIn(ctx).id)
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return before?.id ?? conversationId
}

/** Where an earlier release wrote last, its message counts: it knows no versions. */
async function tipOf(ctx: Ctx<AiDb>, conversationId: string): Promise<string | null> {
  const tip = await ctx.db
    .selectFrom('ai_messages as newest')
    .innerJoin('ai_conversations as conversation', 'conversation.id', 'newest.conversation_id')
    .leftJoin('ai_messages as tip', 'tip.id', 'conversation.tip_id')
    .select(['newest.id', 'newest.after_id', 'tip.id as tip_id'])
    .where('newest.conversation_id', '=', conversationId)
    .where('newest.user_id', '=', signedIn(ctx).id)
    .orderBy('newest.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!tip) return null
  return tip.after_id === null ? tip.id : (tip.tip_id ?? tip.id)
}
