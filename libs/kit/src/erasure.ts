import { type Erased, type Erasing, eraseUser, userErased } from '@operon/contracts/erasure'
import { userDeleted } from '@operon/contracts/identity/events'
import { type Kysely, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import type { Ctx } from './context.ts'
import { exportsPeople, type Holding } from './personal-data.ts'
import type { KitDb } from './schema.ts'
import type { Runtime } from './service.ts'
import { enqueue, inTransaction, publish } from './tx.ts'

/** Replaces a person where a row must stay. */
export const NOBODY = '00000000-0000-0000-0000-000000000000'

/** A table of which one person may have many rows: emptied of them before the rest, a piece at a time. */
export type Long = {
  table: string
  /** Selects the person's rows; those with their `user_id` when absent. */
  of?: (userId: string) => RawBuilder<SqlBool>
  /** Selects among the person's rows; all of them when absent. */
  where?: RawBuilder<SqlBool>
  /** The rows stay, under nobody's name or none; they go when absent. */
  becomes?: typeof NOBODY | null
  /** The rows stay with these changes, after which they are no longer selected. */
  set?: RawBuilder<unknown>
}

export type Eraser<DB> = {
  long?: readonly Long[]
  /** Runs first, to end things elsewhere; runs again when a later step fails. */
  before?: (ctx: Ctx<DB>, userId: string) => Promise<void>
  /** Erases the service's own rows. Reports what was deleted, what stays without the person, and what the law keeps. */
  erase: (trx: Transaction<DB & KitDb>, userId: string) => Promise<Partial<Erased>>
  /** The service's part of a person's export. */
  holds: readonly Holding[]
}

const OF_THE_KIT: Holding[] = [
  { table: 'entitlements', key: null },
  { table: 'usage_counters', key: null },
  { table: 'usage_reservations' },
  { table: 'usage_top_ups' },
]

const LONG_OF_THE_KIT: Long[] = [{ table: 'usage_reservations' }, { table: 'idempotency_keys' }]

/**
 * A service's part in showing a person what it holds of them, and in forgetting them: once for each time identity asks, by a job, with the
 * answer in the transaction of the deletion.
 */
export function erasesPeople<DB>(rt: Runtime<DB>, { before, long = [], erase, holds }: Eraser<DB>): void {
  exportsPeople(rt, [...holds, ...OF_THE_KIT])
  const service = rt.name as Erasing
  const work = eraseUser(service)
  rt.on(userDeleted, 'erase-user', async (trx, { user_id: userId }) => {
    if (userId) await enqueue(trx as never, work, { user_id: userId }, { userId })
  })
  rt.job(work, async (ctx, { payload: { user_id: userId } }) => {
    try {
      await before?.(ctx, userId)
      for (const each of [...long, ...LONG_OF_THE_KIT]) await erasePieces(ctx as never, each, userId)
      await inTransaction(ctx.db, async (trx) => {
        const { deleted = {}, anonymised = {}, kept = {} } = await erase(trx, userId)
        const own = await eraseKitRows(trx as never, userId)
        const pieces = await countPieces(trx as never, userId)
        await publish(trx as never, userErased(service), userId, {
          deleted: added({ ...deleted, ...own }, pieces.deleted),
          anonymised: added(anonymised, pieces.anonymised),
          kept,
        })
      })
    } catch (err) {
      rt.metrics.counter.inc({ service, what: 'erasure_stopped' })
      ctx.log.error({ err, user: userId }, 'erasing a deleted account stopped; what is gone stays gone, and the rest is tried again')
      throw err
    }
  })
}

const PIECE = 1_000

/** Each piece in a transaction of its own, with its count: a try that stops loses nothing, and the next one goes on. */
async function erasePieces(
  { db, signal }: Ctx<KitDb>,
  {
    table,
    of = byUserId,
    where = sql<SqlBool>`true`,
    becomes,
    set = becomes === undefined ? undefined : sql`user_id = ${becomes}::uuid`,
  }: Long,
  userId: string,
): Promise<void> {
  const [verb, kind] = set ? [sql`update`, 'anonymised'] : [sql`delete from`, 'deleted']
  for (let count = PIECE; count === PIECE; ) {
    signal.throwIfAborted()
    const { rows } = await sql<{ count: number }>`
      with gone as (
        ${verb} ${sql.table(table)} ${set ? sql`set ${set}` : sql``} where ctid = any(array(
          select ctid from ${sql.table(table)} where (${of(userId)}) and (${where}) limit ${PIECE})) returning 1
      ), counted as (
        insert into erased_pieces (user_id, kind, name, amount) select ${userId}::uuid, ${kind}, ${table}, count(*) from gone having count(*) > 0
        on conflict (user_id, kind, name) do update set amount = erased_pieces.amount + excluded.amount
      )
      select count(*)::int as count from gone`.execute(db)
    count = rows[0]!.count
  }
}

const byUserId = (userId: string) => sql<SqlBool>`user_id = ${userId}`

async function countPieces(trx: Kysely<KitDb>, userId: string): Promise<Record<'deleted' | 'anonymised', Record<string, number>>> {
  const rows = await trx.deleteFrom('erased_pieces').where('user_id', '=', userId).returning(['kind', 'name', 'amount']).execute()
  const of = (kind: string) => Object.fromEntries(rows.filter((row) => row.kind === kind).map(({ name, amount }) => [name, amount]))
  return { deleted: of('deleted'), anonymised: of('anonymised') }
}

const added = (counts: Record<string, number>, more: Record<string, number>) => ({
  ...counts,
  ...Object.fromEntries(Object.entries(more).map(([name, count]) => [name, count + (counts[name] ?? 0)])),
})

/** Every row of a person in these tables, counted by table. */
export async function deleteRows(trx: Kysely<any>, tables: readonly string[], userId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { numDeletedRows } = await trx.deleteFrom(table).where('user_id', '=', userId).executeTakeFirstOrThrow()
    counts[table] = Number(numDeletedRows)
  }
  return counts
}

/** The same rows under nobody's name. */
export async function anonymiseRows(trx: Kysely<any>, tables: readonly string[], userId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { numUpdatedRows } = await trx.updateTable(table).set({ user_id: NOBODY }).where('user_id', '=', userId).executeTakeFirstOrThrow()
    counts[table] = Number(numUpdatedRows)
  }
  return counts
}

/** The kit's own rows of every service. A parked message would bring the person back when it is replayed. */
async function eraseKitRows(trx: Kysely<KitDb>, userId: string): Promise<Record<string, number>> {
  const { numAffectedRows } = await sql`
    delete from inbox where parked_at is not null and envelope->>'user_id' = ${userId}`.execute(trx)
  return {
    ...(await deleteRows(trx, ['entitlements', 'usage_counters', 'usage_reservations', 'usage_top_ups', 'idempotency_keys'], userId)),
    parked_messages: Number(numAffectedRows ?? 0),
  }
}
