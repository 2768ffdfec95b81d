import { type Ctx, signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { AiDb } from '../schema.ts'

/** Everything the account has had written, deleted conversations included. */
export async function contentStats(ctx: Ctx<AiDb>) {
  const sum = (column: 'pieces' | 'words' | 'finished') => sql<number>`coalesce(sum(${sql.ref(column)}), 0)::bigint`
  return ctx.db
    .selectFrom('ai_written')
    .select([
      sum('pieces').as('pieces'),
      sum('words').as('words'),
      sum('finished').as('finished'),
      sql<number>`coalesce(sum(pieces) filter (where month = date_trunc('month', now() at time zone 'UTC')::date), 0)::bigint`.as(
        'this_month',
      ),
    ])
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirstOrThrow()
}
