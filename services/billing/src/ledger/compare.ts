import type * as contract from '@operon/contracts/billing/api'
import { compareBooks as compareJob } from '@operon/contracts/billing/events'
import type { Output } from '@operon/contracts/contract'
import { newId } from '@operon/kit/ids'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Db, Deps } from '../deps.ts'
import { readSetting, replaceSetting } from '../settings.ts'
import type { ProviderMoney } from '../stripe-shapes.ts'
import { connectedDifferences, healPayouts, keptDifferences, stopPayouts } from './compare-sellers.ts'
import { bookCredits } from './credits.ts'
import { balanceMoved } from './entries.ts'
import { ledgerBalances, post } from './post.ts'

/** `subject` is the customer whose balance it is, or empty where the account is one. */
type Difference = { account: string; subject: string; currency: string; ours: number; theirs: number; rows: string[] }
const ROWS_NAMED = 50
const SHOWN = 100
const KEY = 'books:compared'

/**
 * Every account that the provider knows as well, against what it says: its balance, what it holds for disputes, and each customer's balance.
 * Credit that nobody told us of is booked, and so is what the provider paid out to us or took for itself; what differs then is looked at
 * once more before it is called a difference.
 */
export async function compareBooks(deps: Deps, ctx: BillingCtx): Promise<{ differences: number }> {
  if (!deps.hasProvider) return { differences: 0 }
  await healCredits(deps, ctx.db)
  const first = await differences(deps, ctx.db)
  for (const { account, currency } of first) if (account === 'provider_balance') await bookOwnMovements(deps, ctx.db, currency)
  await healPayouts(
    deps,
    ctx.db,
    first.flatMap(({ account, subject }) => (account === 'seller_connected' ? [subject] : [])),
  )
  const again = first.length > 0 ? await differences(deps, ctx.db) : []
  const found = again.filter((each) => first.some((before) => isSame(before, each)))
  for (const each of found) if (each.account === 'provider_balance') each.rows = await rowsNotBooked(deps, ctx.db, each.currency)
  await keepDifferences(ctx.db, found)
  await stopPayouts(ctx.db, found)
  for (const { rows, ...difference } of found)
    ctx.log.error({ ...difference, rows: rows.slice(0, 5) }, 'the books differ from the provider: see Staff, Books')
  return { differences: found.length }
}

const isSame = (a: Difference, b: Difference) =>
  a.account === b.account && a.subject === b.subject && a.currency === b.currency && a.ours - a.theirs === b.ours - b.theirs

async function differences(deps: Deps, db: Db): Promise<Difference[]> {
  const { provider } = deps
  const { balances } = await ledgerBalances(db)
  const whole = (account: string, theirs: ProviderMoney): Difference[] => {
    const ours = Object.fromEntries(balances.filter((each) => each.account === account).map((each) => [each.currency, each.amount_cents]))
    const currencies = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
    return currencies
      .map((currency) => ({ account, subject: '', currency, ours: ours[currency] ?? 0, theirs: theirs[currency] ?? 0, rows: [] }))
      .filter((each) => each.ours !== each.theirs)
  }
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
  return [
    ...whole('provider_balance', await provider.balance()),
    ...whole('disputed', await provider.disputedMoney()),
    ...credits,
    // A deleted customer's balance in the books is in no row of theirs.
    ...whole('customer_credit', total),
    ...(await connectedDifferences(deps, db)),
    ...(await keptDifferences(db)),
  ]
}

async function creditsOf(db: Db, customers: string[]): Promise<Map<string, number>> {
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

/** Payouts to our bank and the provider's own charges: nobody paid them, so no charge leads to them. Back to where all of them are booked. */
async function bookOwnMovements({ provider }: Deps, db: Db, currency: string) {
  for await (const page of provider.movements(currency)) {
    const own = page.filter(({ type }) => type in ownMovements)
    const booked = await inTransaction(db, async (trx) => {
      let count = 0
      for (const { id, type, cents, createdAt } of own) {
        const { to, says } = ownMovements[type]!
        const lines = balanceMoved(currency, cents, to)
        const isNew = await post(trx, {
          reference: `moved:${id}`,
          kind: 'moved',
          userId: null,
          description: says,
          occurredAt: createdAt,
          lines,
        })
        if (isNew) count++
      }
      return count
    })
    if (own.length > 0 && booked === 0) return
  }
}

const ownMovements: Record<string, { to: 'bank' | 'provider_fees'; says: string }> = {
  payout: { to: 'bank', says: 'Paid out to our bank' },
  payout_cancel: { to: 'bank', says: 'Payout to our bank called off' },
  payout_failure: { to: 'bank', says: 'Payout to our bank returned' },
  stripe_fee: { to: 'provider_fees', says: 'Provider fee' },
  stripe_fx_fee: { to: 'provider_fees', says: 'Provider fee for an exchange' },
  tax_fee: { to: 'provider_fees', says: 'Tax on provider fees' },
}

/** The provider's newest movements in a currency that no entry of ours was made for. */
async function rowsNotBooked({ provider }: Deps, db: Db, currency: string): Promise<string[]> {
  const missing: string[] = []
  for await (const page of provider.movements(currency)) {
    const names = page.flatMap(({ id, source }) => [
      `charge:${source}`,
      `refund:${source}`,
      `dispute:${source}`,
      `fee:${id}`,
      `transfer:${source}`,
      `moved:${id}`,
    ])
    const { rows } = await sql<{ reference: string }>`
      select reference from ledger_entries where reference = any(${names}::text[])`.execute(db)
    const booked = new Set(rows.map(({ reference }) => reference.slice(reference.indexOf(':') + 1)))
    for (const { id, source, type, cents } of page)
      if (!booked.has(source) && !booked.has(id)) missing.push(`${type} ${source || id}: ${cents} ${currency}`)
    if (missing.length >= ROWS_NAMED) break
  }
  return missing.slice(0, ROWS_NAMED)
}

async function keepDifferences(db: Db, found: Difference[]) {
  await inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${KEY}))`.execute(trx)
    await trx.deleteFrom('book_differences').execute()
    if (found.length > 0)
      await trx
        .insertInto('book_differences')
        .values(
          found.map(({ ours, theirs, rows, ...difference }) => ({
            ...difference,
            id: newId(),
            ours_cents: ours,
            theirs_cents: theirs,
            rows: JSON.stringify(rows),
          })),
        )
        .execute()
    await replaceSetting(trx, KEY, new Date().toISOString())
  })
}

/** What the last comparison found; asking for a new one puts it in the queue. */
export async function booksOf(db: BillingCtx['db'], again: boolean): Promise<Output<typeof contract.staffBooks>> {
  if (again) await inTransaction(db, (trx) => enqueue(trx, compareJob, {}))
  const found = await db
    .selectFrom('book_differences')
    .selectAll()
    .orderBy('account')
    .orderBy('subject')
    .limit(SHOWN + 1)
    .execute()
  const { balances } = await ledgerBalances(db)
  return {
    compared_at: await readSetting<string>(db, KEY),
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
