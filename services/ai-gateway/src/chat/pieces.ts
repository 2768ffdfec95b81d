import { type Ctx, signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { AiDb } from '../schema.ts'

/** Lists the account's written pieces, across all of its conversations. */
export async function contentStats(ctx: Ctx<AiDb>) {
  const counted = await ctx.db
    .selectFrom('ai_messages as piece')
    .innerJoin('ai_conversations as conversation', 'conversation.id', 'piece.conversation_id')
    .select((eb) => [
      eb.fn.countAll<number>().as('pieces'),
      sql<number | null>`sum(cardinality(regexp_split_to_array(btrim(piece.content), '\\s+')))`.as('words'),
      sql<number>`count(*) filter (where piece.state = 'complete')`.as('finished'),
      sql<number>`count(*) filter (where piece.created_at >= date_trunc('month', now(), 'UTC'))`.as('this_month'),
    ])
    .where('piece.user_id', '=', signedIn(ctx).id)
    .where('conversation.feature', '=', 'content')
    .where('piece.role', '=', 'assistant')
    .where('piece.content', '!=', '')
    .where('piece.state', 'in', ['complete', 'cut', 'stopped'])
    .executeTakeFirstOrThrow()
  const { pieces, words, finished, this_month } = counted
  return { pieces: Number(pieces), words: Number(words ?? 0), finished: Number(finished), this_month: Number(this_month) }
}
