import { type Ctx, signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'

export async function countContacts(ctx: Ctx<CrmDb>) {
  const { id: userId } = signedIn(ctx)
  const { rows } = await sql<{ contacts: number; with_email: number; newest_at: Date | null }>`
    select coalesce(c.contacts, 0) as contacts, coalesce(c.with_email, 0) as with_email,
      (select created_at from leads where user_id = ${userId} order by created_at desc limit 1) as newest_at
    from (select ${userId}::uuid as user_id) u left join contact_counts c using (user_id)`.execute(ctx.db)
  const { newest_at, ...counts } = rows[0]!
  return { ...counts, newest_at: newest_at?.toISOString() ?? null }
}
