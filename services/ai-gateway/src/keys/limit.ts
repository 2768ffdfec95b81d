import type { Ctx, UserActor } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { sql } from 'kysely'
import type { AiDb } from '../schema.ts'

/** Counts one prompt against the key's own monthly limit, where it has one. */
export async function spendKey(ctx: Ctx<AiDb>, { id: userId, key }: UserActor): Promise<void> {
  if (!key?.monthlyPrompts) return
  const { rows } = await sql`
    insert into ai_key_use as used (key_id, user_id, month, prompts) values (${key.id}, ${userId}, date_trunc('month', now()), 1)
    on conflict (key_id) do update set month = excluded.month, prompts = case when used.month = excluded.month then used.prompts + 1 else 1 end
    where used.month <> excluded.month or used.prompts < ${key.monthlyPrompts}
    returning 1`.execute(ctx.db)
  if (rows.length === 0) throw new DomainError('key_limit')
}
