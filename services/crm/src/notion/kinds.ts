import { sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import { contacts } from './contacts.ts'
import type { Kind } from './kind.ts'
import type { Own, SyncRow } from './schema.ts'
import { tasks } from './tasks.ts'

const kinds: Record<SyncRow['kind'], Kind> = { contacts, tasks }
export const kindOf = ({ kind }: Pick<SyncRow, 'kind'>): Kind => kinds[kind]

export async function ownOf(trx: Trx, sync: SyncRow, id: string): Promise<Own | undefined> {
  const { table, records } = kindOf(sync)
  await sql`select from ${sql.table(table)} where id = ${id} and user_id = ${sync.user_id} for update`.execute(trx)
  const { rows } = await sql<Own>`select r.* from (${records}) r where r.id = ${id} and r.user_id = ${sync.user_id}`.execute(trx)
  return rows[0]
}
