import type { Envelope, Payload } from '@operon/contracts/contract'
import type { listingModerated } from '@operon/contracts/marketplace/trust'
import { sql } from 'kysely'
import type { Trx } from '../deps.ts'

/** While the marketplace has a seller suspended, nothing is paid out to them. The newest decision counts, however late it is heard. */
export async function keepModerated(trx: Trx, { user_id: seller, at, payload }: Envelope<Payload<typeof listingModerated>>): Promise<void> {
  const { decision, reason } = payload
  if (!seller || (decision !== 'suspend' && decision !== 'reinstate')) return
  const decided = new Date(at)
  await trx
    .updateTable('seller_accounts')
    .set({ suspended_because: decision === 'suspend' ? reason : null, moderated_at: decided })
    .where('user_id', '=', seller)
    .where((or) => or.or([or('moderated_at', 'is', null), or('moderated_at', '<', decided)]))
    .execute()
}

/** Whether money must not move to a seller now: staff hold it, the marketplace has their sales suspended, or an operator keeps the account out. */
export const isStopped = sql<boolean>`(held_at is not null or suspended_because is not null
  or (select a.banned_until > now() from accounts a where a.user_id = seller_accounts.user_id) is true)`
