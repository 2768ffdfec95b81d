import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Db, Deps, Trx } from '../deps.ts'
import { keepPayout, lookAtPayout } from '../payouts/send.ts'
import { taxSums } from './sums.ts'

type SellerDifference = { account: string; subject: string; currency: string; ours: number; theirs: number; rows: string[] }
const TOGETHER = 200

/** Compares sellers' accounts at the provider with the books, for all to whom something was moved lately. */
export async function connectedDifferences({ provider }: Deps, db: Db): Promise<SellerDifference[]> {
  const found: SellerDifference[] = []
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const sellers = await db
      .selectFrom('seller_accounts as a')
      .select(['a.user_id', 'a.account'])
      .where('a.account', 'is not', null)
      .where('a.user_id', '>', after)
      .where((or) =>
        or.or([
          or.exists(
            or
              .selectFrom('seller_balances as b')
              .select('b.seller_id')
              .whereRef('b.seller_id', '=', 'a.user_id')
              .where('connected_cents', '<>', 0),
          ),
          or.exists(
            or
              .selectFrom('payouts as p')
              .select('p.id')
              .whereRef('p.seller_id', '=', 'a.user_id')
              .where('p.created_at', '>', sql<Date>`now() - interval '14 days'`),
          ),
        ]),
      )
      .orderBy('a.user_id')
      .limit(TOGETHER)
      .execute()
    for (const { user_id, account } of sellers) {
      const theirs = await provider.connectedMoney(account!)
      const ours = await db.selectFrom('seller_balances').select(['currency', 'connected_cents']).where('seller_id', '=', user_id).execute()
      const booked = new Map(ours.map(({ currency, connected_cents }) => [currency, connected_cents]))
      for (const currency of new Set([...booked.keys(), ...Object.keys(theirs)])) {
        const difference = { ours: booked.get(currency) ?? 0, theirs: theirs[currency] ?? 0 }
        if (difference.ours !== difference.theirs)
          found.push({ account: 'seller_connected', subject: user_id, currency, ...difference, rows: [account!] })
      }
    }
    const last = sellers.at(-1)
    if (sellers.length < TOGETHER || !last) return found
    after = last.user_id
  }
}

/** A payout that has arrived, or come back, and nobody has told us. */
export async function healPayouts(deps: Deps, db: Db, sellers: string[]): Promise<void> {
  if (sellers.length === 0) return
  const open = await db.selectFrom('payouts').select('payout').where('seller_id', 'in', sellers).where('state', '=', 'sent').execute()
  for (const { payout } of open) {
    const seen = payout ? await lookAtPayout(deps, db, payout) : null
    if (seen) await inTransaction(db, (trx) => keepPayout(trx, seen))
  }
}

/** The balances that are kept beside the ledger, against its sums. */
export async function keptDifferences(db: Db): Promise<SellerDifference[]> {
  const { rows } = await sql<{ account: string; seller: string; currency: string; kept: number; booked: number }>`
    with kept as (
      select part || ':' || seller_id as account, seller_id, currency, cents from seller_balances, lateral (values
        ('seller_held', held_cents), ('seller_due', due_cents), ('seller_reserve', reserved_cents), ('seller_paying', paying_cents),
        ('seller_owes', 0 - owed_cents), ('seller_connected', 0 - connected_cents)) as parts (part, cents)),
    booked as (
      select account, currency, 0 - amount_cents as cents from ledger_balances where account like 'seller\_%')
    select coalesce(k.account, b.account) as account, split_part(coalesce(k.account, b.account), ':', 2) as seller,
      coalesce(k.currency, b.currency) as currency, coalesce(k.cents, 0)::bigint as kept, coalesce(b.cents, 0)::bigint as booked
    from kept k full join booked b on b.account = k.account and b.currency = k.currency
    where coalesce(k.cents, 0) <> coalesce(b.cents, 0) limit 100`.execute(db)
  return rows.map(({ account, seller, currency, kept, booked }) => ({
    ...{ account: account.split(':')[0]!, subject: seller, currency, ours: kept, theirs: booked },
    rows: ['the balance that is kept is not the sum of its entries'],
  }))
}

/** Compares the books' sales, holds and payouts with the rows of these. */
export async function soldDifferences(db: Db): Promise<SellerDifference[]> {
  const { rows } = await sql<{ account: string; seller: string; currency: string; kept: number; booked: number }>`
    with theirs as (
      select 'seller_held:' || seller_id as account, currency, sum(held_cents) as cents from sales where held_cents > 0 group by seller_id, currency
      union all
      select 'seller_reserve:' || seller_id, currency, sum(reserved_cents) from sales where reserved_cents > 0 group by seller_id, currency
      union all
      select 'seller_paying:' || seller_id, currency, sum(amount_cents) from payouts
      where state in ('planned', 'transferred', 'sent', 'reversing') and next_at is not null group by seller_id, currency),
    ours as (
      select account, currency, 0 - amount_cents as cents from ledger_balances
      where account like 'seller\_held:%' or account like 'seller\_reserve:%' or account like 'seller\_paying:%')
    select coalesce(t.account, o.account) as account, split_part(coalesce(t.account, o.account), ':', 2) as seller,
      coalesce(t.currency, o.currency) as currency, coalesce(t.cents, 0)::bigint as kept, coalesce(o.cents, 0)::bigint as booked
    from theirs t full join ours o on o.account = t.account and o.currency = t.currency
    where coalesce(t.cents, 0) <> coalesce(o.cents, 0) limit 100`.execute(db)
  return rows.map(({ account, seller, currency, kept, booked }) => ({
    ...{ account: account.split(':')[0]!, subject: seller, currency, ours: booked, theirs: kept },
    rows: [account.startsWith('seller_paying') ? 'the open payouts' : 'the rows of the sales'],
  }))
}

/** Tax in the books against the lines by country that it is reported from. */
export async function taxDifferences(db: Db): Promise<SellerDifference[]> {
  const { rows } = await sql<{ currency: string; ours: number; theirs: number }>`
    with booked as (
      select currency, 0 - amount_cents as cents from ledger_balances where account = 'sales_tax_payable'),
    kept as (select currency, sum(tax_cents) as cents from (${taxSums}) t group by currency)
    select coalesce(b.currency, k.currency) as currency, coalesce(b.cents, 0)::bigint as ours, coalesce(k.cents, 0)::bigint as theirs
    from booked b full join kept k on k.currency = b.currency where coalesce(b.cents, 0) <> coalesce(k.cents, 0)`.execute(db)
  return rows.map((row) => ({ ...row, account: 'sales_tax_payable', subject: '', rows: ['the lines by country'] }))
}

/** Nobody is paid out while the books about them are in doubt. Answers how many wait. */
export async function stopPayouts(trx: Trx, found: { account: string; subject: string; sellers?: string[] }[]): Promise<number> {
  const named = found.flatMap(({ account, subject, sellers }) => [...(account.startsWith('seller_') ? [subject] : []), ...(sellers ?? [])])
  const stopped = [...new Set(named)]
  await sql`
    update seller_accounts set books_differ = user_id = any(${stopped}::uuid[])
    where books_differ or user_id = any(${stopped}::uuid[])`.execute(trx)
  return stopped.length
}
