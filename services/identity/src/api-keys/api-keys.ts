import { randomBytes } from 'node:crypto'
import type { Input } from '@operon/contracts/contract'
import { keyRevoked } from '@operon/contracts/identity/events'
import type { adoptKeys as adoptContract, aiKeyCreate, KeyAnswer } from '@operon/contracts/identity/keys'
import { capabilitiesOf } from '@operon/contracts/registry'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { hashOfKey } from '@operon/kit/keys'
import { afterCommit, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { AuthCtx, Deps } from '../deps.ts'
import { audit } from '../users/audit.ts'
import { currentUser, type Trx } from '../users/users.ts'

const MAX_KEYS = 100

/** The key itself is given out once; what is kept cannot be turned back into it. */
export async function createKey(ctx: AuthCtx, { name, scopes, monthly_prompts, expires_at }: Input<typeof aiKeyCreate>) {
  const { user } = await currentUser(ctx)
  if (user.is_anonymous) throw new DomainError('anonymous_no_models')
  if (expires_at && Date.parse(expires_at) <= now()) throw new DomainError('invalid', { message: 'expires_at: choose a time to come.' })
  for (const scope of scopes) if (!isOffered(scope)) throw new DomainError('invalid', { message: `There is no scope ${scope}.` })
  const key = `opk_${randomBytes(32).toString('base64url')}`
  const row = {
    id: newId(),
    user_id: user.id,
    name,
    prefix: key.slice(0, 12),
    hash: hashOfKey(key),
    scopes: [...new Set(scopes)],
    monthly_prompts,
    last_used_at: null,
    expires_at: expires_at ? new Date(expires_at) : null,
    revoked_at: null,
  }
  await inTransaction(ctx.db, async (trx: Trx) => {
    // Keys that are made at the same moment are counted one after the other.
    await sql`select 1 from users where id = ${user.id} for update`.execute(trx)
    const { held } = await trx
      .selectFrom('ai_keys')
      .select((select) => select.fn.countAll<string>().as('held'))
      .where('user_id', '=', user.id)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (Number(held) >= MAX_KEYS) throw new DomainError('conflict', { message: `You have ${MAX_KEYS} keys. Revoke one to make another.` })
    await trx.insertInto('ai_keys').values(row).execute()
    await audit(trx, ctx, user.id, 'api_key_created', { key_id: row.id, scopes: row.scopes })
  })
  return { id: row.id, key, prefix: row.prefix }
}

/** The capabilities that a key can be given by name: what needs a second factor or staff is never done by key. */
const offered = capabilitiesOf().filter(({ contract }) => contract.access === 'user')
const offeredNames = new Set(offered.map(({ name }) => name))
const isOffered = (scope: string) => !scope.startsWith('do:') || offeredNames.has(scope.slice(3))

export async function listScopes() {
  return { capabilities: offered.map(({ name, title, effect }) => ({ name, title, effect })) }
}

export async function revokeKey(ctx: AuthCtx, { key_id }: { key_id: string }) {
  const { user } = await currentUser(ctx)
  await inTransaction(ctx.db, async (trx: Trx) => {
    const revoked = await trx
      .updateTable('ai_keys')
      .set({ revoked_at: new Date(now()) })
      .where('id', '=', key_id)
      .where('user_id', '=', user.id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    if (!revoked.numUpdatedRows) throw new DomainError('not_found')
    await audit(trx, ctx, user.id, 'api_key_revoked', { key_id })
  })
  await announceEnded(ctx.deps, [key_id])
  return { revoked: true }
}

/** The owner took the account back: no key from before speaks for it. Joins the transaction that does so. */
export async function endKeys(trx: Trx, { deps }: AuthCtx, userId: string): Promise<void> {
  const ended = await trx
    .updateTable('ai_keys')
    .set({ revoked_at: new Date(now()) })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute()
  const ids = ended.map(({ id }) => id)
  afterCommit(trx, () => announceEnded(deps, ids))
}

async function announceEnded({ rt }: Deps, ids: string[]): Promise<void> {
  for (const key_id of ids) {
    rt.verifier.keys.forget(key_id)
    await rt.broadcast(keyRevoked, { key_id })
  }
}

/** Finds the owner of the key with this hash. Its last use is noted once a minute, so that a busy key does not write a row on every call. */
export async function findKey(ctx: AuthCtx, { hash }: { hash: string }): Promise<KeyAnswer> {
  const key = await ctx.db
    .selectFrom('ai_keys')
    .select(['id', 'user_id', 'scopes', 'monthly_prompts'])
    .select(sql<boolean>`revoked_at is null and (expires_at is null or expires_at > now())`.as('good'))
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (!key) return { state: 'unknown' }
  const { good, ...found } = key
  if (!good) return { state: 'ended' }
  await ctx.db
    .updateTable('ai_keys')
    .set({ last_used_at: sql`now()` })
    .where('id', '=', key.id)
    .where(sql<boolean>`last_used_at is null or last_used_at < now() - interval '1 minute'`)
    .execute()
  return { state: 'good', key: found }
}

/** Takes over keys from the service that kept them before. One that has ended in either place stays ended. */
export async function adoptKeys(ctx: AuthCtx, { keys }: z.output<typeof adoptContract.input>) {
  if (ctx.actor.kind !== 'service') throw new DomainError('forbidden')
  if (keys.length === 0) return { adopted: [] }
  const { rows } = await sql<{ id: string; revoked_at: Date | null }>`
    insert into ai_keys (id, user_id, name, prefix, hash, scopes, monthly_prompts, created_at, last_used_at, expires_at, revoked_at)
    select k.id, k.user_id, k.name, k.prefix, k.hash, array(select jsonb_array_elements_text(k.scopes)), k.monthly_prompts, k.created_at, k.last_used_at, k.expires_at, k.revoked_at
    from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as k (id uuid, user_id uuid, name text, prefix text, hash text, scopes jsonb, monthly_prompts integer,
      created_at timestamptz, last_used_at timestamptz, expires_at timestamptz, revoked_at timestamptz)
    join users u on u.id = k.user_id and u.deleted_at is null
    on conflict (id) do update set revoked_at = coalesce(ai_keys.revoked_at, excluded.revoked_at)
    returning id, revoked_at`.execute(ctx.db)
  await announceEnded(
    ctx.deps,
    rows.filter((row) => row.revoked_at).map(({ id }) => id),
  )
  // A key whose owner is gone is taken as well: it opens nothing.
  return { adopted: keys.map(({ id }) => id) }
}
