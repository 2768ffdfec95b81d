import type * as contract from '@operon/contracts/billing/api'
import { referralCredited } from '@operon/contracts/billing/events'
import type { Input, Output } from '@operon/contracts/contract'
import { REFERRAL_PERCENT_OFF, REFUND_WINDOW_DAYS } from '@operon/contracts/plans'
import { DAY_MS } from '@operon/kit/clock'
import { inTransaction, publish } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import { accountOf, ensureCustomer } from '../accounts.ts'
import type { BillingCtx, Db, Deps, Trx } from '../deps.ts'
import { bookCredits } from '../ledger/credits.ts'
import { callOnce } from '../provider-calls.ts'
import { reached } from '../provider-time.ts'
import type { BillingDb } from '../schema.ts'
import type { ProviderCharge } from '../stripe-shapes.ts'
import { addDays } from '../subscriptions/entitlement.ts'

export async function validateReferral(
  ctx: BillingCtx,
  { code }: Input<typeof contract.validateReferral>,
): Promise<Output<typeof contract.validateReferral>> {
  const owner = await ownerOf(ctx.db, code)
  const isOwn = ctx.actor.kind === 'user' && ctx.actor.id === owner
  return { valid: owner !== null && !isOwn, percent_off: REFERRAL_PERCENT_OFF }
}

/** A code that came with a sign-up. One that is unknown or one's own is left aside: nobody is kept from signing up by it. */
export async function recordReferral(trx: Trx, userId: string, code: string): Promise<void> {
  const referrer = await ownerOf(trx, code)
  if (referrer && referrer !== userId) await insertReferral(trx, userId, referrer)
}

type CheckoutReferral = { discount: boolean; dropped?: 'unknown' | 'own' }

/** Whether a checkout gets the first month's discount. A code that is not good is dropped and named: it never blocks the checkout. */
export async function referralOf(db: Db, userId: string, code: string | null | undefined): Promise<CheckoutReferral> {
  const dropped = code ? await takeCode(db, userId, code) : undefined
  return { discount: await referralWaits(db, userId), ...(dropped && { dropped }) }
}

async function takeCode(db: Db, userId: string, code: string): Promise<CheckoutReferral['dropped']> {
  const referrer = await ownerOf(db, code)
  if (!referrer) return 'unknown'
  if (referrer === userId) return 'own'
  await insertReferral(db, userId, referrer)
  return undefined
}

/** Somebody was sent and has not paid yet: the first payment is the cheaper one. */
export async function referralWaits(db: Db, userId: string): Promise<boolean> {
  const referral = await db.selectFrom('referrals').select('state').where('referred_user_id', '=', userId).executeTakeFirst()
  return referral?.state === 'signed_up'
}

/** The referrer is decided once, and only for an account that has not paid before. */
async function insertReferral(db: Db, userId: string, referrer: string) {
  await sql`
    insert into referrals (referred_user_id, referrer_user_id)
    select ${userId}, ${referrer} where not exists (select from ledger_entries where user_id = ${userId} and kind = 'charge')
    on conflict (referred_user_id) do nothing`.execute(db)
}

async function ownerOf(db: Db, code: string): Promise<string | null> {
  const owner = await db
    .selectFrom('accounts')
    .select('user_id')
    .where('referral_code', '=', code.trim().toUpperCase())
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  return owner?.user_id ?? null
}

/** The first payment of somebody who was sent: its share is owed to who sent them, once it can no longer be refunded. */
export async function referralPaid(trx: Trx, userId: string, charge: ProviderCharge): Promise<void> {
  await trx
    .updateTable('referrals')
    .set({
      state: 'paid',
      payment: charge.id,
      paid_at: charge.createdAt,
      currency: charge.currency,
      credit_cents: Math.floor((monthOf(charge) * REFERRAL_PERCENT_OFF) / 100),
    })
    .where('referred_user_id', '=', userId)
    .where('state', '=', 'signed_up')
    .execute()
}

/** A share of a month is owed, so of a year's payment a twelfth counts. */
const monthOf = ({ amountCents, earnedOver }: ProviderCharge): number =>
  earnedOver && earnedOver.to.getTime() - earnedOver.from.getTime() > 45 * DAY_MS ? amountCents / 12 : amountCents

/** The payment went back: nothing is credited for it, and what was credited is taken back. */
export async function referralVoided(trx: Trx, payment: string): Promise<void> {
  await trx
    .updateTable('referrals')
    .set({ state: sql`case state when 'paid' then 'void' else 'revoked' end` })
    .where('payment', '=', payment)
    .where('state', 'in', ['paid', 'credited'])
    .execute()
}

type Referral = Selectable<BillingDb['referrals']>

/** Credits what the refund window has passed, and takes back what was refunded later. One that cannot be moved now does not hold up the others. */
export async function creditReferrals(deps: Deps, ctx: BillingCtx): Promise<number> {
  const moved = async (referrals: Referral[], move: (referral: Referral) => Promise<void>) => {
    let count = 0
    for (const referral of referrals) {
      await move(referral).then(
        () => void count++,
        (err) => ctx.log.warn({ err, referral: referral.referred_user_id }, 'a referral credit could not be moved and will be tried again'),
      )
    }
    return count
  }
  const revoked = await openReferrals(ctx.db).where('state', '=', 'revoked').orderBy('referred_user_id').limit(200).execute()
  await moved(revoked, (referral) => takeBack(deps, ctx.db, referral))
  const due = await openReferrals(ctx.db)
    .where('state', '=', 'paid')
    .where(reached(sql`paid_at`, { person: sql`referred_user_id`, early: sql`${`-${REFUND_WINDOW_DAYS} days`}::interval` }))
    .orderBy('paid_at')
    .limit(200)
    .execute()
  return moved(due, (referral) => creditReferral(deps, ctx.db, referral))
}

const openReferrals = (db: Db) =>
  db
    .selectFrom('referrals')
    .innerJoin('accounts', 'accounts.user_id', 'referrals.referrer_user_id')
    .selectAll('referrals')
    .where('accounts.closed_at', 'is', null)
    .where('credit_cents', '>', 0)

/** The provider's key is the referral, so that a crash in between credits once. */
async function creditReferral(deps: Deps, db: Db, referral: Referral): Promise<void> {
  const { referred_user_id: referred, referrer_user_id: referrer, credit_cents, currency } = referral
  const cents = credit_cents ?? 0
  const customer = await ensureCustomer(deps, db, referrer)
  const credit = await deps.provider.creditReferral(customer, referred, cents, currency, `referral-${referred}`)
  await inTransaction(db, async (trx) => {
    await bookCredits(trx, customer, [credit])
    // It may have been refunded while the provider was asked.
    const before = await trx
      .updateTable('referrals')
      .set({ state: sql`case state when 'paid' then 'credited' else 'revoked' end`, credited_at: new Date() })
      .where('referred_user_id', '=', referred)
      .where('state', 'in', ['paid', 'void'])
      .returning('state')
      .executeTakeFirst()
    if (before?.state === 'credited') await publish(trx, referralCredited, referrer, { amount_cents: cents, currency })
  })
}

/** No more than is left of the referrer's credit: what an invoice has used up is not asked for again. */
async function takeBack(deps: Deps, db: Db, { referred_user_id: referred, referrer_user_id: referrer, credit_cents, currency }: Referral) {
  const customer = await ensureCustomer(deps, db, referrer)
  const taken = (await deps.provider.listCredits(customer)).find(({ referral }) => referral?.isBack && referral.referred === referred)
  const intention = { userId: referrer, kind: `referral-back:${referred}`, request: { referred } }
  const left = { cents: Math.min(credit_cents ?? 0, await deps.provider.creditLeft(customer, currency)) }
  const take = () =>
    callOnce(db, { ...intention, fixed: left }, async (key, { cents }) =>
      cents > 0 ? deps.provider.creditReferral(customer, referred, -cents, currency, key) : null,
    )
  const credit = taken ?? (await take())
  await inTransaction(db, async (trx) => {
    if (credit) await bookCredits(trx, customer, [credit])
    await trx
      .updateTable('referrals')
      .set({ state: 'void' })
      .where('referred_user_id', '=', referred)
      .where('state', '=', 'revoked')
      .execute()
  })
}

const CREDITS_SHOWN = 100

export async function referralSummary(deps: Deps, ctx: BillingCtx): Promise<Output<typeof contract.referralSummary>> {
  const account = await accountOf(ctx)
  const sent = ctx.db.selectFrom('referrals').where('referrer_user_id', '=', account.user_id)
  const [sums, earned] = await Promise.all([
    ctx.db.selectFrom('referral_sums').select(['sign_ups', 'credit_cents']).where('user_id', '=', account.user_id).executeTakeFirst(),
    sent
      .select(['state', 'credit_cents', 'currency', 'paid_at'])
      .where('state', 'in', ['paid', 'credited'])
      .where('credit_cents', '>', 0)
      .where('paid_at', 'is not', null)
      .orderBy('created_at', 'desc')
      .limit(CREDITS_SHOWN + 1)
      .execute(),
  ])
  return {
    code: account.referral_code,
    link: `${deps.publicUrl}/auth?ref=${account.referral_code}`,
    sign_ups: sums?.sign_ups ?? 0,
    credits: earned.slice(0, CREDITS_SHOWN).map(({ state, credit_cents, currency, paid_at }) => ({
      amount_cents: credit_cents!,
      currency,
      state: state === 'paid' ? ('waiting' as const) : ('credited' as const),
      due_at: addDays(paid_at!, REFUND_WINDOW_DAYS).toISOString(),
    })),
    more: earned.length > CREDITS_SHOWN,
    credit_cents: sums?.credit_cents ?? 0,
  }
}
