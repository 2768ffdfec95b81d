import type { Erased } from '@operon/contracts/erasure'
import { deleteRows } from '@operon/kit/erasure'
import { sql } from 'kysely'
import { lockPeople, type Trx } from './record.ts'

/** Deletes the person's own lines; the figures they were part of stay, without them. */
export async function forgetPerson(trx: Trx, userId: string): Promise<Partial<Erased>> {
  await lockPeople(trx, [userId], 'alone')
  await trx
    .insertInto('erased_people')
    .values({ user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  // The sample events of a demo happened to nobody.
  await trx.deleteFrom('facts').where('user_id', '=', userId).where(sql<boolean>`payload @> '{"demo": true}'`).execute()
  // The facts first: this waits for those that are being summed up, and the sums go after them.
  const facts = await trx.updateTable('facts').set({ user_id: null }).where('user_id', '=', userId).executeTakeFirstOrThrow()
  const deleted = await deleteRows(
    trx,
    ['activity_logs', 'notifications', 'plans', 'states', 'fact_sums', 'fact_days', 'fact_all_time'],
    userId,
  )
  return { deleted, anonymised: { facts: Number(facts.numUpdatedRows) } }
}
