import { now } from '@operon/kit/clock'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import type { Expression, SqlBool } from 'kysely'
import type { Answer, Piece } from '../completions/answer.ts'
import type { AiDb, MessageState } from '../schema.ts'

export type Exchange = {
  conversationId: string
  saidId: string | null
  answerId: string
  history: { role: 'user' | 'assistant'; content: string }[]
  /** When no answer came. */
  close(state: 'failed' | 'stopped'): Promise<void>
}
type Begin = {
  conversationId: string
  said: string
  model: string
  feature: string
  replaces?: string | undefined
  seed?: Said[] | undefined
}
type Said = { role: 'user' | 'assistant'; content: string }

const HISTORY = 40
const SAVE_EVERY_MS = 300

/** Writes down what was said and a place for the answer, so that a reload in the middle finds both. */
export async function beginExchange(
  ctx: Ctx<AiDb>,
  { conversationId, said, model, feature, replaces, seed = [] }: Begin,
): Promise<Exchange> {
  const { id: user_id } = signedIn(ctx)
  const seeds = conversationId === 'new' ? seed.map((each) => ({ ...each, id: newId() })) : []
  const [saidId, answerId] = [newId(), newId()]
  return inTransaction(ctx.db, async (trx) => {
    const here = { ...ctx, db: trx } as Ctx<AiDb>
    const id =
      conversationId === 'new' ? await startConversation(here, said, model, feature) : await touchConversation(here, conversationId, model)
    if (seeds.length)
      await trx
        .insertInto('ai_messages')
        .values(seeds.map((each) => message({ ...each, conversation_id: id, user_id, state: 'complete', model: null })))
        .execute()
    if (replaces) await dropFrom(here, id, replaces)
    const history = await historyOf(here, id)
    if (said)
      await trx
        .insertInto('ai_messages')
        .values(message({ id: saidId, conversation_id: id, user_id, role: 'user', content: said, state: 'complete', model: null }))
        .execute()
    await trx
      .insertInto('ai_messages')
      .values(message({ id: answerId, conversation_id: id, user_id, role: 'assistant', content: '', state: 'streaming', model }))
      .execute()
    return { conversationId: id, saidId: said ? saidId : null, answerId, history, close: (state) => save(ctx, answerId, { state }) }
  })
}

/** Passes an answer on while writing it down: now and then on the way, and whole at the end. */
export async function* keepAnswer(ctx: Ctx<AiDb>, exchange: Exchange, answer: Answer): AsyncGenerator<Piece[]> {
  let savedAt = Date.now()
  for await (const pieces of answer.pieces()) {
    yield pieces
    if (Date.now() - savedAt < SAVE_EVERY_MS) continue
    savedAt = Date.now()
    await save(ctx, exchange.answerId, {
      content: answer.content,
      answered_by: answer.target.upstreamModel,
      sandbox: answer.target.sandbox,
    }).catch((err) => ctx.log.warn({ err }, 'a running answer could not be kept'))
  }
  const { prompt_tokens, completion_tokens, cost_microusd } = answer.usage
  const state = ({ completed: 'complete', cut: 'cut', failed: 'failed', stopped: 'stopped' } as const)[answer.outcome ?? 'cut']
  await save(ctx, exchange.answerId, {
    content: answer.content,
    state,
    answered_by: answer.target.upstreamModel,
    sandbox: answer.target.sandbox,
    citations: answer.citations,
    prompt_tokens,
    completion_tokens,
    cost_microusd,
  })
}

export async function renameConversations(ctx: Ctx<AiDb>, { where, patch }: { where: Expression<SqlBool>; patch: { title: string } }) {
  return ctx.db.updateTable('ai_conversations').set(patch).where('user_id', '=', signedIn(ctx).id).where(where).returningAll().execute()
}

export async function deleteConversations(ctx: Ctx<AiDb>, { where }: { where: Expression<SqlBool> }) {
  return ctx.db.deleteFrom('ai_conversations').where('user_id', '=', signedIn(ctx).id).where(where).returningAll().execute()
}

/** Answers that a dead process left open are said to be cut. */
export async function closeAbandoned(ctx: Ctx<AiDb>, olderThanMs: number) {
  await ctx.db
    .updateTable('ai_messages')
    .set({ state: 'cut' })
    .where('state', '=', 'streaming')
    .where('updated_at', '<', new Date(now() - olderThanMs))
    .execute()
}

async function startConversation(ctx: Ctx<AiDb>, said: string, model: string, feature: string): Promise<string> {
  const id = newId()
  const title = said.replace(/\s+/g, ' ').trim().slice(0, 80) || 'New conversation'
  await ctx.db
    .insertInto('ai_conversations')
    .values({ id, user_id: signedIn(ctx).id, title, feature, model })
    .execute()
  return id
}

async function touchConversation(ctx: Ctx<AiDb>, id: string, model: string): Promise<string> {
  const touched = await ctx.db
    .updateTable('ai_conversations')
    .set({ updated_at: new Date(now()), model })
    .where('id', '=', id)
    .where('user_id', '=', signedIn(ctx).id)
    .returning('id')
    .executeTakeFirst()
  if (!touched) throw new DomainError('not_found')
  return id
}

async function dropFrom(ctx: Ctx<AiDb>, conversationId: string, messageId: string) {
  // Ids rise with time, so what follows a message has a greater one.
  await ctx.db
    .deleteFrom('ai_messages')
    .where('conversation_id', '=', conversationId)
    .where('user_id', '=', signedIn(ctx).id)
    .where('id', '>=', messageId)
    .execute()
}

async function historyOf(ctx: Ctx<AiDb>, conversationId: string) {
  const rows = await ctx.db
    .selectFrom('ai_messages')
    .select(['role', 'content'])
    .where('conversation_id', '=', conversationId)
    .where('user_id', '=', signedIn(ctx).id)
    .where('content', '!=', '')
    .orderBy('id', 'desc')
    .limit(HISTORY)
    .execute()
  return rows.toReversed()
}

type Part = {
  id: string
  conversation_id: string
  user_id: string
  role: 'user' | 'assistant'
  content: string
  state: MessageState
  model: string | null
}
const message = (part: Part) => ({
  ...part,
  answered_by: null,
  prompt_tokens: null,
  completion_tokens: null,
  cost_microusd: null,
  updated_at: new Date(now()),
})

type Save = Partial<{
  content: string
  state: MessageState
  answered_by: string
  sandbox: boolean
  citations: string[]
  prompt_tokens: number
  completion_tokens: number
  cost_microusd: number
}>
async function save(ctx: Ctx<AiDb>, id: string, changes: Save) {
  await ctx.db
    .updateTable('ai_messages')
    .set({ ...changes, updated_at: new Date(now()) })
    .where('id', '=', id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', '=', 'streaming')
    .execute()
}
