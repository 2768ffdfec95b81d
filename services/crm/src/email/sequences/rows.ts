import { DomainError } from '@operon/kit/errors'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Trx } from '../../contacts/assert.ts'
import type { CrmDb } from '../../schema.ts'
import type { CampaignRow } from '../campaigns.ts'

export type SequenceRow = Selectable<CrmDb['email_sequences']>

export async function readSequence(db: Kysely<any>, userId: string, id: string): Promise<SequenceRow> {
  const row = await (db as Kysely<CrmDb>)
    .selectFrom('email_sequences')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return row
}

/** Its emails first, then itself: the order of whoever settles one of them, so that neither waits for the other in a circle. */
export async function lockSequence(trx: Trx, userId: string, id: string): Promise<SequenceRow> {
  await sql`select from email_campaigns where sequence_id = ${id} and user_id = ${userId} order by id for update`.execute(trx)
  const row = await trx
    .selectFrom('email_sequences')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return row
}

/** In their order. */
export const stepsOf = (db: Kysely<any>, userId: string, sequenceId: string): Promise<CampaignRow[]> =>
  (db as Kysely<CrmDb>)
    .selectFrom('email_campaigns')
    .selectAll()
    .where('sequence_id', '=', sequenceId)
    .where('user_id', '=', userId)
    .where('step', 'is not', null)
    .orderBy('step')
    .execute()

export const isReady = ({ subject, document }: Pick<CampaignRow, 'subject' | 'document'>) =>
  Boolean(subject.trim()) && document.blocks.length > 0
