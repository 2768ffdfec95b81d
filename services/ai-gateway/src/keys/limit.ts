import type { Ctx, UserActor } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { sql } from 'kysely'
import type { AiDb } from '../schema.ts'

/** Counts prompts against the key's own monthly limit, where it has one. */
export async function spendKey(ctx: Ctx<AiDb>, { id: userId, key }: UserActor, calls = 1): Promise<void> {
  if (!key?.monthlyPrompts) return
  if (calls > key.monthlyPrompts) throw new DomainError('key_limit')
  const { rows } = await sql`
    insert into ai_key_use as used (key_id, user_id, month, prompts) values (${key.id}, ${userId}, date_trunc('month', now()), ${calls})
    on conflict (key_id) do update set month = excluded.month, prompts = case when used.month = excluded.month then used.prompts + ${calls} else ${calls} end
    where used.month <> excluded.month or used.prompts + ${calls} <= ${key.monthlyPrompts}
    returning 1`.execute(ctx.db)
  if (rows.length === 0) throw new DomainError('key_limit')
}
