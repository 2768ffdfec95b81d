import { type Ctx, userIdOf } from '@operon/kit/context'
import { exactValue, type Query } from '@operon/kit/data/query'
import { sql } from 'kysely'

/** One's own, and what is on sale at the seller, or is the item, that is named: nobody reads, counts or sorts the whole market through here. */
export function visibleItems(ctx: Ctx, query: Query) {
  return sql<boolean>`(user_id = ${userIdOf(ctx.actor)}
    or (is_active and user_id = ${exactValue(query, 'user_id')}) or (is_active and id = ${exactValue(query, 'id')}))`
}
