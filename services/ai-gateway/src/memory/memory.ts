import { type aiMemoryDelete, type aiMemoryEdit, LONGEST_MEMORY, MOST_MEMORIES } from '@operon/contracts/ai-gateway/memory'
import type { Input } from '@operon/contracts/contract'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { AiDb } from '../schema.ts'

type Row = { id: string; content: string; created_at: Date }
const shown = ({ id, content, created_at }: Row) => ({ id, content, created_at: created_at.toISOString() })

export async function memoryOf(ctx: Ctx<AiDb>) {
  const userId = signedIn(ctx).id
  const [off, memories] = await Promise.all([
    ctx.db.selectFrom('ai_memory_off').select('user_id').where('user_id', '=', userId).executeTakeFirst(),
    ctx.db
      .selectFrom('ai_memories')
      .select(['id', 'content', 'created_at'])
      .where('user_id', '=', userId)
      .orderBy('id', 'desc')
      .limit(MOST_MEMORIES)
      .execute(),
  ])
  return { on: !off, memories: memories.map(shown) }
}

export async function switchMemory(ctx: Ctx<AiDb>, { on }: { on: boolean }) {
  const user_id = signedIn(ctx).id
  if (on) await ctx.db.deleteFrom('ai_memory_off').where('user_id', '=', user_id).execute()
  else
    await ctx.db
      .insertInto('ai_memory_off')
      .values({ user_id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  return { on }
}

export async function editMemory(ctx: Ctx<AiDb>, { memory_id, content }: Input<typeof aiMemoryEdit>) {
  const memory = await ctx.db
    .updateTable('ai_memories')
    .set({ content, updated_at: sql<Date>`now()` })
    .where('id', '=', memory_id)
    .where('user_id', '=', signedIn(ctx).id)
    .returning(['id', 'content', 'created_at'])
    .executeTakeFirst()
  if (!memory) throw new DomainError('not_found')
  return { memory: shown(memory) }
}

export async function deleteMemories(ctx: Ctx<AiDb>, { memory_id }: Input<typeof aiMemoryDelete>) {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('ai_memories')
    .where('user_id', '=', signedIn(ctx).id)
    .$if(memory_id !== undefined, (some) => some.where('id', '=', memory_id!))
    .executeTakeFirstOrThrow()
  return { deleted: Number(numDeletedRows) }
}

const plain = (text: string) => text.replace(/\s+/g, ' ').trim()

/** The words as the person said them, or null where these are not theirs: a model may choose what to keep, never write it. */
export function quoteIn(said: string, quote: unknown): string | null {
  if (typeof quote !== 'string') return null
  const [all, words] = [plain(said), plain(quote)]
  const at = words.length > 2 && words.length <= LONGEST_MEMORY ? all.toLowerCase().indexOf(words.toLowerCase()) : -1
  return at < 0 ? null : all.slice(at, at + words.length)
}

/** Keeps what is new while there is room and the person has not turned it off. */
export async function remember(ctx: Ctx<AiDb>, quotes: readonly string[]) {
  if (quotes.length === 0) return []
  const user_id = signedIn(ctx).id
  return inTransaction(ctx.db, async (trx) => {
    // Two answers at once are counted one after the other.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`memory ${user_id}`}, 0))`.execute(trx)
    const { on, memories } = await memoryOf({ ...ctx, db: trx } as Ctx<AiDb>)
    const known = new Set(memories.map(({ content }) => content.toLowerCase()))
    const fresh = [...new Set(quotes)].filter((quote) => !known.has(quote.toLowerCase())).slice(0, MOST_MEMORIES - memories.length)
    if (!on || fresh.length === 0) return []
    const rows = await trx
      .insertInto('ai_memories')
      .values(fresh.map((content) => ({ id: newId(), user_id, content })))
      .returning(['id', 'content', 'created_at'])
      .execute()
    return rows.map(shown)
  })
}
