import type { Envelope, Payload } from '@operon/contracts/contract'
import type { aiTopUpDrawn } from '@operon/contracts/top-ups'
import { sql } from 'kysely'
import type { Trx } from '../deps.ts'

/** How much of a top-up is used, and how much was at the end of each month: by that its revenue is earned. */
export async function keepDrawn(trx: Trx, { user_id: userId, payload }: Envelope<Payload<typeof aiTopUpDrawn>>): Promise<void> {
  const { top_up_id: id, drawn, version } = payload
  if (!userId) return
  const kept = await trx
    .updateTable('top_ups')
    .set({ drawn, draws: version, earned: false })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('draws', '<', version)
    .returning('id')
    .executeTakeFirst()
  if (!kept) return
  await sql`
    insert into top_up_months (top_up_id, month, drawn)
    values (${id}, to_char(provider_now(${userId}) at time zone 'utc', 'YYYY-MM'), ${drawn})
    on conflict (top_up_id, month) do update set drawn = excluded.drawn`.execute(trx)
}
