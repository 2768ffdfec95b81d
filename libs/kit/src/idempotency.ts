import { createHash } from 'node:crypto'
import { type Ctx, userIdOf } from './context.ts'
import { DomainError } from './errors.ts'

const RUNNING_FOR_MS = 120_000

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
    // A first call that died without an answer may be tried again after a while.
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'key'])
        .doUpdateSet({ created_at: new Date() })
        .where('idempotency_keys.status', 'is', null)
        .where('idempotency_keys.request_hash', '=', requestHash)
        .where('idempotency_keys.created_at', '<', new Date(Date.now() - RUNNING_FOR_MS)),
    )
    .returning('key')
    .executeTakeFirst()
  if (!mine) return (await answered(ctx, scope, call.key, requestHash)) as T

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
