import type { RawBuilder } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { Field, Fields, Own, SyncRow, Usable } from './schema.ts'

/** How one kind of record is held level with rows. */
export type Kind = {
  table: 'leads' | 'tasks'
  /** A query of all of them: id, user_id, version, the fields, and whether one that has no row yet gets one. */
  records: RawBuilder<unknown>
  /** The field by which a row is looked for before one is added. */
  unique: Field | null
  /** The values of a row as they are here; `own` is the record that has the row, where one has. */
  usable(trx: Trx, sync: SyncRow, there: Fields, own: Own | null): Promise<Usable>
  /** The record for a row that has none, made where there is none. */
  find(trx: Trx, sync: SyncRow, there: Fields): Promise<{ id: string } | 'unusable' | 'unwanted'>
  change(trx: Trx, userId: string, id: string, changes: Fields): Promise<unknown>
}
