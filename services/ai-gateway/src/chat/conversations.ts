import { now } from '@operon/kit/clock'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import type { Expression, SqlBool } from 'kysely'
import type { Piece, Told } from '../completions/answer.ts'
import type { AiDb, MessageState } from '../schema.ts'
import { historyUpTo, placeIn } from './versions.ts'

export type Exchange = {
  conversationId: string
  saidId: string | null
  answerId: string
  history: { role: 'user' | 'assistant'; content: string }[]
  /** When no answer came. */
  close(state: 'failed' | 'stopped'): Promise<void>
}
export type Begin = {
  conversationId: string
  said: string
  model: string
  feature: string
  replaces?: string | undefined
  after?: string | undefined
  seed?: Said[] | undefined
}
type Said = { role: 'user' | 'assistant'; content: string }

const SAVE_EVERY_MS = 300

/** Stores the question and a place for the answer, so that a reload in the middle finds both. A replaced answer stays, as a version. */
export async function beginExchange(ctx: Ctx<AiDb>, { seed = [], ...begin }: Begin): Promise<Exchange> {
  const { conversationId, said, model, feature, replaces, after } = begin
  const { id: user_id } = signedIn(ctx)
  const seeds = conversationId === 'new' ? seed.map((each) => ({ ...each, id: newId() })) : []
  const [saidId, answerId] = [newId(), newId()]
  return inTransaction(ctx.db, async (trx) => {
    const here = { ...ctx, db: trx } as Ctx<AiDb>
    const conversation_id =
      conversationId === 'new' ? await startConversation(here, said, model, feature) : await lockConversation(here, conversationId)
    const before = seeds.at(-1)?.id ?? (await placeIn(here, conversation_id, { replaces, after }))
    if (replaces) await dropUnanswered(here, replaces)
    const mine = { conversation_id, user_id, state: 'complete' as const, model: null }
    const rows = [
      ...seeds.map((each, at) => message({ ...mine, ...each, after_id: seeds[at - 1]?.id ?? conversation_id })),
      ...(said ? [message({ ...mine, id: saidId, after_id: before, role: 'user', content: said })] : []),
      message({ ...mine, id: answerId, after_id: said ? saidId : before, role: 'assistant', content: '', state: 'streaming', model }),
    ]
    await trx.insertInto('ai_messages').values(rows).execute()
    await showUpTo(here, conversation_id, answerId, model)
    const history = await historyUpTo(here, conversation_id, before)
    return {
      conversationId: conversation_id,
      saidId: said ? saidId : null,
      answerId,
      history,
      close: (state) => save(ctx, answerId, { state }),
    }
  })
}

/** Passes an answer on while writing it down: now and then on the way, and whole at the end. */
export async function* keepAnswer(
  ctx: Ctx<AiDb>,
  exchange: Exchange,
  answer: Told,
  more: () => Save = () => ({}),
): AsyncGenerator<Piece[]> {
  let savedAt = Date.now()
  for await (const pieces of answer.pieces()) {
    yield pieces
    if (Date.now() - savedAt < SAVE_EVERY_MS) continue
    savedAt = Date.now()
    await save(ctx, exchange.answerId, {
      content: answer.content,
      answered_by: answer.target.upstreamModel,
      sandbox: answer.target.sandbox,
    }).catch((err) => ctx.log.warn({ err }, 'a running answer could not be saved; it is tried again with the next words'))
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
    ...more(),
  })
}

type Change = { title?: string | undefined; tip_id?: string | undefined }
/** A new name, or another version shown from now on: one of the conversation's own messages. */
export async function changeConversations(
  ctx: Ctx<AiDb>,
  { where, patch: { title, tip_id } }: { where: Expression<SqlBool>; patch: Change },
) {
  return ctx.db
    .updateTable('ai_conversations')
    .set({ ...(title && { title }), ...(tip_id && { tip_id }) })
    .where('user_id', '=', signedIn(ctx).id)
    .where(where)
    .$if(tip_id !== undefined, (change) =>
      change.where(({ exists, selectFrom, ref }) =>
        exists(
          selectFrom('ai_messages as message')
            .select('message.id')
            .where('message.id', '=', tip_id!)
            .where('message.conversation_id', '=', ref('ai_conversations.id')),
        ),
      ),
    )
    .returningAll()
    .execute()
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
    .values({ id, user_id: signedIn(ctx).id, title, feature, model, tip_id: null })
    .execute()
  return id
}

/** Two messages at once must not both follow the same one. */
async function lockConversation(ctx: Ctx<AiDb>, id: string): Promise<string> {
  const found = await ctx.db
    .selectFrom('ai_conversations')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', signedIn(ctx).id)
    .forUpdate()
    .executeTakeFirst()
  if (!found) throw new DomainError('not_found')
  return id
}

/** An answer that never came is no version to go back to. */
async function dropUnanswered(ctx: Ctx<AiDb>, id: string) {
  await ctx.db
    .deleteFrom('ai_messages as unanswered')
    .where('id', '=', id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('role', '=', 'assistant')
    .where('content', '=', '')
    .where('state', 'in', ['failed', 'stopped'])
    .where(({ not, exists, selectFrom, ref }) =>
      not(
        exists(
          selectFrom('ai_messages as next')
            .select('next.id')
            .where('next.after_id', '=', ref('unanswered.id'))
            .where('next.conversation_id', '=', ref('unanswered.conversation_id')),
        ),
      ),
    )
    .execute()
}

async function showUpTo(ctx: Ctx<AiDb>, id: string, tip_id: string, model: string) {
  await ctx.db
    .updateTable('ai_conversations')
    .set({ updated_at: new Date(now()), model, tip_id })
    .where('id', '=', id)
    .where('user_id', '=', signedIn(ctx).id)
    .execute()
}

type Part = {
  id: string
  conversation_id: string
  after_id: string
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
  evidence: string
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
