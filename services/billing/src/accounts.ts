import { randomInt } from 'node:crypto'
import { now } from '@operon/kit/clock'
import { signedIn, type UserActor } from '@operon/kit/context'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Db, Deps, Trx } from './deps.ts'
import { bookCredits, forfeitCredit } from './ledger/credits.ts'
import { writeSetting } from './settings.ts'
import { publishSubscription, startOfMonth } from './subscriptions/entitlement.ts'

/** `bannedUntil` is undefined where nothing was said of it. */
export type Person = { userId: string; email: string | null; name: string | null; version: number; bannedUntil?: Date | null | undefined }

/** An account begins with its first sign: the event of its creation or its first call, whichever comes first. */
export async function ensureAccount(trx: Trx, person: Person): Promise<void> {
  const { userId, email, name, version, bannedUntil = null } = person
  const made = await trx
    .insertInto('accounts')
    .values({
      user_id: userId,
      email,
      name,
      banned_until: bannedUntil,
      person_version: version,
      stripe_customer_id: null,
      referral_code: newCode(),
      trial_used_at: null,
      closed_at: null,
    })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (!made) return void (await updatePerson(trx, person))
  const row = await trx
    .insertInto('subscriptions')
    .values({
      user_id: userId,
      stripe_subscription_id: null,
      stripe_item_id: null,
      plan: null,
      period_start: startOfMonth(),
      period_end: null,
      trial_end: null,
      grace_until: null,
      reminded_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await publishSubscription(trx, row)
}

async function updatePerson(trx: Trx, { userId, email, name, version, bannedUntil }: Person): Promise<boolean> {
  const updated = await trx
    .updateTable('accounts')
    .set({ email, name, person_version: version, ...(bannedUntil !== undefined && { banned_until: bannedUntil }) })
    .where('user_id', '=', userId)
    .where('person_version', '<', version)
    .where('closed_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst()
  return updated !== undefined
}

/** The account of the caller, made when the event of its creation is still on its way. */
export async function accountOf(ctx: BillingCtx) {
  const user = signedIn(ctx)
  const find = () => ctx.db.selectFrom('accounts').selectAll().where('user_id', '=', user.id).executeTakeFirst()
  const known = await find()
  if (known) return known
  await inTransaction(ctx.db, (trx) => ensureAccount(trx, personOf(user)))
  return (await find())!
}

const KEYS_LIVE_MS = 20 * 3_600_000

/**
 * One customer an account. The account's row, which names the key, stands before the provider is called; callers in one process
 * share the call, callers in several processes and after a crash share the key.
 */
export async function ensureCustomer(deps: Deps, db: Db, userId: string): Promise<string> {
  const account = await db.selectFrom('accounts').selectAll().where('user_id', '=', userId).executeTakeFirstOrThrow()
  if (account.stripe_customer_id) return account.stripe_customer_id
  // The details of the first attempt, so that the key's request stays the same when the person has changed them since.
  const first = { at: new Date(now()).toISOString(), email: account.email, name: account.name }
  const { at, email, name } = await writeSetting(db, `customer:${userId}`, first)
  const isOld = now() - Date.parse(at) > KEYS_LIVE_MS
  const customer =
    (isOld && (await deps.provider.findCustomer(userId, email))) ||
    (await deps.provider.createCustomer({ userId, email, name }, `customer-${userId}`))
  const kept = await db
    .updateTable('accounts')
    .set({ stripe_customer_id: customer })
    .where('user_id', '=', userId)
    .where('stripe_customer_id', 'is', null)
    .returning('stripe_customer_id')
    .executeTakeFirst()
  if (kept) return customer
  return (await db.selectFrom('accounts').select('stripe_customer_id').where('user_id', '=', userId).executeTakeFirstOrThrow())
    .stripe_customer_id!
}

/** A deleted user: the subscription ends, the person goes, the books stay. */
export async function closeAccount(deps: Deps, ctx: BillingCtx, userId: string): Promise<void> {
  const account = await ctx.db.selectFrom('accounts').selectAll().where('user_id', '=', userId).executeTakeFirst()
  if (!account) return
  if (account.stripe_customer_id) {
    for (const subscription of await deps.provider.listSubscriptions(account.stripe_customer_id)) {
      if (subscription.status !== 'canceled') await deps.provider.endNow(subscription.id)
    }
    const credits = await deps.provider.listCredits(account.stripe_customer_id)
    await inTransaction(ctx.db, (trx) => bookCredits(trx, account.stripe_customer_id!, credits))
    await deps.provider.deleteCustomer(account.stripe_customer_id)
  }
  await inTransaction(ctx.db, async (trx) => {
    await trx.updateTable('accounts').set({ email: null, name: null, closed_at: new Date() }).where('user_id', '=', userId).execute()
    const row = await trx
      .updateTable('subscriptions')
      .set({ status: 'canceled', tier: 'none', version: sql`version + 1`, looks: sql`looks + 1`, updated_at: new Date() })
      .where('user_id', '=', userId)
      .where('status', 'not in', ['none', 'canceled'])
      .returningAll()
      .executeTakeFirst()
    if (row) await publishSubscription(trx, row)
    await forfeitCredit(trx, userId)
    await trx.deleteFrom('usage').where('user_id', '=', userId).execute()
  })
}

const personOf = (user: UserActor): Person => ({
  userId: user.id,
  email: user.email,
  name: (user.metadata.name as string | undefined) ?? null,
  version: 0,
})

// Without 0, O, 1, I and L, which people mistake for one another.
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const newCode = () => Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('')
