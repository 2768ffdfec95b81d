import { payoutsHeld } from '@operon/contracts/billing/payout-events'
import type * as contract from '@operon/contracts/billing/selling-staff'
import type { Input, Output } from '@operon/contracts/contract'
import { DomainError } from '@operon/kit/errors'
import { isUuid } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Deps } from '../deps.ts'
import { answerDispute, evidenceOf } from '../sales/evidence.ts'
import { saleJson, salesOf } from '../sales/list.ts'
import { refundSale } from '../sales/refunds.ts'
import { log } from '../staff/log.ts'
import { accountJson, sellerRow } from './accounts.ts'
import { balancesOf, payoutJson, payoutsOf } from './show.ts'
import { nextOf } from './why.ts'

const SHOWN = 50

export async function staffSeller(
  ctx: BillingCtx,
  { query, reason }: Input<typeof contract.staffSeller>,
): Promise<Output<typeof contract.staffSeller>> {
  const found = await ctx.db
    .selectFrom('accounts as a')
    .innerJoin('seller_accounts as s', 's.user_id', 'a.user_id')
    .select(['a.user_id', 'a.email'])
    .where(
      'a.user_id',
      'in',
      // Each by an index of its own.
      sql<string>`(select user_id from accounts where lower(email) = ${query.toLowerCase()}
        union select user_id from seller_accounts where account = ${query}
        union select ${isUuid(query) ? query : null}::uuid)`,
    )
    .executeTakeFirst()
  await log(ctx, 'look up seller', reason, found?.user_id ?? null, { query })
  if (!found) throw new DomainError('not_found')
  const { user_id, email } = found
  const row = await sellerRow(ctx.db, user_id)
  const balances = await balancesOf(ctx.db, user_id)
  const next = await Promise.all(balances.map((balance) => nextOf(ctx.db, user_id, balance, row)))
  const payouts = await payoutsOf(ctx.db, user_id).limit(SHOWN).execute()
  const sales = await salesOf(ctx.db, user_id).limit(SHOWN).execute()
  return {
    ...{ user_id, email, account: accountJson(row), held_because: row?.held_because ?? null, balances },
    why: next.flatMap(({ why }) => why),
    payouts: payouts.map(payoutJson),
    sales: sales.map(saleJson),
    disputes: await undecidedOf(
      ctx,
      sales.map(({ id }) => id),
    ),
  }
}
async function undecidedOf({ db }: BillingCtx, saleIds: string[]) {
  if (saleIds.length === 0) return []
  const found = await db
    .selectFrom('disputes')
    .select(['sale_id', 'id', 'evidence', 'evidence_sent_at'])
    .where('sale_id', 'in', saleIds)
    .where('state', 'in', ['asked', 'open'])
    .execute()
  return found.map(({ sale_id, id, evidence, evidence_sent_at }) => ({
    ...{ sale_id: sale_id!, dispute: id, evidence },
    evidence_sent_at: evidence_sent_at?.toISOString() ?? null,
  }))
}

export async function staffHoldPayouts(
  ctx: BillingCtx,
  { user_id, reason }: Input<typeof contract.staffHoldPayouts>,
): Promise<Output<typeof contract.staffHoldPayouts>> {
  await setHold(ctx, user_id, 'hold payouts', reason, { held_at: new Date(), held_because: reason })
  return { held: true }
}
export async function staffReleasePayouts(
  ctx: BillingCtx,
  { user_id, reason }: Input<typeof contract.staffReleasePayouts>,
): Promise<Output<typeof contract.staffReleasePayouts>> {
  await setHold(ctx, user_id, 'release payouts', reason, { held_at: null, held_because: null, refused_because: null })
  return { held: false }
}
/** The seller is told once it begins and once it ends. */
async function setHold(
  ctx: BillingCtx,
  userId: string,
  action: string,
  reason: string,
  hold: { held_at: Date | null; held_because: string | null; refused_because?: null },
) {
  if (!(await sellerRow(ctx.db, userId))) throw new DomainError('not_found')
  await log(ctx, action, reason, userId, {})
  await inTransaction(ctx.db, async (trx) => {
    const row = await trx
      .updateTable('seller_accounts')
      .set(hold)
      .where('user_id', '=', userId)
      .returning(sql<boolean>`old.held_at is not null`.as('was_held'))
      .executeTakeFirst()
    const held = hold.held_at !== null
    if (row && row.was_held !== held) await publish(trx, payoutsHeld, userId, { held, because: hold.held_because })
  })
}

export async function staffRefundSale(
  deps: Deps,
  ctx: BillingCtx,
  { sale_id, amount_cents, reason }: Input<typeof contract.staffRefundSale>,
): Promise<Output<typeof contract.staffRefundSale>> {
  const sale = await anySale(ctx, sale_id)
  await log(ctx, 'refund', reason, sale.seller_id, { payment: sale.charge, amountCents: amount_cents })
  return refundSale(deps, ctx, sale, amount_cents, reason, 'staff')
}
export async function staffSubmitEvidence(
  deps: Deps,
  ctx: BillingCtx,
  { sale_id, dispute, text, send, reason }: Input<typeof contract.staffSubmitEvidence>,
): Promise<Output<typeof contract.staffSubmitEvidence>> {
  const action = send ? 'send evidence' : 'keep evidence'
  const row = dispute ? await ctx.db.selectFrom('disputes').selectAll().where('id', '=', dispute).executeTakeFirst() : null
  const id = sale_id ?? row?.sale_id
  if (id) {
    const sale = await anySale(ctx, id)
    await log(ctx, action, reason, sale.seller_id, { about: sale.charge })
    return answerDispute(deps, ctx, { column: 'sale_id', is: sale.id }, { evidence: await evidenceOf(deps, sale, text, send), text }, send)
  }
  if (!row) throw new DomainError('not_found')
  await log(ctx, action, reason, row.user_id, { about: row.charge })
  return answerDispute(deps, ctx, { column: 'id', is: row.id }, { evidence: await evidenceOfPlan(ctx, row.user_id, text), text }, send)
}

/** Evidence for a dispute about a plan: the account of the person who paid. */
async function evidenceOfPlan({ db }: BillingCtx, userId: string | null, text: string) {
  const account = userId ? await db.selectFrom('accounts').selectAll().where('user_id', '=', userId).executeTakeFirst() : null
  return {
    product_description: 'A subscription to an online service, billed each month',
    ...(account?.email && { customer_email_address: account.email }),
    ...(account?.name && { customer_name: account.name }),
    ...(account && { access_activity_log: `The account was opened at ${account.created_at.toISOString()}.` }),
    uncategorized_text: text,
  }
}
async function anySale({ db }: BillingCtx, id: string) {
  const sale = await db.selectFrom('sales').selectAll().where('id', '=', id).executeTakeFirst()
  if (!sale) throw new DomainError('not_found')
  return sale
}

const RUNS = 20
export async function staffPayoutRuns(
  ctx: BillingCtx,
  { reason }: Input<typeof contract.staffPayoutRuns>,
): Promise<Output<typeof contract.staffPayoutRuns>> {
  await log(ctx, 'list payout runs', reason, null, {})
  // From Friday to Friday by the index: how many payouts one has is not asked before it is its turn.
  const { rows } = await sql<Output<typeof contract.staffPayoutRuns>['runs'][number]>`
    with recursive fridays as (
      (select friday, 1 as n from payouts order by friday desc limit 1)
      union all
      select (select p.friday from payouts p where p.friday < f.friday order by p.friday desc limit 1), n + 1 from fridays f
      where f.friday is not null and n < ${RUNS})
    select p.friday as date, p.currency, count(*)::int as payouts, sum(p.amount_cents)::bigint as amount_cents,
      count(*) filter (where p.state = 'paid')::int as paid,
      count(*) filter (where p.state in ('planned', 'transferred', 'sent'))::int as pending,
      count(*) filter (where p.state in ('reversing', 'returned'))::int as returned
    from payouts p where p.friday in (select friday from fridays where friday is not null)
    group by p.friday, p.currency order by p.friday desc, p.currency`.execute(ctx.db)
  return { runs: rows }
}
