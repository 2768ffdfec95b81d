import { type Erased, type Erasing, eraseUser, userErased } from '@operon/contracts/erasure'
import { userDeleted } from '@operon/contracts/identity/events'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Ctx } from './context.ts'
import { exportsPeople, type Holding } from './personal-data.ts'
import type { KitDb } from './schema.ts'
import type { Runtime } from './service.ts'
import { enqueue, inTransaction, publish } from './tx.ts'

/** What stands in for a person where a row must stay. */
export const NOBODY = '00000000-0000-0000-0000-000000000000'

export type Eraser<DB> = {
  /** What has to be ended elsewhere first; runs again when what follows fails. */
  before?: (ctx: Ctx<DB>, userId: string) => Promise<void>
  /** What the service itself holds. Says what went, what stays without the person, and what the law keeps. */
  erase: (trx: Transaction<DB & KitDb>, userId: string) => Promise<Partial<Erased>>
  /** What the person is given when they ask for their data. */
  holds: readonly Holding[]
}

const OF_THE_KIT: Holding[] = [
  { table: 'entitlements', key: null },
  { table: 'usage_counters', key: null },
  { table: 'usage_reservations' },
]

/**
 * A service's part in showing a person what it holds of them, and in forgetting them: once for each time identity asks, by a job, with the
 * answer in the transaction of the deletion.
 */
export function erasesPeople<DB>(rt: Runtime<DB>, { before, erase, holds }: Eraser<DB>): void {
  exportsPeople(rt, [...holds, ...OF_THE_KIT])
  const service = rt.name as Erasing
  const work = eraseUser(service)
  rt.on(userDeleted, 'erase-user', async (trx, { user_id: userId }) => {
    if (userId) await enqueue(trx as never, work, { user_id: userId }, { userId })
  })
  rt.job(work, async (ctx, { payload: { user_id: userId } }) => {
    await before?.(ctx, userId)
    await inTransaction(ctx.db, async (trx) => {
      const { deleted = {}, anonymised = {}, kept = {} } = await erase(trx, userId)
      const own = await eraseKitRows(trx as never, userId)
      await publish(trx as never, userErased(service), userId, { deleted: { ...deleted, ...own }, anonymised, kept })
    })
  })
}

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

/** What the kit keeps for every service. A message that was given up on would bring the person back when it is replayed. */
async function eraseKitRows(trx: Kysely<KitDb>, userId: string): Promise<Record<string, number>> {
  const { numAffectedRows } = await sql`
    delete from inbox where parked_at is not null and envelope->>'user_id' = ${userId}`.execute(trx)
  return {
    ...(await deleteRows(trx, ['entitlements', 'usage_counters', 'usage_reservations', 'idempotency_keys'], userId)),
    parked_messages: Number(numAffectedRows ?? 0),
  }
}
