import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/deals'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { leaveRoom } from './change.ts'

const KEPT_DAYS = 30

export async function deleteDeal(
  ctx: Ctx<CrmDb>,
  { deal_id }: Input<typeof contract.deleteDeal>,
): Promise<Output<typeof contract.deleteDeal>> {
  const gone = await ctx.db
    .updateTable('deals')
    .set({ deleted_at: sql`now()`, version: sql`version + 1` })
    .where('id', '=', deal_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('deleted_at', 'is', null)
    .returning('title')
    .executeTakeFirst()
  if (!gone) throw new DomainError('not_found')
  return { deal_id, title: gone.title }
}

/** Into its stage, or where that is gone by now into the first of its pipeline. */
export async function restoreDeal(
  ctx: Ctx<CrmDb>,
  { deal_id }: Input<typeof contract.restoreDeal>,
): Promise<Output<typeof contract.restoreDeal>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await leaveRoom(trx, userId)
    const { rows } = await sql`
      update deals d set deleted_at = null, version = version + 1, stage_id = coalesce(
        (select id from pipeline_stages where id = d.stage_id),
        (select id from pipeline_stages where pipeline_id = d.pipeline_id order by place limit 1))
      where id = ${deal_id} and user_id = ${userId} and deleted_at is not null returning id`.execute(trx)
    if (!rows[0]) throw new DomainError('not_found')
    return { deal_id }
  })
}

const PIECE = 200
export async function forgetDeleted(ctx: Pick<Ctx<CrmDb>, 'db' | 'signal'>): Promise<void> {
  for (let gone = PIECE; gone === PIECE; ) {
    ctx.signal.throwIfAborted()
    const { rows } = await sql<{ count: number }>`
      with old as (
        delete from deals where id in (
          select id from deals where deleted_at < now() - ${KEPT_DAYS} * interval '1 day' limit ${PIECE}) returning user_id, id
      ), mentions_gone as (delete from note_mentions n using old where n.user_id = old.user_id and n.deal_id = old.id)
      select count(*)::int as count from old`.execute(ctx.db)
    gone = rows[0]!.count
  }
}
