import { type Ctx, signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'

export async function countContacts(ctx: Ctx<CrmDb>) {
  const { contacts, with_email, newest_at } = await ctx.db
    .selectFrom('leads')
    .select([
      sql<number>`count(*)::int`.as('contacts'),
      sql<number>`count(email)::int`.as('with_email'),
      sql<Date | null>`max(created_at)`.as('newest_at'),
    ])
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirstOrThrow()
  return { contacts, with_email, newest_at: newest_at?.toISOString() ?? null }
}
