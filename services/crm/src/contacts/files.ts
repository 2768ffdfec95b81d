import type { Input, Output } from '@operon/contracts/contract'
import { type attachContactFile, type contactFiles, type detachContactFile, FILES_OF_A_CONTACT } from '@operon/contracts/crm/files'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import type { Trx } from './assert.ts'

/** The id is a note of which file: media gives the file itself only to whom it belongs. */
export async function attachFile(
  ctx: Ctx<CrmDb>,
  { contact_id, file_id, name }: Input<typeof attachContactFile>,
): Promise<Output<typeof attachContactFile>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    // Held to the end, so that two at once do not both take the last place.
    await ofContact(trx as Trx, userId, contact_id, sql`for update`)
    await trx
      .insertInto('contact_files')
      .values({ id: newId(), user_id: userId, contact_id, file_id, name })
      .onConflict((on) => on.columns(['user_id', 'contact_id', 'file_id']).doUpdateSet({ name }))
      .execute()
    const files = await filesOf(trx as Trx, userId, contact_id, FILES_OF_A_CONTACT + 1)
    if (files.length > FILES_OF_A_CONTACT) throw new DomainError('contact_files_full')
    return { file_id }
  })
}

export async function detachFile(
  ctx: Ctx<CrmDb>,
  { contact_id, file_id }: Input<typeof detachContactFile>,
): Promise<Output<typeof detachContactFile>> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('contact_files')
    .where('user_id', '=', signedIn(ctx).id)
    .where('contact_id', '=', contact_id)
    .where('file_id', '=', file_id)
    .executeTakeFirstOrThrow()
  if (!numDeletedRows) throw new DomainError('not_found')
  return { file_id }
}

export async function listContactFiles(ctx: Ctx<CrmDb>, { contact_id }: Input<typeof contactFiles>): Promise<Output<typeof contactFiles>> {
  const { id: userId } = signedIn(ctx)
  await ofContact(ctx.db as never, userId, contact_id)
  const files = await filesOf(ctx.db as never, userId, contact_id)
  return { files: files.map(({ added_at, ...file }) => ({ ...file, added_at: added_at.toISOString() })) }
}

async function ofContact(db: Trx, userId: string, contactId: string, held = sql``) {
  const { rows } = await sql`select from leads where id = ${contactId} and user_id = ${userId} ${held}`.execute(db)
  if (rows.length === 0) throw new DomainError('not_found')
}

/** After a merge it is those of both. */
const MOST_SHOWN = 1_000
const filesOf = (db: Trx, userId: string, contactId: string, most = MOST_SHOWN) =>
  db
    .selectFrom('contact_files')
    .select(['file_id', 'name', 'added_at'])
    .where('user_id', '=', userId)
    .where('contact_id', '=', contactId)
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
