import { SMALLEST_PAYOUT_CENTS } from '@operon/contracts/billing/rates'
import { NOBODY } from '@operon/kit/erasure'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Db, Trx } from '../deps.ts'
import { payoutStarted } from '../ledger/selling.ts'
import { lockBalance, postOf } from '../sellers/balance.ts'
import { isStopped } from '../sellers/moderated.ts'

const TOGETHER = 200

/** The moment that a run is for: the provider's time for each seller, unless it is said. */
type AsOf = Date | null
const momentOf = (asOf: AsOf, seller = sql`seller_id`) => (asOf ? sql`${asOf}::timestamptz` : sql`provider_now(${seller})`)

/**
 * Decides for each seller, once a Friday, whether and what is paid out: that it was decided commits with the payout. A run that is killed
 * goes on where it was, and whoever becomes due after it waits for the next Friday. A seller who cannot be decided is left for the next sweep
 * and holds up nobody else.
 */
export async function runFriday({ db, log }: Pick<BillingCtx, 'db' | 'log'>, asOf: AsOf = null): Promise<number> {
  let made = 0
  for (let after = START; ; ) {
    const { rows } = await undecided(asOf, after).execute(db)
    for (const { seller_id, currency, friday } of rows.filter(({ is_enough }) => is_enough)) {
      const isMade = await inTransaction(db, (trx) => decide(trx, seller_id, currency, friday)).catch((err) => {
        log.error({ err, seller: seller_id, friday }, 'a payout could not be decided; the next sweep tries again')
        return false
      })
      if (isMade) made++
    }
    await passOver(
      db,
      rows.filter(({ is_enough }) => !is_enough),
    )
    const last = rows.at(-1)
    if (rows.length < TOGETHER || !last) return made
    // Those of one seller that did not fit are left for the next sweep.
    after = { decided: last.decided, seller: last.seller_id }
  }
}

type Place = { decided: string; seller: string }
export const START: Place = { decided: '', seller: NOBODY }

/** In the order and the type of an index, so that sellers who were decided are not walked through. */
export function undecided(asOf: AsOf, after: Place) {
  const moment = momentOf(asOf)
  return sql<{ seller_id: string; currency: string; decided: string; friday: string; is_enough: boolean }>`
    select seller_id, currency, b.friday as decided, friday_of(${moment}) as friday, due_cents >= ${SMALLEST_PAYOUT_CENTS} as is_enough
    from seller_balances b
    where (b.friday, seller_id) > (${after.decided}::char(10), ${after.seller}::uuid)
      and b.friday < (select friday_of(${asOf ? moment : sql`provider_latest()`})::char(10)) and b.friday < friday_of(${moment})
      -- A hold that ended before this Friday is released first, also where the Friday began in between.
      and not exists (
        select from sales s where s.seller_id = b.seller_id and s.currency = b.currency and s.held_cents > 0
          and (s.dispute is null or s.dispute in ('won', 'lost')) and s.hold_until < (friday_of(${moment}) || 'T00:00:00Z')::timestamptz)
    order by b.friday, seller_id limit ${TOGETHER}`
}

/** Too little to be paid out, still: checked once more as it is written. */
async function passOver(db: Db, rows: { seller_id: string; currency: string; friday: string }[]) {
  if (rows.length === 0) return
  await sql`
    update seller_balances b set friday = r.friday
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (seller_id uuid, currency text, friday text)
    where b.seller_id = r.seller_id and b.currency = r.currency and b.friday < r.friday and b.due_cents < ${SMALLEST_PAYOUT_CENTS}`.execute(
    db,
  )
}

async function decide(trx: Trx, seller: string, currency: string, friday: string): Promise<boolean> {
  const { dueCents } = await lockBalance(trx, seller, currency)
  const mine = await trx
    .updateTable('seller_balances')
    .set({ friday })
    .where('seller_id', '=', seller)
    .where('currency', '=', currency)
    .where('friday', '<', friday)
    .returning('seller_id')
    .executeTakeFirst()
  if (!mine || dueCents < SMALLEST_PAYOUT_CENTS) return false
  const seller_account = await trx
    .selectFrom('seller_accounts')
    .selectAll()
    .where('user_id', '=', seller)
    .where('state', 'in', ['ready', 'needs_details'])
    .where('refused_because', 'is', null)
    .where(sql<boolean>`not ${isStopped}`)
    .where('books_differ', '=', false)
    .executeTakeFirst()
  if (!seller_account?.account) return false
  const payout = await trx
    .insertInto('payouts')
    .values({
      ...{ id: newId(), friday, seller_id: seller, currency, account: seller_account.account, amount_cents: dueCents },
      ...{ transfer: null, payout: null, call_key: newId(), called_at: null, next_at: new Date(0), waits_for: null },
      ...{ returned_because: null, arrives_at: null, paid_at: null, bank_last4: seller_account.bank_last4 },
    })
    .onConflict((conflict) => conflict.columns(['friday', 'seller_id', 'currency']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!payout) return false
  await keepLines(trx, payout.id, seller, currency)
  return postOf(trx, seller, {
    reference: `payout:${payout.id}`,
    kind: 'payout_started',
    userId: null,
    payoutId: payout.id,
    description: `Payout of ${friday}`,
    occurredAt: new Date(),
    lines: payoutStarted(seller, currency, dueCents),
  })
}

/** Each movement of what was due belongs to one payout. */
async function keepLines(trx: Trx, payout: string, seller: string, currency: string) {
  await sql`
    insert into payout_lines (entry_id, line, payout_id, amount_cents)
    select p.entry_id, p.line, ${payout}, 0 - p.amount_cents from ledger_postings p join ledger_entries e on e.id = p.entry_id
    where p.account = ${`seller_due:${seller}`} and p.currency = ${currency} and e.kind <> 'payout_started'
      and p.entry_id > ${lastPaidOut(seller, currency, payout)}
    on conflict (entry_id, line) do nothing`.execute(trx)
}

/**
 * Of this entry and those before it, payouts have taken what was due. Entries are numbered by time, so that those since the last payout are
 * few; a day more is looked at, for clocks that do not agree.
 */
export const lastPaidOut = (seller: string, currency: string, besides = NOBODY) => sql<string>`coalesce((
  select (lpad(to_hex(((extract(epoch from created_at) - 86400) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
  from payouts where seller_id = ${seller} and currency = ${currency} and id <> ${besides} order by friday desc, id desc limit 1
), ${NOBODY}::uuid)`
