import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { type Ctx, userIdOf } from './context.ts'
import { DomainError } from './errors.ts'
import type { KitDb } from './schema.ts'
import { inTransaction } from './tx.ts'

/** A call that runs says so every few seconds; one that has fallen silent died without an answer and may be tried again. */
const SAYS_SO_EVERY_MS = 4_000
const SILENT_FOR_S = 15
/** How long a key is good after its last use, or after the end of the run or approval that it belongs to. */
const KEPT_DAYS = 90
// The database's clock alone: by one that runs ahead of it every running call would look silent.
const now = sql<Date>`now()`

type Call<T, C> = { scope: string; key: string; input: unknown; run: (ctx: C) => Promise<T> }

/**
 * Runs a function that works in this database alone: mark, effect and answer commit together, so a process that dies in between leaves
 * nothing behind, and one that dies afterwards has left all of it. The function gets the transaction as its database.
 */
export async function once<T, C extends Ctx<any>>(ctx: C, { scope, key, input, run }: Call<T, C>): Promise<T> {
  const mark = markOf(ctx, scope, key, input)
  if (await isAnswered(ctx.db, mark)) return (await answered(ctx.db, mark)) as T
  return inTransaction(ctx.db as unknown as Kysely<KitDb>, async (trx) => {
    // The second of two at once is told so, instead of waiting with a connection in its hand.
    const { rows } = await sql<{
      mine: boolean
    }>`select pg_try_advisory_xact_lock(hashtextextended(${`${mark.scope} ${key}`}, 0)) as mine`.execute(trx)
    if (!rows[0]!.mine) throw running()
    if (!(await take(trx, mark))) return (await answered(trx, mark)) as T
    const reply = await run({ ...ctx, db: trx as never })
    await keep(trx, mark, reply)
    return reply
  })
}

/**
 * Runs a function that calls a provider: the mark is there before, the answer after it. A call that died in between runs again, so the
 * provider has to know the key, or the function its own state.
 */
export async function twoPhase<T, C extends Ctx<any>>(ctx: C, { scope, key, input, run }: Call<T, C>): Promise<T> {
  const mark = markOf(ctx, scope, key, input)
  if (!(await take(ctx.db, mark))) return (await answered(ctx.db, mark)) as T
  const here = ctx.db.updateTable('idempotency_keys').where('scope', '=', mark.scope).where('key', '=', key)
  const sayingSo = setInterval(() => {
    here
      .set({ created_at: now })
      .execute()
      .catch((err: unknown) =>
        ctx.log.warn({ err, requestId: ctx.requestId }, 'a running call could not renew its key; another may take it over'),
      )
  }, SAYS_SO_EVERY_MS)
  try {
    const reply = await run(ctx)
    await keep(ctx.db, mark, reply)
    return reply
  } catch (error) {
    await ctx.db.deleteFrom('idempotency_keys').where('scope', '=', mark.scope).where('key', '=', key).where('status', 'is', null).execute()
    throw error
  } finally {
    clearInterval(sayingSo)
  }
}

type Mark = ReturnType<typeof markOf>

/** A key belongs to one caller and one request. */
function markOf(ctx: Ctx<any>, scope: string, key: string, input: unknown) {
  const userId = userIdOf(ctx.actor)
  return {
    scope: `${scope}:${userId ?? ctx.ip}`,
    key,
    request_hash: createHash('sha256').update(JSON.stringify(input)).digest('hex'),
    status: null,
    reply: null,
    user_id: userId,
    expires_at: sql<Date>`greatest(now(), ${ctx.grant?.until ?? null}::timestamptz) + ${KEPT_DAYS} * interval '1 day'`,
  }
}

/** True for the one call that may run. */
async function take(db: Kysely<KitDb>, mark: Mark): Promise<boolean> {
  const mine = await db
    .insertInto('idempotency_keys')
    .values(mark)
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'key'])
        .doUpdateSet({ created_at: now })
        .where('idempotency_keys.status', 'is', null)
        .where('idempotency_keys.request_hash', '=', mark.request_hash)
        .where('idempotency_keys.created_at', '<', sql<Date>`now() - ${SILENT_FOR_S} * interval '1 second'`),
    )
    .returning('key')
    .executeTakeFirst()
  return mine !== undefined
}

const keep = (db: Kysely<KitDb>, { scope, key }: Mark, reply: unknown) =>
  db
    .updateTable('idempotency_keys')
    .set({ status: 200, reply: JSON.stringify(reply) })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .execute()

const isAnswered = async (db: Kysely<KitDb>, { scope, key }: Mark): Promise<boolean> =>
  (await db
    .selectFrom('idempotency_keys')
    .select('key')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('status', 'is not', null)
    .executeTakeFirst()) !== undefined

/** The outcome of the key so far. Asking for it renews its time. */
async function answered(db: Kysely<KitDb>, { scope, key, request_hash, expires_at }: Mark): Promise<unknown> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'reply'])
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirst()
  if (row && row.request_hash !== request_hash) throw new DomainError('idempotency_mismatch')
  if (!row || row.status === null) throw running()
  await db.updateTable('idempotency_keys').set({ expires_at }).where('scope', '=', scope).where('key', '=', key).execute()
  return row.reply
}

const running = () => new DomainError('idempotency_running', { headers: { 'retry-after': '1' } })
