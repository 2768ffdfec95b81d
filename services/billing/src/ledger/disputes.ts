import { followAccount } from '@operon/contracts/billing/events'
import { disputeClosed, paymentDisputed } from '@operon/contracts/billing/payment-events'
import type * as contract from '@operon/contracts/billing/staff'
import type { Output } from '@operon/contracts/contract'
import { day, money } from '@operon/contracts/words'
import { enqueue, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Db, Trx } from '../deps.ts'
import { closeMatter, openMatter } from '../staff/matters.ts'
import type { ProviderCharge, ProviderDispute } from '../stripe-shapes.ts'

type State = ProviderDispute['status']
const DISPUTES_SHOWN = 100

/** Keeps how the dispute of a plan's payment stands. Whoever paid hears of its opening and its end. */
export async function keepDispute(trx: Trx, userId: string | null, charge: ProviderCharge, dispute: ProviderDispute): Promise<void> {
  const change = await keepDisputeRow(trx, { userId, saleId: null }, charge, dispute)
  if (!change) return
  const ofTopUp = charge.topUp ? { top_up: true } : {}
  const said = { payment: charge.id, amount_cents: dispute.amountCents, currency: charge.currency, ...ofTopUp }
  const { isOpened, isClosed, state } = change
  if (isOpened) await publish(trx, paymentDisputed, userId, said)
  if (isClosed) await publish(trx, disputeClosed, userId, { ...said, outcome: isClosed })
  if (userId && state !== 'asked') await enqueue(trx, followAccount, { user_id: userId })
}

/** It only goes forward, whatever order the news comes in. Null where nothing of it is new; `isOpened` and `isClosed` are to be told. */
export async function keepDisputeRow(
  trx: Trx,
  { userId, saleId }: { userId: string | null; saleId: string | null },
  charge: ProviderCharge,
  { id, amountCents, status, reason, evidenceDueAt, createdAt, movements }: ProviderDispute,
): Promise<{ state: State; isAsked: boolean; isOpened: boolean; isClosed: 'won' | 'lost' | null } | null> {
  const { rows } = await sql<{ before: State | null; state: State }>`
    insert into disputes (id, user_id, charge, subscription, sale_id, amount_cents, currency, reason, state, evidence_due_at, opened_at)
    values (${id}, ${userId}, ${charge.id}, ${charge.subscription}, ${saleId}, ${amountCents}, ${charge.currency}, ${reason}, ${status},
      ${evidenceDueAt}, ${createdAt})
    on conflict (id) do update set state = excluded.state, evidence_due_at = excluded.evidence_due_at,
      closed_at = case when excluded.state in ('won', 'lost') then now() end
    where array_position(array['asked', 'open', 'won', 'lost'], disputes.state) < array_position(array['asked', 'open', 'won', 'lost'], excluded.state)
      and disputes.state not in ('won', 'lost')
    returning old.state as before, new.state`.execute(trx)
  const change = rows[0]
  if (!change) return null
  const { before, state } = change
  if (state === 'won' || state === 'lost') await closeMatter(trx, 'dispute', id)
  else
    await openMatter(trx, {
      ...{
        matter: 'dispute',
        subject: id,
        title: `A payment of ${money({ amount_cents: amountCents, currency: charge.currency })} is disputed`,
      },
      body: `${saleId ? 'A sale of a seller' : charge.topUp ? 'A top-up' : 'A plan'}, reason: ${reason.replaceAll('_', ' ')}.${evidenceDueAt ? ` Evidence is due by ${day(evidenceDueAt.toISOString())}.` : ''}`,
    })
  // An inquiry that the bank lets go has taken nothing: nobody reads that it was won back.
  const [wasOpen, hasTaken] = [before === 'open', movements.length > 0]
  const closed = state === 'won' || state === 'lost' ? state : null
  return {
    ...{ state, isAsked: state === 'asked' && before === null },
    isOpened: state !== 'asked' && !wasOpen && (!closed || hasTaken),
    isClosed: wasOpen || hasTaken ? closed : null,
  }
}

/** How the payments of a subscription stand at the bank: one that is lost outweighs one that is open. */
export async function disputeOf(db: Db, subscription: string): Promise<'open' | 'lost' | null> {
  const dispute = await db
    .selectFrom('disputes')
    .select('state')
    .where('subscription', '=', subscription)
    .where('state', 'in', ['open', 'lost'])
    .orderBy('state')
    .executeTakeFirst()
  return (dispute?.state as 'open' | 'lost' | undefined) ?? null
}

/** Disputes that wait for evidence, the next deadline first. */
export async function openDisputes(db: BillingCtx['db']): Promise<Output<typeof contract.staffDisputes>> {
  const found = await db
    .selectFrom('disputes as d')
    .leftJoin('accounts as a', 'a.user_id', 'd.user_id')
    .selectAll('d')
    .select('a.email')
    // A guest who buys has no account.
    .select((eb) => eb.selectFrom('sales as s').select('s.email').whereRef('s.id', '=', 'd.sale_id').as('buyer_email'))
    .where('d.state', 'in', ['asked', 'open'])
    .orderBy('d.evidence_due_at')
    .limit(DISPUTES_SHOWN + 1)
    .execute()
  const disputes = found.slice(0, DISPUTES_SHOWN).map((row) => ({
    dispute: row.id,
    payment: row.charge,
    user_id: row.user_id,
    email: row.email ?? row.buyer_email,
    amount_cents: row.amount_cents,
    currency: row.currency,
    reason: row.reason,
    state: row.state as 'asked' | 'open',
    evidence_due_at: row.evidence_due_at?.toISOString() ?? null,
    opened_at: row.opened_at.toISOString(),
    sale_id: row.sale_id,
    evidence: row.evidence,
    evidence_sent_at: row.evidence_sent_at?.toISOString() ?? null,
  }))
  return { disputes, more: found.length > DISPUTES_SHOWN }
}

/** The first withdrawal and the first return have a name of the dispute; what moves after them has its own. */
export function nameOf({ id, movements }: ProviderDispute, index: number): { name: string; kind: string } {
  const moved = movements[index]!
  const kind = moved.amountCents < 0 ? 'dispute' : 'dispute_won'
  const isFirst = movements.findIndex((each) => each.amountCents < 0 === moved.amountCents < 0) === index
  return { name: `${kind}:${isFirst ? id : moved.id}`, kind }
}
