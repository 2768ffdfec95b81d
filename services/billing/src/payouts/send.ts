import {
  payoutPaid as paidEvent,
  payoutReturned as returnedEvent,
  payoutStarted as startedEvent,
} from '@operon/contracts/billing/payout-events'
import { money } from '@operon/contracts/words'
import { newId } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import type { BillingCtx, Db, Deps, Trx } from '../deps.ts'
import type { Line } from '../ledger/entries.ts'
import { payoutPaid, payoutRestored, payoutReturned, transferReversed, transferred } from '../ledger/selling.ts'
import type { BillingDb } from '../schema.ts'
import { refreshSeller } from '../sellers/accounts.ts'
import { lockBalance, postOf } from '../sellers/balance.ts'
import { isStopped } from '../sellers/moderated.ts'
import { closeMatter, openMatter } from '../staff/matters.ts'
import type { ProviderPayout } from '../stripe-connect.ts'
import { isLeftAlone, isRefusal, refusalOf } from '../stripe-errors.ts'

export type PayoutRow = Selectable<BillingDb['payouts']>
const AT_ONCE = 12
/** How long a payout is left to the instance that took it up: longer than its two calls to the provider may take. */
const LEASE = sql`interval '30 seconds'`
/** By then it has been tried for two hours. */
const TRIES_TOLD = 10
const KEYS_LIVE_MS = 23 * 3_600_000

/**
 * Takes up the payouts for which there is something to do, until there are none. Each is taken up when its turn comes, so that an instance
 * that dies leaves no more than those in hand, which come back when their lease ends.
 */
export async function sendPayouts(deps: Deps, ctx: BillingCtx): Promise<number> {
  let sent = 0
  let goesOn = true
  const work = async () => {
    while (goesOn && !ctx.signal.aborted) {
      const row = await takeUp(ctx.db)
      if (!row) return
      // Asking for the others would only count tries that the provider never saw.
      if ((await carry(deps, ctx, row)) === 'away') goesOn = false
      sent += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return sent
}

async function takeUp(db: Db): Promise<PayoutRow | null> {
  const { rows } = await sql<PayoutRow>`
    update payouts set next_at = now() + ${LEASE} where id = (
      select id from payouts where next_at <= now() order by next_at, id limit 1 for update skip locked)
    returning *`.execute(db)
  return rows[0] ?? null
}

/** Calls of these sellers whose outcome is not known here: the instance that made them may have died before it kept the answer. */
export async function finishPayouts(deps: Deps, ctx: BillingCtx, sellers: string[]): Promise<void> {
  if (sellers.length === 0) return
  const open = await ctx.db
    .selectFrom('payouts')
    .selectAll()
    .where('seller_id', 'in', sellers)
    .where('state', 'in', ['planned', 'transferred', 'reversing'])
    .where('called_at', 'is not', null)
    .execute()
  for (const row of open) await carry(deps, ctx, row)
}

/** One payout, as far as it goes now. A failure is tried again later and never holds up another payout. */
async function carry(deps: Deps, ctx: BillingCtx, row: PayoutRow): Promise<'done' | 'away'> {
  try {
    for (let at: PayoutRow | null = row; at; ) at = await step(deps, ctx.db, at)
    return 'done'
  } catch (err) {
    ctx.log.warn({ err, payout: row.id, seller: row.seller_id }, 'a payout could not be carried on and will be tried again')
    if (row.tries >= TRIES_TOLD)
      await inTransaction(ctx.db, (trx) => tellOfStuck(trx, row, 'No answer comes of it. It is tried again every hour.'))
    await later(ctx.db, row.id)
    return isLeftAlone(err) ? 'away' : 'done'
  }
}

/** The row as it is after a step, or null where nothing is left to do now. */
async function step(deps: Deps, db: Db, row: PayoutRow): Promise<PayoutRow | null> {
  if (row.state === 'planned') return transfer(deps, db, row)
  if (row.state === 'transferred') return send(deps, db, row)
  if (row.state === 'reversing') return reverse(deps, db, row)
  if (row.state === 'sent' && row.payout) {
    const found = await deps.provider.getPayout(row.payout, row.account)
    await inTransaction(db, (trx) => keepPayout(trx, { row, found }))
    const after = await db.selectFrom('payouts').selectAll().where('id', '=', row.id).executeTakeFirstOrThrow()
    if (after.state !== 'sent') return after
    await db.updateTable('payouts').set({ next_at: sql`now() + interval '5 minutes'` }).where('id', '=', row.id).execute()
  }
  return null
}

const sendingOf = ({ id, account, amount_cents, currency }: PayoutRow) => ({ payout: id, account, amountCents: amount_cents, currency })

const mustWait = (db: Db, seller: string) =>
  db.selectFrom('seller_accounts').select('user_id').where('user_id', '=', seller).where(isStopped).executeTakeFirst()

async function transfer(deps: Deps, db: Db, row: PayoutRow): Promise<PayoutRow | null> {
  // A seller who must wait is not paid, whatever was decided before, except where an answer was lost: the money may have moved.
  if (!row.called_at && (await mustWait(db, row.seller_id)))
    return move(db, row, { state: 'returned', next_at: null, returned_because: stopped }, (trx) => restore(trx, row, stopped, 'hold'))
  const made = await ask(db, row, {
    find: () => deps.provider.findTransfer(row.id),
    make: (key) => deps.provider.transfer(sendingOf(row), key),
  })
  if ('refused' in made) return made.refused === 'balance_insufficient' ? wait(db, row, 'funds') : giveUp(deps, db, row, made.because)
  return move(db, row, { state: 'transferred', transfer: made.done }, async (trx) => {
    await book(trx, row, `transfer:${made.done}`, 'transfer', 'Moved to the payout account', transferred)
  })
}

async function send(deps: Deps, db: Db, row: PayoutRow): Promise<PayoutRow | null> {
  const made = await ask(db, row, {
    find: () => deps.provider.findPayout(row.id, row.account),
    make: (key) => deps.provider.payOut(sendingOf(row), key),
  })
  if ('refused' in made)
    return made.refused === 'balance_insufficient'
      ? wait(db, row, 'funds')
      : move(db, row, { state: 'reversing', returned_because: cannotReceive }, (trx) => refuse(trx, row, made.because))
  const { id, arrivesAt } = made.done
  const sent = { state: 'sent' as const, payout: id, arrives_at: arrivesAt, next_at: sql<Date>`now() + interval '5 minutes'` }
  await move(db, row, sent, async (trx) => {
    await publish(trx, startedEvent, row.seller_id, { ...toldOf(row), arrives_at: arrivesAt.toISOString() })
  })
  return null
}

/** The transfer comes back, and what it was for is due again. */
async function reverse(deps: Deps, db: Db, row: PayoutRow): Promise<PayoutRow | null> {
  const transfer = row.transfer!
  const made = await ask(db, row, {
    find: () => deps.provider.findReversal(transfer),
    make: (key) => deps.provider.reverseTransfer(transfer, key),
  })
  if ('refused' in made) {
    await inTransaction(db, (trx) => tellOfStuck(trx, row, `Its transfer cannot be taken back: ${made.because}`))
    return wait(db, row, 'funds')
  }
  return move(db, row, { state: 'returned', next_at: null }, async (trx) => {
    await book(trx, row, `transfer_reversed:${made.done}`, 'transfer_reversed', 'Back from the payout account', transferReversed)
    const because = row.returned_because ?? cannotReceive
    await restore(trx, row, because, because === cannotReceive ? 'provider' : 'bank')
  })
}

/** A no for good: the money is due again, and nothing more is tried before the account has changed or staff have looked. */
async function giveUp(deps: Deps, db: Db, row: PayoutRow, because: string): Promise<null> {
  await move(db, row, { state: 'returned', next_at: null, returned_because: cannotReceive }, async (trx) => {
    await restore(trx, row, cannotReceive, 'provider')
    await refuse(trx, row, because)
  })
  // The provider may have stopped the account, which the seller can mend without staff.
  await refreshSeller(deps, db, row.account)
  return null
}

async function refuse(trx: Trx, row: PayoutRow, because: string) {
  await trx.updateTable('seller_accounts').set({ refused_because: because }).where('user_id', '=', row.seller_id).execute()
  await tellOfStuck(trx, row, `The provider said: ${because}`)
}

const tellOfStuck = (trx: Trx, row: PayoutRow, why: string) =>
  openMatter(trx, {
    ...{ matter: 'payout', subject: row.id, title: `A payout of ${money(row)} was refused` },
    body: `To seller ${row.seller_id}, for Friday ${row.friday}. ${why}`,
  })

async function restore(trx: Trx, row: PayoutRow, because: string, by: 'bank' | 'hold' | 'provider') {
  const balance = await lockBalance(trx, row.seller_id, row.currency)
  const lines = (seller: string, currency: string, cents: number) => payoutRestored(seller, currency, cents, balance)
  await book(trx, row, `payout_restored:${row.id}`, 'payout_restored', `Payout of ${row.friday} came back`, lines)
  await publish(trx, returnedEvent, row.seller_id, { ...toldOf(row), because, by })
}

type SeenPayout = { row: PayoutRow; found: ProviderPayout }
export async function lookAtPayout(deps: Deps, db: Db, payout: string): Promise<SeenPayout | null> {
  const row = await db.selectFrom('payouts').selectAll().where('payout', '=', payout).executeTakeFirst()
  return row ? { row, found: await deps.provider.getPayout(payout, row.account) } : null
}

/** Keeps the bank's answer. It may take the money and send it back days later. */
export async function keepPayout(trx: Trx, { row, found }: SeenPayout): Promise<void> {
  await lockBalance(trx, row.seller_id, row.currency)
  if (found.status === 'paid') await arrive(trx, row)
  if (found.status !== 'failed') return
  const because = `${(found.failure ?? 'The bank did not take it.').replace(/\.?$/, '.')}`
  const failing = { state: 'reversing' as const, next_at: new Date(0), returned_because: because, call_key: newId(), called_at: null }
  const back = await changed(trx, row, ['sent', 'paid'], failing)
  if (back?.paid_at) await book(trx, row, `payout_returned:${row.id}`, 'payout_returned', 'Sent back by the bank', payoutReturned)
}

async function arrive(trx: Trx, row: PayoutRow) {
  const paid = await changed(trx, row, ['sent'], { state: 'paid', paid_at: row.arrives_at ?? new Date(), next_at: null })
  if (!paid) return
  await closeMatter(trx, 'payout', row.id)
  await book(trx, row, `payout_paid:${row.id}`, 'payout_paid', `Payout of ${row.friday}`, payoutPaid)
  await publish(trx, paidEvent, row.seller_id, toldOf(row))
}

const stopped = 'It was not sent, since your payouts are on hold.'
const cannotReceive = 'The payout account cannot receive money right now.'
const toldOf = ({ id, amount_cents, currency, friday }: PayoutRow) => ({ payout_id: id, amount_cents, currency, date: friday })

type Lines = (seller: string, currency: string, cents: number) => Line[]
async function book(trx: Trx, row: PayoutRow, reference: string, kind: string, description: string, lines: Lines) {
  const { id: payoutId, seller_id: seller, currency, amount_cents } = row
  await lockBalance(trx, seller, currency)
  const entry = {
    reference,
    kind,
    description,
    payoutId,
    userId: null,
    occurredAt: new Date(),
    lines: lines(seller, currency, amount_cents),
  }
  await postOf(trx, seller, entry)
}

type Asked<T> = { refused: string; because: string } | { done: T }
/**
 * One call under the row's key. An unknown outcome is asked again with the same key, and after a day, when the provider has forgotten it,
 * looked up first. A definite no takes a new key the next time.
 */
async function ask<T>(
  db: Db,
  row: PayoutRow,
  { find, make }: { find(): Promise<T | null>; make(key: string): Promise<T> },
): Promise<Asked<T>> {
  const isOld = row.called_at !== null && Date.now() - row.called_at.getTime() > KEYS_LIVE_MS
  const found = isOld ? await find() : null
  if (found) return { done: found }
  if (!row.called_at) await db.updateTable('payouts').set({ called_at: new Date() }).where('id', '=', row.id).execute()
  try {
    return { done: await make(row.call_key) }
  } catch (error) {
    if (isRefusal(error)) return { refused: refusalOf(error), because: (error as Error).message.slice(0, 300) }
    throw error
  }
}

type Change = Record<string, unknown>
/** Only from the state that it was in: what somebody else has done meanwhile stands. */
const changed = (trx: Trx, row: PayoutRow, from: PayoutRow['state'][], change: Change) =>
  trx.updateTable('payouts').set(change).where('id', '=', row.id).where('state', 'in', from).returningAll().executeTakeFirst()

/**
 * The same, and only while the call that was made is still the row's. An instance that stood still past its lease may hold an old no, while
 * another one asks under a new key: giving up then would leave that transfer without an entry.
 */
const answered = (trx: Trx | Db, row: PayoutRow, change: Change) =>
  trx
    .updateTable('payouts')
    .set(change)
    .where('id', '=', row.id)
    .where('state', '=', row.state)
    .where('call_key', '=', row.call_key)
    .returningAll()
    .executeTakeFirst()

/** The next state with what it books, and a new key for the call that follows. */
const move = (db: Db, row: PayoutRow, change: Change, write: (trx: Trx) => Promise<void> = async () => {}): Promise<PayoutRow | null> =>
  inTransaction(db, async (trx) => {
    await lockBalance(trx, row.seller_id, row.currency)
    const next = await answered(trx, row, { call_key: newId(), called_at: null, tries: 0, waits_for: null, ...change })
    if (next) await write(trx)
    return next && next.state !== 'returned' ? next : null
  })

/** A definite no that time may mend: later, under a new key. */
async function wait(db: Db, row: PayoutRow, waitsFor: string): Promise<null> {
  if (await answered(db, row, { call_key: newId(), called_at: null, waits_for: waitsFor })) await later(db, row.id)
  return null
}

const later = (db: Db, id: string) =>
  db
    .updateTable('payouts')
    .set({ tries: sql`tries + 1`, next_at: sql`now() + least(3600, 15 * 2 ^ least(tries, 10)) * interval '1 second'` })
    .where('id', '=', id)
    .where('next_at', 'is not', null)
    .execute()
