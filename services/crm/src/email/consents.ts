import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/email/audience'
import { optInMail } from '@operon/contracts/crm/email/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { type Kysely, sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import { reachable } from '../people/reachable.ts'
import type { CrmDb } from '../schema.ts'
import { placeIn } from './campaigns.ts'
import { leaveSequences } from './sequences/enter.ts'

export type Said = { state: 'given' | 'withdrawn' | 'bounced' | 'complained'; evidence: string }
export type Who = { userId: string; channel?: 'email' | 'sms'; address: string }

/**
 * Writes down what the owner of an address has said, or what became of it. A bounce hides no withdrawal or complaint: those are the
 * person's word, and only their own consent ends them. Returns whether anything changed.
 */
export async function keepConsent(
  db: Kysely<any>,
  { userId, channel = 'email', address }: Who,
  { state, evidence }: Said,
): Promise<boolean> {
  const { rows } = await sql`
    insert into consents as c (id, user_id, channel, address, state, evidence)
    values (${newId()}, ${userId}, ${channel}, ${address.trim().toLowerCase()}, ${state}, ${evidence.slice(0, 500)})
    on conflict (user_id, channel, address) do update set state = excluded.state, evidence = excluded.evidence, at = now()
      where c.state <> excluded.state and not (excluded.state = 'bounced' and c.state in ('withdrawn', 'complained'))
    returning id`.execute(db)
  if (rows.length && channel === 'email' && state !== 'given') await leaveSequences(db, userId, address.trim().toLowerCase(), state)
  return rows.length > 0
}

/** Consent that comes by the way, as by a program of the account: it never takes back what somebody has ended. */
export async function noteConsent(db: Kysely<any>, { userId, channel = 'email', address }: Who, evidence: string): Promise<void> {
  await sql`
    insert into consents (id, user_id, channel, address, state, evidence)
    values (${newId()}, ${userId}, ${channel}, ${address.trim().toLowerCase()}, 'given', ${evidence.slice(0, 500)})
    on conflict (user_id, channel, address) do nothing`.execute(db)
}

export async function listSuppressions(
  ctx: Ctx<CrmDb>,
  { query, limit, cursor }: Input<typeof contract.listSuppressions>,
): Promise<Output<typeof contract.listSuppressions>> {
  const place = placeIn(cursor)
  const rows = await ctx.db
    .selectFrom('consents')
    .selectAll()
    .where('user_id', '=', signedIn(ctx).id)
    .where('channel', '=', 'email')
    .where('state', '<>', 'given')
    .$if(Boolean(query?.trim()), (of) =>
      of.where(
        'address',
        'like',
        `${query!
          .trim()
          .toLowerCase()
          .replace(/[\\%_]/g, '\\$&')}%`,
      ),
    )
    .$if(place !== null, (of) => of.where('id', '<', place!))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  return {
    suppressions: shown.map(({ id, address, state, evidence, at }) => ({
      ...{ id, email: address, state: state as 'withdrawn', reason: evidence },
      at: at.toISOString(),
    })),
    cursor: rows.length > limit ? shown.at(-1)!.id : null,
  }
}

const BY_OWNER = 'Stopped by you'
export async function addSuppression(ctx: Ctx<CrmDb>, { email }: Input<typeof contract.addSuppression>): Promise<{ id: string }> {
  const userId = signedIn(ctx).id
  const { rows } = await sql<{ id: string }>`
    insert into consents as c (id, user_id, channel, address, state, evidence) values (${newId()}, ${userId}, 'email', ${email}, 'bounced', ${BY_OWNER})
    on conflict (user_id, channel, address) do update set state = case when c.state = 'given' then 'bounced' else c.state end,
      evidence = case when c.state = 'given' then excluded.evidence else c.evidence end returning id`.execute(ctx.db)
  await leaveSequences(ctx.db, userId, email, 'stopped')
  return { id: rows[0]!.id }
}

/** Only what was not the person's own word. */
export async function removeSuppression(
  ctx: Ctx<CrmDb>,
  { email }: Input<typeof contract.removeSuppression>,
): Promise<{ removed: boolean }> {
  const userId = signedIn(ctx).id
  const { numDeletedRows } = await own(ctx.db, userId, email).where('state', '=', 'bounced').executeTakeFirstOrThrow()
  if (numDeletedRows) return { removed: true }
  const kept = await ctx.db
    .selectFrom('consents')
    .select('id')
    .where('user_id', '=', userId)
    .where('channel', '=', 'email')
    .where('address', '=', email)
    .where('state', '<>', 'given')
    .executeTakeFirst()
  throw new DomainError(kept ? 'suppression_theirs' : 'not_found')
}
const own = (db: Ctx<CrmDb>['db'], userId: string, email: string) =>
  db.deleteFrom('consents').where('user_id', '=', userId).where('channel', '=', 'email').where('address', '=', email)

// These go out from the platform's own address, so one account cannot use it up.
const ASKED_AN_HOUR = 60
export async function askOptIn(
  ctx: Ctx<CrmDb>,
  { email }: Input<typeof contract.askOptIn>,
  { cache }: Pick<Runtime, 'cache'>,
): Promise<{ asked: boolean }> {
  const { id: userId } = reachable(ctx)
  const asked = await requestOptIn(ctx.db, cache, userId, email)
  if (asked !== 'asked') throw new DomainError(refusals[asked])
  return { asked: true }
}

type OptInAsked = 'asked' | keyof typeof refusals
const refusals = { today: 'opt_in_asked', often: 'opt_in_enough', suppressed: 'address_suppressed' } as const
const TO_AN_INBOX_A_DAY = 10
/** From one account to one address that does not answer. */
const MOST_ASKS = 3

/**
 * At most one letter a day to an address from an account and ten from all, three from an account in all, 60 an hour from an account, and
 * none to an address that complained.
 */
export async function requestOptIn(db: Ctx<CrmDb>['db'], cache: Runtime['cache'], userId: string, email: string): Promise<OptInAsked> {
  if (!(await cache.take(`opt-ins of ${userId}`, ASKED_AN_HOUR, 3_600_000)).ok) throw new DomainError('email_pace')
  return inTransaction(db, (trx) => placeOptIn(trx as unknown as Trx, cache, userId, email))
}

async function placeOptIn(trx: Trx, cache: Runtime['cache'], userId: string, email: string): Promise<OptInAsked> {
  const { rows: no } = await sql`
    select from consents where user_id = ${userId} and channel = 'email' and address = ${email} and state in ('complained', 'bounced')`.execute(
    trx,
  )
  if (no.length) return 'suppressed'
  const id = await claimOptIn(trx, userId, email)
  if (!id) return (await isAskedOften(trx, userId, email)) ? 'often' : 'today'
  const full = await fullInbox(cache, email)
  // Thrown inside the transaction: an address that was not written to counts as not asked.
  if (full) throw new DomainError('opt_in_inbox', { message: full })
  await enqueue(trx, optInMail, { consent_id: id, user_id: userId }, { userId })
  return 'asked'
}

/** The id under which the address is asked now; null where a letter went out today, or as often as one may. */
export async function claimOptIn(trx: Trx, userId: string, email: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    insert into email_opt_ins as o (id, user_id, email) values (${newId()}, ${userId}, ${email})
    on conflict (user_id, email) do update set asked_at = now(), asks = o.asks + 1
      where o.asked_at < now() - interval '1 day' and o.asks < ${MOST_ASKS} returning id`.execute(trx)
  return rows[0]?.id ?? null
}

/** No letter went out after all. */
export async function unclaimOptIn(trx: Trx, userId: string, id: string): Promise<void> {
  await trx.deleteFrom('email_opt_ins').where('id', '=', id).where('user_id', '=', userId).where('asks', '=', 1).execute()
  await trx
    .updateTable('email_opt_ins')
    .set({ asks: sql`asks - 1`, asked_at: sql`asked_at - interval '1 day'` })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .execute()
}

const isAskedOften = async (trx: Trx, userId: string, email: string) =>
  (await trx
    .selectFrom('email_opt_ins')
    .select('id')
    .where('user_id', '=', userId)
    .where('email', '=', email)
    .where('asks', '>=', MOST_ASKS)
    .executeTakeFirst()) !== undefined

/** The owner of the address has answered the letter: a yes lets it be asked anew one day, a no ends all asking. */
export async function answerOptIn(trx: Trx, id: string, agreed: boolean): Promise<void> {
  await trx
    .updateTable('email_opt_ins')
    .set(agreed ? { confirmed_at: sql<Date>`coalesce(confirmed_at, now())`, asks: 0 } : { asks: MOST_ASKS })
    .where('id', '=', id)
    .execute()
}

/** Across all accounts, since one person can open many: null, or that nothing is sent, and when one may ask again. */
export async function fullInbox(cache: Runtime['cache'], email: string): Promise<string | null> {
  const { ok, retryAfterMs } = await cache.take(`opt-ins to ${email}`, TO_AN_INBOX_A_DAY, 86_400_000)
  if (ok) return null
  const hours = Math.max(1, Math.ceil(retryAfterMs / 3_600_000))
  return `This address was asked by others many times today, so nothing was sent. Ask again in ${hours} ${hours === 1 ? 'hour' : 'hours'}.`
}
