import { insert } from '@operon/kit/testing/rows'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startBilling } from '../fixture.ts'
import { charged } from '../ledger/entries.ts'
import { ledgerBalances, post } from '../ledger/post.ts'
import { platformBalances, sumLedger } from '../ledger/sums.ts'
import { sellingOn } from '../sellers/fixture.ts'
import { closeMonths, endOf } from './close.ts'

const billing = await startBilling()
afterAll(() => billing.close())

const reason = 'The books of the month'
const monthOf = (at: Date) => at.toISOString().slice(0, 7)
const monthsBefore = (count: number) => {
  const now = new Date()
  return monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1)))
}
const afterClose = (month: string) => new Date(endOf(month).getTime() + 4 * 86_400_000)
const balance = async (of: string) =>
  0 - ((await ledgerBalances(billing.db)).balances.find(({ account }) => account === of)?.amount_cents ?? 0)
const bookedBy = (month: string, reference: string) =>
  inTransaction(billing.db, (trx) =>
    post(trx, {
      ...{ reference, kind: 'charge', userId: null, description: 'Told late' },
      ...{ occurredAt: new Date(`${month}-15T00:00:00Z`), lines: charged('usd', 100) },
    }),
  )
const accountsOf = async (month: string) => (await billing.call('staff-month', billing.staff(), { month, reason })).body.accounts as any[]
const movedBy = (accounts: any[], account: string) => {
  const row = accounts.find((each) => each.account === account)
  return row ? row.debit_cents - row.credit_cents : 0
}

test('a month that closes defers what is not earned by its end, and the next one earns it', { timeout: 60_000 }, async () => {
  const user = billing.user()
  await billing.pay((await billing.call('create-checkout', user, { plan: 'basic' })).body.url, undefined, { country: 'FR' })
  await billing.becomes(user, { status: 'trialing' })
  // The clock of others stays, so that at the end of a month their sales stand in this one.
  await billing.advance(3.1, user)
  await billing.becomes(user, { status: 'active' })
  const period = await billing.db.selectFrom('revenue_periods').selectAll().executeTakeFirstOrThrow()
  expect(period).toMatchObject({ net_cents: 4_900, returned_cents: 0 })
  const month = monthOf(period.starts_at)
  const end = endOf(month).getTime()
  const unearned = Math.floor((4_900 * (period.ends_at.getTime() - end)) / (period.ends_at.getTime() - period.starts_at.getTime()))

  const before = await balance('subscription_revenue')
  expect(await closeMonths(billing.db, new Date(end + 2 * 86_400_000))).not.toContain(month)
  expect(await closeMonths(billing.db, afterClose(month))).toContain(month)
  expect(await closeMonths(billing.db, afterClose(month))).toEqual([])
  expect([await balance('deferred_revenue'), await balance('subscription_revenue')]).toEqual([unearned, before - unearned])
  const next = monthOf(period.ends_at)
  expect(await closeMonths(billing.db, afterClose(next))).toEqual([next])
  expect([await balance('deferred_revenue'), await balance('subscription_revenue')]).toEqual([0, before])
  const { body } = await billing.call('staff-month', billing.staff(), { month, reason })
  expect(body).toMatchObject({ closed_at: expect.any(String), tax: [{ country: 'FR', taxable_cents: 4_900, tax_cents: 980 }] })
  expect((await billing.call('staff-month', user, { month, reason })).status).toBe(403)
})

test('what is told after the close stands in the month in which it came', { timeout: 60_000 }, async () => {
  const [old, today] = [monthsBefore(3), monthsBefore(0)]
  await insert(billing.db, 'month_closes', { month: old })
  await bookedBy(monthsBefore(2), 'charge:told-in-time')
  expect(movedBy(await accountsOf(monthsBefore(2)), 'provider_balance')).toBe(100)
  const now = movedBy(await accountsOf(today), 'provider_balance')
  await bookedBy(old, 'charge:told-late')
  expect(await accountsOf(old)).toEqual([])
  expect(movedBy(await accountsOf(today), 'provider_balance')).toBe(now + 100)
})

test('the journal of a month balances entry by entry in each format, and names no seller', { timeout: 60_000 }, async () => {
  const selling = sellingOn(billing)
  const ann = await selling.seller()
  const sold = await selling.sell(ann, 12_345, { fields: { country: 'DE' } })
  const sale = (await selling.row(sold))!
  await billing.call('refund-order', ann, { sale_id: sale.id, amount_cents: 1_111, reason: 'A part of it' })
  await billing.quiet()
  const month = monthOf(sale.paid_at)
  const journal = async (format: string) =>
    (await billing.call('staff-journal', billing.staff(), { month, format, reason })).body.text as string
  const accounts = await accountsOf(month)
  const cents = (text: string) => Math.round(Number(text || 0) * 100)

  const rows = (await journal('csv'))
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(','))
  for (const entry of Map.groupBy(rows, ([, number]) => number).values())
    expect(entry.reduce((sum, [, , , , debit, credit]) => sum + cents(debit!) - cents(credit!), 0)).toBe(0)
  for (const { account, debit_cents, credit_cents } of accounts) {
    const mine = rows.filter(([, , name]) => name === account)
    expect([account, mine.reduce((sum, [, , , , debit, credit]) => sum + cents(debit!) - cents(credit!), 0)]).toEqual([
      account,
      debit_cents - credit_cents,
    ])
  }
  expect(rows.some(([, , account]) => account === 'seller_held')).toBe(true)
  expect(await journal('csv')).not.toContain(ann.id)
  expect((await journal('quickbooks')).split('\r\n')[1]).toMatch(/^\d{8}-\w+-usd,\d\d\/\d\d\/\d{4},USD,/)
  for (const entry of (await journal('ledger')).split('\n\n')) {
    const amounts = [...entry.matchAll(/ {2}(-?[\d.]+) [A-Z]{3}$/gm)].map(([, amount]) => cents(amount!))
    expect(amounts.length).toBeGreaterThan(1)
    expect(amounts.reduce((sum, each) => sum + each, 0)).toBe(0)
  }
})

test('the sums say what the entries say, each once, whether they wait or are added, by two at a time and around a close', async () => {
  const { db } = billing
  const [old, today] = [monthsBefore(5), monthsBefore(0)]
  const entriesSay = async () => {
    const { rows } = await sql`
      select split_part(account, ':', 1) as account, currency, sum(amount_cents)::bigint as amount_cents from ledger_postings
      group by 1, 2 order by 1, 2`.execute(db)
    return rows
  }
  await bookedBy(old, 'charge:waits')
  const waiting = await accountsOf(old)
  expect(movedBy(waiting, 'provider_balance')).toBe(100)
  expect((await platformBalances(db)).balances).toEqual(await entriesSay())
  await Promise.all([sumLedger(db), sumLedger(db), bookedBy(old, 'charge:meanwhile'), sumLedger(db)])
  await sumLedger(db)
  expect(await db.selectFrom('ledger_entries_unsummed').selectAll().execute()).toEqual([])
  expect(movedBy(await accountsOf(old), 'provider_balance')).toBe(200)
  expect(await platformBalances(db)).toMatchObject({ balances: await entriesSay(), unbalanced: 0 })
  expect((await ledgerBalances(db)).balances.filter(({ account }) => account.startsWith('seller_')).length).toBeGreaterThan(0)

  await insert(db, 'month_closes', { month: old })
  const now = movedBy(await accountsOf(today), 'provider_balance')
  await bookedBy(old, 'charge:too-late')
  for (const _ of ['waits', 'is added']) {
    expect(movedBy(await accountsOf(old), 'provider_balance')).toBe(200)
    expect(movedBy(await accountsOf(today), 'provider_balance')).toBe(now + 100)
    await sumLedger(db)
  }
})
