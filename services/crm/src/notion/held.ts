import { MOST_NOTION_ROWS } from '@operon/contracts/crm/notion-sync'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { type Kysely, sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import { actingFor, type CarriersRt } from '../email/transports.ts'
import type { CrmDb } from '../schema.ts'
import type { SyncRow } from './schema.ts'

export type Rt = Pick<CarriersRt, 'call'>
export type Held = { db: Kysely<CrmDb>; rt: Rt; sync: SyncRow }

const CALL_MS = 60_000

/** The sync was stopped, or another run has it. */
export class Lost extends Error {}

/** In a transaction that nobody stops or erases the sync in. */
export const whileHeld = <T>({ db, sync }: Held, work: (trx: Trx) => Promise<T>): Promise<T> =>
  inTransaction(db as Kysely<any>, async (trx: Trx) => {
    const { rows } = await sql`select from notion_syncs where id = ${sync.id} and lease = ${sync.lease} for update`.execute(trx)
    if (!rows.length) throw new Lost()
    return work(trx)
  })

export const asking = (userId: string, action: string) => ({
  ...actingFor(userId, action),
  ...(action === 'write-notion-row' && { idempotencyKey: newId() }),
  deadlineMs: CALL_MS,
})

/** So many more records can be held level. */
export async function roomOf({ db, sync }: Held): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from notion_links where sync_id = ${sync.id}`.execute(db)
  return MOST_NOTION_ROWS - rows[0]!.count
}
