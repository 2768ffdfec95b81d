import { handOverKeys, keyRevoked } from '@operon/contracts/ai-gateway/events'
import { accessReset } from '@operon/contracts/identity/events'
import { adoptKeys, type KeyAnswer } from '@operon/contracts/identity/keys'
import type { Runtime } from '@operon/kit/service'
import { sql } from 'kysely'
import type { AiDb } from '../schema.ts'

// Keys were kept here before identity kept them. An instance of the version before may still make one, so the handing over goes on.

const AT_ONCE = 500

export function handsOverKeys(rt: Runtime<AiDb>) {
  rt.verifier.keys.lookAlsoIn((hash) => findOlder(rt, hash))
  rt.job(handOverKeys, () => handOver(rt), { everyMs: 60_000 })
  rt.onStart(
    () =>
      void handOver(rt).catch((err: unknown) =>
        rt.log.warn({ err }, 'identity has not taken over the older API keys; the next try is in a minute'),
      ),
  )
  rt.onBroadcast(keyRevoked, ({ key_id }) => rt.verifier.keys.forget(key_id))
  rt.on(accessReset, 'end-keys', async (trx, { user_id: userId, at }) => {
    await trx
      .updateTable('ai_keys')
      .set({ revoked_at: sql`clock_timestamp()` })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .where('created_at', '<=', new Date(at))
      .execute()
  })
}

/** Until identity has it, a key is looked up where it was made. */
async function findOlder({ db }: Runtime<AiDb>, hash: string): Promise<KeyAnswer> {
  const key = await db
    .selectFrom('ai_keys')
    .select(['id', 'user_id', 'scopes', 'monthly_prompts'])
    .where('hash', '=', hash)
    .where('moved_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`(expires_at is null or expires_at > now())`)
    .executeTakeFirst()
  return key ? { state: 'good', key } : { state: 'unknown' }
}

export async function handOver(rt: Runtime<AiDb>): Promise<void> {
  for (;;) {
    const rows = await rt.db
      .selectFrom('ai_keys')
      .select(['id', 'user_id', 'name', 'prefix', 'hash', 'scopes', 'monthly_prompts'])
      .select(['created_at', 'last_used_at', 'expires_at', 'revoked_at'])
      .where(sql<boolean>`(moved_at is null or (revoked_at is not null and not moved_ended))`)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute()
    if (rows.length === 0) return
    const keys = rows.map((row) => ({
      ...row,
      created_at: row.created_at.toISOString(),
      last_used_at: row.last_used_at?.toISOString() ?? null,
      expires_at: row.expires_at?.toISOString() ?? null,
      revoked_at: row.revoked_at?.toISOString() ?? null,
    }))
    const { adopted } = await rt.ask(adoptKeys, { keys })
    if (adopted.length === 0) return
    // A revocation that came in between is told in the next round.
    const ended = rows.filter((row) => row.revoked_at).map(({ id }) => id)
    await rt.db
      .updateTable('ai_keys')
      .set({ moved_at: sql`now()`, moved_ended: sql`id = any(${ended}::uuid[])` })
      .where('id', 'in', adopted)
      .execute()
  }
}
