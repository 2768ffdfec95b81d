import { SMALLEST_PAYOUT_CENTS } from '@operon/contracts/billing/rates'
import type * as contract from '@operon/contracts/billing/sellers'
import type { Output } from '@operon/contracts/contract'
import { day, money } from '@operon/contracts/words'
import { sql } from 'kysely'
import type { BillingCtx, Db } from '../deps.ts'
import { isReady, type SellerRow } from './accounts.ts'

type Next = Output<typeof contract.sellerBalance>['next'][number]
type Why = Next['why'][number]
export type Balance = Output<typeof contract.sellerBalance>['balances'][number]

/** The next payout as it would be now, and why it is not more, later, or nothing. */
export async function nextOf(db: Db | BillingCtx['db'], seller: string, balance: Balance, row: SellerRow | undefined): Promise<Next> {
  const { currency, due_cents: due } = balance
  const { rows } = await sql<{
    friday: string
    undelivered: number
    disputed: number
    first: Date | null
    returned: string | null
    banned: Date | null
  }>`
    select to_char(friday_of(provider_now(${seller}::uuid))::date + 7, 'YYYY-MM-DD') as friday, held.*,
      (select returned_because from payouts where seller_id = ${seller} and currency = ${currency} order by friday desc, id desc limit 1) as returned,
      (select banned_until from accounts where user_id = ${seller} and banned_until > now()) as banned
    from (
      select coalesce(sum(held_cents) filter (where ${isDisputed}), 0)::bigint as disputed,
        coalesce(sum(held_cents) filter (where delivered_at is null and not ${isDisputed}), 0)::bigint as undelivered,
        min(hold_until) filter (where not ${isDisputed}) as first
      from sales where seller_id = ${seller} and currency = ${currency} and held_cents > 0) held`.execute(db)
  const { friday, undelivered, disputed, first, returned, banned } = rows[0]!
  const waiting = balance.held_cents - undelivered - disputed
  const stop = stopOf(row, banned, due, currency, friday)
  const amount = stop ? 0 : due
  const why = [
    stop ?? line('payout_ready', `${words(due, currency)} is paid out on ${day(friday)}.`, due, null, 'due'),
    returned &&
      line('bank_returned', `Your last payout did not arrive. ${returned} Its amount is in your balance again.`, null, null, null),
    waiting > 0 &&
      line(
        'on_hold_after_delivery',
        `${words(waiting, currency)} is held for seven days after delivery${first ? `; the first part is free on ${day(first.toISOString())}` : ''}.`,
        waiting,
        first,
        'held',
      ),
    disputed > 0 && line('disputed', `${words(disputed, currency)} is held until a bank decides a dispute.`, disputed, null, 'held'),
    undelivered > 0 && line('not_delivered', `${words(undelivered, currency)} waits for its delivery.`, undelivered, null, 'held'),
    balance.reserved_cents > 0 &&
      line(
        'disputed',
        `${words(balance.reserved_cents, currency)} is set aside until a bank decides a dispute.`,
        balance.reserved_cents,
        null,
        'reserved',
      ),
    balance.owed_cents > 0 &&
      line(
        'owed',
        `${words(balance.owed_cents, currency)} was refunded beyond your balance. Your next sales settle it first.`,
        balance.owed_cents,
        null,
        'owed',
      ),
    balance.on_its_way_cents > 0 &&
      line(
        'on_its_way',
        `${words(balance.on_its_way_cents, currency)} is on its way to your bank.`,
        balance.on_its_way_cents,
        null,
        'on_its_way',
      ),
  ].filter((each): each is Why => Boolean(each))
  return { currency, date: friday, amount_cents: amount, why }
}

/** An amount that a bank asks about or has taken back leaves the hold once the bank has decided. */
const isDisputed = sql`(dispute is not null and dispute in ('asked', 'open'))`

/** Why nothing is paid out, the first of the reasons. */
function stopOf(row: SellerRow | undefined, banned: Date | null, due: number, currency: string, friday: string): Why | null {
  if (!isReady(row))
    return line('account_incomplete', 'Your payout account is not complete. Set it up to be paid.', due, row?.deadline ?? null, 'due')
  if (row?.held_at) return line('held_by_staff', `Our team holds your payouts: ${row.held_because ?? 'write to us.'}`, due, null, 'due')
  if (banned) {
    const until = day(banned.toISOString())
    return line(
      'held_by_staff',
      `This account is suspended until ${until}, and its payouts wait until it is open again.`,
      due,
      banned,
      'due',
    )
  }
  if (row?.suspended_because)
    return line('held_by_staff', `Your sales are suspended, and your payouts wait: ${row.suspended_because}`, due, null, 'due')
  if (row?.refused_because)
    return line(
      'refused',
      'The payment provider refused your last payout. We are looking into it with them, and your money stays in your balance.',
      due,
      null,
      'due',
    )
  if (row?.books_differ)
    return line(
      'books_differ',
      'We are checking a difference with the payment provider. Your payouts wait until it is cleared.',
      due,
      null,
      'due',
    )
  if (due === 0) return line('nothing_due', `Nothing is due for ${day(friday)} yet.`, 0, null, null)
  if (due < SMALLEST_PAYOUT_CENTS)
    return line(
      'below_minimum',
      `${words(due, currency)} is below the smallest payout of ${words(SMALLEST_PAYOUT_CENTS, currency)}. It stays in your balance.`,
      due,
      null,
      'due',
    )
  return null
}

const words = (amount_cents: number, currency: string) => money({ amount_cents, currency })
const line = (code: Why['code'], text: string, amount_cents: number | null, at: Date | null, rows: Why['rows']): Why => ({
  ...{ code, text, amount_cents, rows },
  at: at?.toISOString() ?? null,
})
