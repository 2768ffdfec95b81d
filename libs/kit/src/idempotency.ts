import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type Ctx, userIdOf } from './context.ts'
import { DomainError } from './errors.ts'

/** A call that runs says so every few seconds; one that has fallen silent died without an answer and may be tried again. */
const SAYS_SO_EVERY_MS = 4_000
const SILENT_FOR_S = 15
// The database's clock alone: by one that runs ahead of it every running call would look silent.
const now = sql<Date>`now()`

/** Keeps the first answer to a key and gives it again. A key belongs to one caller and one request. */
export async function idempotent<T>(
  ctx: Ctx<any>,
  call: { scope: string; key: string; input: unknown; run: () => Promise<T> },
): Promise<T> {
  const scope = `${call.scope}:${userIdOf(ctx.actor) ?? ctx.ip}`
  const requestHash = createHash('sha256').update(JSON.stringify(call.input)).digest('hex')
  const mark = { scope, key: call.key, request_hash: requestHash, status: null, reply: null }
  const mine = await ctx.db
    .insertInto('idempotency_keys')
    .values(mark)
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'key'])
        .doUpdateSet({ created_at: now })
        .where('idempotency_keys.status', 'is', null)
        .where('idempotency_keys.request_hash', '=', requestHash)
        .where('idempotency_keys.created_at', '<', sql<Date>`now() - ${SILENT_FOR_S} * interval '1 second'`),
    )
    .returning('key')
    .executeTakeFirst()
  if (!mine) return (await answered(ctx, scope, call.key, requestHash)) as T

  const sayingSo = setInterval(() => {
    const said = ctx.db.updateTable('idempotency_keys').set({ created_at: now }).where('scope', '=', scope).where('key', '=', call.key)
    said.execute().catch((err: unknown) => ctx.log.warn({ err }, 'a running call could not say so'))
  }, SAYS_SO_EVERY_MS)
  try {
    const reply = await call.run()
    await ctx.db
      .updateTable('idempotency_keys')
      .set({ status: 200, reply: JSON.stringify(reply) })
      .where('scope', '=', scope)
      .where('key', '=', call.key)
      .execute()
    return reply
  } catch (error) {
    await ctx.db.deleteFrom('idempotency_keys').where('scope', '=', scope).where('key', '=', call.key).where('status', 'is', null).execute()
    throw error
  } finally {
    clearInterval(sayingSo)
  }
}

async function answered(ctx: Ctx<any>, scope: string, key: string, requestHash: string): Promise<unknown> {
  const row = await ctx.db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'reply'])
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirst()
  if (row && row.request_hash !== requestHash) throw new DomainError('idempotency_mismatch')
  if (!row || row.status === null) throw new DomainError('idempotency_running', { headers: { 'retry-after': '1' } })
  return row.reply
}
