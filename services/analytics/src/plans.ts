import { subscriptionChanged } from '@operon/contracts/billing/events'
import type { Envelope } from '@operon/contracts/contract'
import { sql } from 'kysely'
import type { Trx } from './facts/record.ts'

/** Keeps the newest plan of an account. True where tier or status became another: renewals and late events tell nobody anything. */
export async function notePlan(trx: Trx, { name, user_id, payload }: Envelope<any>): Promise<boolean> {
  if (name !== subscriptionChanged.name || !user_id) return false
  const { tier, status, version } = subscriptionChanged.payload.parse(payload)
  // Two at once take turns, the first of all too, when there is no row to lock.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`plan ${user_id}`}, 0))`.execute(trx)
  const before = await trx.selectFrom('plans').selectAll().where('user_id', '=', user_id).executeTakeFirst()
  if (before && before.version >= version) return false
  await trx
    .insertInto('plans')
    .values({ user_id, tier, status, version })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ tier, status, version }))
    .execute()
  return before?.tier !== tier || before.status !== status
}
