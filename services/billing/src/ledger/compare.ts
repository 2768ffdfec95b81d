import { compareBooks as compareJob } from '@operon/contracts/billing/events'
import type * as contract from '@operon/contracts/billing/staff'
import type { Output } from '@operon/contracts/contract'
import { newId } from '@operon/kit/ids'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Db, Deps } from '../deps.ts'
import { finishPayouts } from '../payouts/send.ts'
import { readSetting, replaceSetting } from '../settings.ts'
import { closeMatter, openMatter } from '../staff/matters.ts'
import type { ProviderMoney } from '../stripe-shapes.ts'
import { connectedDifferences, healPayouts, keptDifferences, soldDifferences, stopPayouts, taxDifferences } from './compare-sellers.ts'
import { bookCredits } from './credits.ts'
import {
  bookOwnMovements,
  entriesWithoutMovement,
  matchMovements,
  sellersOf,
  sumsOfMovements,
  takeMovements,
  type Unmatched,
} from './movements.ts'
import { platformBalances } from './sums.ts'

/**
 * `subject` is the customer or the seller whose balance it is, or empty where the account is one. `sellers`: of whom its rows tell, so that
 * they are not paid out before somebody has looked.
 */
type Difference = { account: string; subject: string; currency: string; ours: number; theirs: number; rows: string[]; sellers?: string[] }
const ROWS_NAMED = 50
const SHOWN = 100
const KEY = 'books:compared'

/**
 * Every account of the books against the provider, movement by movement and in its sums, and against the rows that it is made of here.
 * Credit that nobody told us of is booked, and so is what the provider paid out to us or took for itself; what differs then is looked at
 * once more before it is called a difference.
 */
export async function compareBooks(deps: Deps, ctx: BillingCtx): Promise<{ differences: number }> {
  if (!deps.hasProvider) return { differences: 0 }
  await healCredits(deps, ctx.db)
  const first = await differences(deps, ctx.db)
  // A transfer that was under way when an instance died stands at the provider and not in the books until its payout is carried on.
  const sellers = first.flatMap(({ account, subject }) => (account === 'seller_connected' ? [subject] : []))
  await finishPayouts(deps, ctx, sellers)
  await healPayouts(deps, ctx.db, sellers)
  const again = first.length > 0 ? await differences(deps, ctx.db) : []
  const found = again.filter((each) => first.some((before) => isSame(before, each)))
  await keepDifferences(ctx.db, found)
  for (const { rows, sellers: _, ...difference } of found)
    ctx.log.error({ ...difference, rows: rows.slice(0, 5) }, 'the books differ from the provider: see Staff, Books')
  return { differences: found.length }
}

const isSame = (a: Difference, b: Difference) =>
  a.account === b.account && a.subject === b.subject && a.currency === b.currency && a.ours - a.theirs === b.ours - b.theirs

async function differences(deps: Deps, db: Db): Promise<Difference[]> {
  const { provider } = deps
  await takeMovements(deps, db)
  await bookOwnMovements(db)
  const unmatched = await matchMovements(db)
  const { balances } = await platformBalances(db)
  const whole = (account: string, theirs: ProviderMoney): Difference[] => {
    const ours = Object.fromEntries(balances.filter((each) => each.account === account).map((each) => [each.currency, each.amount_cents]))
    const currencies = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
    return currencies
      .map((currency) => ({ account, subject: '', currency, ours: ours[currency] ?? 0, theirs: theirs[currency] ?? 0, rows: [] }))
      .filter((each) => each.ours !== each.theirs)
  }
  const sums = unmatched.length === 0 ? await sumsOfMovements(db) : null
  return [
    ...(await withRows(db, whole('provider_balance', await provider.balance()), unmatched)),
    ...(sums ? [...whole('bank', sums.bank), ...whole('provider_fees', sums.provider_fees)] : []),
    ...whole('disputed', await provider.disputedMoney()),
    ...(await creditDifferences(deps, db, whole)),
    ...(await connectedDifferences(deps, db)),
    ...(await keptDifferences(db)),
    ...(await soldDifferences(db)),
    ...(await taxDifferences(db)),
  ]
}

/** The movements behind a difference, also where they add up to nothing. */
async function withRows(db: Db, balances: Difference[], unmatched: Unmatched[]): Promise<Difference[]> {
  const currencies = new Set([...balances, ...unmatched].map(({ currency }) => currency))
  const found: Difference[] = []
  for (const currency of currencies) {
    const mine = unmatched.filter((each) => each.currency === currency)
    const [ours, theirs] = [sum(mine.map((each) => each.ours)), sum(mine.map((each) => each.theirs))]
    const whole = balances.find((each) => each.currency === currency) ?? {
      account: 'provider_balance',
      subject: '',
      currency,
      ours,
      theirs,
    }
    const rows = mine.map((each) => `${each.type} ${each.source}: ${each.theirs} ${currency}, booked ${each.ours}`)
    const strange = whole.ours - whole.theirs === ours - theirs ? [] : await entriesWithoutMovement(db, currency)
    const sellers = await sellersOf(
      db,
      mine.map(({ source }) => source),
    )
    found.push({ ...whole, rows: [...rows, ...strange].slice(0, ROWS_NAMED), sellers })
  }
  return found
}
const sum = (cents: number[]) => cents.reduce((all, each) => all + each, 0)

async function creditDifferences({ provider }: Deps, db: Db, whole: (account: string, theirs: ProviderMoney) => Difference[]) {
  const credits: Difference[] = []
  const total: ProviderMoney = {}
  for await (const page of provider.customerBalances()) {
    const ours = await creditsOf(
      db,
      page.map(({ customer }) => customer),
    )
    for (const { customer, currency, cents } of page) {
      total[currency] = (total[currency] ?? 0) + cents
      const booked = ours.get(`${customer} ${currency}`) ?? 0
      if (booked !== cents) credits.push({ account: 'customer_credit', subject: customer, currency, ours: booked, theirs: cents, rows: [] })
    }
  }
  // A deleted customer's balance in the books is in no row of theirs.
  return [...credits, ...whole('customer_credit', total)]
}

async function creditsOf(db: Db, customers: string[]): Promise<Map<string, number>> {
  if (customers.length === 0) return new Map()
  const rows = await db
    .selectFrom('ledger_postings as p')
    .innerJoin('ledger_entries as e', 'e.id', 'p.entry_id')
    .innerJoin('accounts as a', 'a.user_id', 'e.user_id')
    .select(({ fn }) => ['a.stripe_customer_id', 'p.currency', fn.sum<number>('p.amount_cents').as('cents')])
    .where('p.account', '=', 'customer_credit')
    .where('a.stripe_customer_id', 'in', customers)
    .groupBy(['a.stripe_customer_id', 'p.currency'])
    .execute()
  return new Map(rows.map(({ stripe_customer_id, currency, cents }) => [`${stripe_customer_id} ${currency}`, Number(cents)]))
}

async function healCredits({ provider }: Deps, db: Db) {
  for await (const page of provider.customerBalances()) {
    const ours = await creditsOf(
      db,
      page.map(({ customer }) => customer),
    )
    for (const { customer, currency, cents } of page) {
      if ((ours.get(`${customer} ${currency}`) ?? 0) === cents) continue
      const credits = await provider.listCredits(customer)
      await inTransaction(db, (trx) => bookCredits(trx, customer, credits))
    }
  }
}

async function keepDifferences(db: Db, found: Difference[]) {
  await inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${KEY}))`.execute(trx)
    await trx.deleteFrom('book_differences').execute()
    if (found.length > 0)
      await trx
        .insertInto('book_differences')
        .values(
          found.map(({ ours, theirs, rows, sellers: _, ...difference }) => ({
            ...difference,
            id: newId(),
            ours_cents: ours,
            theirs_cents: theirs,
            rows: JSON.stringify(rows),
          })),
        )
        .execute()
    await replaceSetting(trx, KEY, new Date().toISOString())
    const stopped = await stopPayouts(trx, found)
    if (found.length === 0) return closeMatter(trx, 'books', '')
    await openMatter(trx, {
      ...{ matter: 'books', subject: '', title: 'The books differ from the payment provider' },
      body: `${counted(found.length, 'difference')} found. ${stopped > 0 ? `Payouts to ${counted(stopped, 'seller')} wait. ` : ''}The rows are in Staff, Books.`,
    })
  })
}
const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`

/** The result of the last comparison; asking for a new one puts it in the queue. */
export async function booksOf(db: BillingCtx['db'], again: boolean): Promise<Output<typeof contract.staffBooks>> {
  if (again) await inTransaction(db, (trx) => enqueue(trx, compareJob, {}))
  // Before the differences: a comparison that ends in between never puts its time on those of the one before.
  const compared_at = await readSetting<string>(db, KEY)
  const found = await db
    .selectFrom('book_differences')
    .selectAll()
    .orderBy('account')
    .orderBy('subject')
    .limit(SHOWN + 1)
    .execute()
  const { balances } = await platformBalances(db)
  return {
    compared_at,
    differences: found.slice(0, SHOWN).map(({ id: _, rows, found_at, ...row }) => ({
      ...row,
      rows: rows as string[],
      found_at: found_at.toISOString(),
    })),
    more: found.length > SHOWN,
    suspense: balances
      .filter(({ account, amount_cents }) => account === 'suspense' && amount_cents !== 0)
      .map(({ currency, amount_cents }) => ({ currency, amount_cents: -amount_cents })),
  }
}
