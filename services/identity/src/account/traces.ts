import type { Payload } from '@operon/contracts/contract'
import type * as identity from '@operon/contracts/identity/events'
import type { JobRun } from '@operon/kit/jobs/jobs'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AuthCtx } from '../deps.ts'

/** Where a deleted person came from and with what: sessions and the log stay, without it. */
const TRACES: { table: string; where: RawBuilder<SqlBool>; change: RawBuilder<unknown> }[] = [
  { table: 'sessions', where: sql`(ip <> '' or user_agent <> '')`, change: sql`update sessions set ip = '', user_agent = ''` },
  {
    table: 'audit_log',
    where: sql`(ip <> '' or user_agent <> '' or detail <> '{}')`,
    change: sql`update audit_log set ip = '', user_agent = '', detail = '{}'`,
  },
  { table: 'oauth_requests', where: sql`true`, change: sql`delete from oauth_requests` },
]
const PIECE = 1_000

/** At most a thousand of each, and whether there may be more. */
export async function forgetSomeTraces(db: Kysely<any>, userId: string): Promise<{ more: boolean }> {
  const counts: number[] = []
  for (const { table, where, change } of TRACES) {
    const { numAffectedRows } = await sql`
      ${change} where ctid = any(array(
        select ctid from ${sql.table(table)} where user_id = ${userId} and ${where} limit ${PIECE}))`.execute(db)
    counts.push(Number(numAffectedRows ?? 0))
  }
  return { more: counts.some((count) => count === PIECE) }
}

/** Each piece stays done, so a try that stops is gone on with by the next. */
export async function forgetTraces(
  ctx: AuthCtx,
  { payload: { user_id: userId } }: JobRun<Payload<typeof identity.forgetTraces>>,
): Promise<void> {
  while ((await forgetSomeTraces(ctx.db, userId)).more) ctx.signal.throwIfAborted()
}
