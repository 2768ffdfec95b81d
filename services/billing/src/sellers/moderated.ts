import type { Envelope, Payload } from '@operon/contracts/contract'
import type { listingModerated } from '@operon/contracts/marketplace/trust'
import { moment } from '@operon/contracts/words'
import { keptOutPages } from '@operon/kit/banned'
import { DAY_MS, now } from '@operon/kit/clock'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Db, Deps, Trx } from '../deps.ts'
import { readSetting, replaceSetting, writeSetting } from '../settings.ts'
import { closeMatter, openMatter } from '../staff/matters.ts'

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

const LEARNED_AT = 'bans:learned'
const SILENT_SINCE = 'bans:silent'
/** So long what was learned is enough: newer bans come as events. */
const LEARNED_LASTS_MS = DAY_MS
const SILENCE_TOLD_MS = 6 * 3_600_000
const silence = { matter: 'payout', subject: 'bans' } as const

/**
 * Whether every ban is known that a payout has to wait for. While identity has not said so for a day, no Friday is decided: money that has
 * left does not come back, and a later sweep pays out the same. After hours of silence staff are told.
 */
export async function knowsBans(deps: Deps, { db, log }: Pick<BillingCtx, 'db' | 'log'>): Promise<boolean> {
  try {
    for await (const accounts of keptOutPages(deps.keptOut)) await keepBans(db, accounts)
  } catch (err) {
    const learnedAt = await readSetting<string>(db, LEARNED_AT)
    if (learnedAt && now() - Date.parse(learnedAt) < LEARNED_LASTS_MS) return true
    const since = await writeSetting(db, SILENT_SINCE, new Date(now()).toISOString())
    log.warn({ err, since }, 'identity did not say who is kept out: no payouts are decided until it does')
    if (now() - Date.parse(since) >= SILENCE_TOLD_MS)
      await inTransaction(db, (trx) => openMatter(trx, { ...silence, ...silenceTold(since) }))
    return false
  }
  await replaceSetting(db, LEARNED_AT, new Date(now()).toISOString())
  await inTransaction(db, async (trx) => {
    await trx.deleteFrom('provider_settings').where('key', '=', SILENT_SINCE).execute()
    await closeMatter(trx, silence.matter, silence.subject)
  })
  return true
}
const silenceTold = (since: string) => ({
  title: 'Payouts wait: suspended accounts are not known',
  body: `The identity service has not said since ${moment(new Date(since))} which accounts are suspended, so no new payouts are made. They go out by themselves once it answers.`,
})

/** Where an account has changed since the ban, an event on its way says more. */
const keepBans = (db: Db, accounts: object[]) =>
  sql`
    update accounts a set banned_until = b.banned_until
    from jsonb_to_recordset(${JSON.stringify(accounts)}::jsonb) as b (user_id uuid, banned_until timestamptz, version int)
    where a.user_id = b.user_id and a.person_version <= b.version and a.banned_until is distinct from b.banned_until`.execute(db)

/** Whether money must not move to a seller now: staff hold it, the marketplace has their sales suspended, or an operator keeps the account out. */
export const isStopped = sql<boolean>`(held_at is not null or suspended_because is not null
  or (select a.banned_until > now() from accounts a where a.user_id = seller_accounts.user_id) is true)`
