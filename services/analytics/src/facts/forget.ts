import { lockPerson, type Trx } from './record.ts'

/** What a person saw goes; the figures they were part of stay, without them. */
export async function forgetPerson(trx: Trx, userId: string): Promise<void> {
  await lockPerson(trx, userId, 'alone')
  await trx
    .insertInto('erased_people')
    .values({ user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await trx.deleteFrom('activity_logs').where('user_id', '=', userId).execute()
  await trx.deleteFrom('notifications').where('user_id', '=', userId).execute()
  await trx.deleteFrom('plans').where('user_id', '=', userId).execute()
  await trx.updateTable('facts').set({ user_id: null }).where('user_id', '=', userId).execute()
}
