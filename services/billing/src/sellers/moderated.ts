import type { Envelope, Payload } from '@operon/contracts/contract'
import type { listingModerated } from '@operon/contracts/marketplace/trust'
import { sql } from 'kysely'
import type { BillingCtx, Deps, Trx } from '../deps.ts'

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

/** The events of bans from before these were kept told nothing of them. Where an account has changed since, an event on its way says more. */
export async function learnBans(deps: Deps, { db }: BillingCtx): Promise<void> {
  for (let after: string | null = null; ; ) {
    const { accounts, more }: Awaited<ReturnType<Deps['keptOut']>> = await deps.keptOut(after)
    await sql`
      update accounts a set banned_until = b.banned_until
      from jsonb_to_recordset(${JSON.stringify(accounts)}::jsonb) as b (user_id uuid, banned_until timestamptz, version int)
      where a.user_id = b.user_id and a.person_version <= b.version and a.banned_until is distinct from b.banned_until`.execute(db)
    after = accounts.at(-1)?.user_id ?? null
    if (!more || !after) return
  }
}

/** Whether money must not move to a seller now: staff hold it, the marketplace has their sales suspended, or an operator keeps the account out. */
export const isStopped = sql<boolean>`(held_at is not null or suspended_because is not null
  or (select a.banned_until > now() from accounts a where a.user_id = seller_accounts.user_id) is true)`
