import { createHash, randomBytes } from 'node:crypto'
import { keyRevoked } from '@operon/contracts/ai-gateway/events'
import type { aiKeyCreate } from '@operon/contracts/ai-gateway/openai'
import type { Input } from '@operon/contracts/contract'
import { now } from '@operon/kit/clock'
import { type Actor, type Ctx, signedIn, type UserActor } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Runtime } from '@operon/kit/service'
import { sql, type Transaction } from 'kysely'
import { askerOf } from '../completions/answer.ts'
import type { AiDb } from '../schema.ts'

const PREFIX = 'opk_'
const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url')

/** The key itself is given out once; what is kept cannot be turned back into it. */
export async function createKey(ctx: Ctx<AiDb>, { name, scopes, monthly_prompts, expires_at }: Input<typeof aiKeyCreate>) {
  const user_id = askerOf(ctx)
  if (expires_at && Date.parse(expires_at) <= now()) throw new DomainError('invalid', { message: 'expires_at: choose a time to come.' })
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

export async function revokeKey(rt: Pick<Runtime, 'broadcast'>, ctx: Ctx<AiDb>, { key_id }: { key_id: string }) {
  const revoked = await ctx.db
    .updateTable('ai_keys')
    .set({ revoked_at: new Date() })
    .where('id', '=', key_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!revoked.numUpdatedRows) throw new DomainError('not_found')
  forgetKey(key_id)
  await rt.broadcast(keyRevoked, { key_id })
  return { revoked: true }
}

/** The owner took the account back: no key from before speaks for it. */
export async function endKeys(trx: Transaction<AiDb & KitDb>, userId: string, before: Date): Promise<string[]> {
  const ended = await trx
    .updateTable('ai_keys')
    .set({ revoked_at: new Date() })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('created_at', '<=', before)
    .returning('id')
    .execute()
  return ended.map(({ id }) => id)
}

/** Keys that were looked up a moment ago, by their hash. Who is cut off when one is revoked still believes it for as long as this. */
const REMEMBERED_MS = 5000
type Known = { actor: Promise<UserActor>; keyId?: string; until: number }
const known = new Map<string, Known>()
setInterval(() => {
  for (const [hash, { until }] of known) if (until < performance.now()) known.delete(hash)
}, 60_000).unref()

/** Those that are being looked up may be the one: what was found before it was revoked is not remembered. */
export function forgetKey(id: string) {
  for (const [hash, { keyId = id }] of known) if (keyId === id) known.delete(hash)
}

/** Whom an API key speaks for. Those who come with one key at once share the look. */
export async function authenticateKey(ctx: Ctx<AiDb>, bearer: string): Promise<Actor | null> {
  if (!bearer.startsWith(PREFIX)) return null
  const hash = hashOf(bearer)
  const remembered = known.get(hash)
  if (remembered && remembered.until > performance.now()) return remembered.actor
  const looking: Known = { actor: lookUp(ctx, hash), until: performance.now() + REMEMBERED_MS }
  known.set(hash, looking)
  try {
    const actor = await looking.actor
    looking.keyId = actor.key!.id
    return actor
  } catch (error) {
    known.delete(hash)
    throw error
  }
}

async function lookUp(ctx: Ctx<AiDb>, hash: string): Promise<UserActor> {
  const { rows } = await sql<{ id: string; user_id: string; scopes: string[]; monthly_prompts: number | null }>`
    update ai_keys set last_used_at = now() where hash = ${hash} and revoked_at is null and (expires_at is null or expires_at > now())
    returning id, user_id, scopes, monthly_prompts`.execute(ctx.db)
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
    key: { id: key.id, scopes: key.scopes, isLimited: key.monthly_prompts !== null },
  }
}

/** Counts one prompt against the key's own monthly limit. */
export async function spendKey(ctx: Ctx<AiDb>, keyId: string): Promise<void> {
  const month = sql<Date>`date_trunc('month', now())`
  const spent = await ctx.db
    .updateTable('ai_keys')
    .set({ month, month_prompts: sql<number>`case when month = ${month} then month_prompts + 1 else 1 end` })
    .where('id', '=', keyId)
    .where(sql<boolean>`case when month = ${month} then month_prompts else 0 end < monthly_prompts`)
    .executeTakeFirst()
  if (!spent.numUpdatedRows) throw new DomainError('key_limit')
}
