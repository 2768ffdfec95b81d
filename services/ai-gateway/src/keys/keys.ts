import { createHash, randomBytes } from 'node:crypto'
import type { aiKeyCreate } from '@operon/contracts/ai-gateway-api'
import type { Input } from '@operon/contracts/contract'
import { type Actor, type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { sql } from 'kysely'
import type { AiDb } from '../schema.ts'

const PREFIX = 'opk_'
const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url')

/** The key itself is given out once; what is kept cannot be turned back into it. */
export async function createKey(ctx: Ctx<AiDb>, { name, scopes, monthly_prompts, expires_at }: Input<typeof aiKeyCreate>) {
  const { id: user_id } = signedIn(ctx)
  const key = PREFIX + randomBytes(32).toString('base64url')
  const row = {
    id: newId(),
    user_id,
    name,
    prefix: key.slice(0, 12),
    hash: hashOf(key),
    scopes,
    monthly_prompts,
    month: null,
    last_used_at: null,
    expires_at: expires_at ? new Date(expires_at) : null,
    revoked_at: null,
  }
  await ctx.db.insertInto('ai_keys').values(row).execute()
  return { id: row.id, key, prefix: row.prefix }
}

export async function revokeKey(ctx: Ctx<AiDb>, { key_id }: { key_id: string }) {
  const revoked = await ctx.db
    .updateTable('ai_keys')
    .set({ revoked_at: new Date() })
    .where('id', '=', key_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!revoked.numUpdatedRows) throw new DomainError('not_found')
  return { revoked: true }
}

/** Whom an API key speaks for. It is looked up each time, so that a revoked key is refused at once. */
export async function authenticateKey(ctx: Ctx<AiDb>, bearer: string): Promise<Actor | null> {
  if (!bearer.startsWith(PREFIX)) return null
  const { rows } = await sql<{ id: string; user_id: string; scopes: string[] }>`
    update ai_keys set last_used_at = case when last_used_at > now() - interval '1 minute' then last_used_at else now() end
    where hash = ${hashOf(bearer)} and revoked_at is null and (expires_at is null or expires_at > now())
    returning id, user_id, scopes`.execute(ctx.db)
  const key = rows[0]
  if (!key) throw new DomainError('not_authenticated')
  return {
    kind: 'user',
    id: key.user_id,
    email: null,
    phone: null,
    sessionId: key.id,
    aal: 'aal1',
    amr: [],
    mfa: true,
    staff: false,
    anonymous: false,
    metadata: {},
    key: { id: key.id, scopes: key.scopes },
  }
}

/** Counts one prompt against the key's own monthly limit, where it has one. */
export async function spendKey(ctx: Ctx<AiDb>, keyId: string): Promise<string> {
  const month = sql<Date>`date_trunc('month', now())`
  const spent = await ctx.db
    .updateTable('ai_keys')
    .set({ month, month_prompts: sql<number>`case when month = ${month} then month_prompts + 1 else 1 end` })
    .where('id', '=', keyId)
    .where(({ or, eb }) =>
      or([eb('monthly_prompts', 'is', null), sql<boolean>`case when month = ${month} then month_prompts else 0 end < monthly_prompts`]),
    )
    .executeTakeFirst()
  if (!spent.numUpdatedRows) throw new DomainError('key_limit')
  return keyId
}
