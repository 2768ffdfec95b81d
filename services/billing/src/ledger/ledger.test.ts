import { sellerShare } from '@operon/contracts/billing/rates'
import { testDatabase } from '@operon/kit/testing/database'
import { insert } from '@operon/kit/testing/rows'
import { inTransaction } from '@operon/kit/tx'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import type { Db } from '../deps.ts'
import { migrations } from '../migrations/index.ts'
import { charged, feeTaken, type Line, refunded } from './entries.ts'
import { earned, ledgerBalances, post } from './post.ts'
import { sold } from './selling.ts'

const database = await testDatabase({ name: 'billing', migrations })
const db: Db = database.db as Db
afterAll(() => database.drop())

let n = 0
const entry = (lines: Line[]) => ({
  reference: `test:${++n}`,
  kind: 'test',
  userId: null,
  description: 'test',
  occurredAt: new Date(),
  lines,
})
const book = (lines: Line[]) => inTransaction(db, (trx) => post(trx, entry(lines)))

test('the database refuses to change, delete or empty what is booked [spec-45]', async () => {
  await book(charged('usd', 4900))
  for (const statement of [
    'update ledger_postings set amount_cents = 1',
    'delete from ledger_postings',
    'truncate ledger_postings',
    "update ledger_entries set description = 'x'",
    'delete from ledger_entries',
    'truncate ledger_entries cascade',
    "update ledger_accounts set kind = 'asset'",
  ]) {
    await expect(sql.raw(statement).execute(db), statement).rejects.toThrow(/append-only/)
  }
})

test('an entry that does not balance fails at commit and leaves nothing', async () => {
  const lopsided = entry([...charged('usd', 4900), { account: 'refunds', currency: 'usd', amountCents: 1 }])
  await expect(inTransaction(db, (trx) => post(trx, lopsided))).rejects.toThrow(/does not balance/)
  const twoCurrencies = entry([
    { account: 'provider_balance', currency: 'usd', amountCents: 5 },
    { account: 'refunds', currency: 'eur', amountCents: -5 },
  ])
  await expect(inTransaction(db, (trx) => post(trx, twoCurrencies))).rejects.toThrow(/does not balance/)
  await expect(
    inTransaction(db, (trx) =>
      insert(trx, 'ledger_entries', {
        id: crypto.randomUUID(),
        reference: 'empty',
        kind: 'x',
        user_id: null,
        description: 'x',
        occurred_at: new Date(),
      }),
    ),
  ).rejects.toThrow(/does not balance/)
  const left = await db
    .selectFrom('ledger_entries')
    .select('id')
    .where('reference', 'in', [lopsided.reference, twoCurrencies.reference, 'empty'])
    .execute()
  expect(left).toEqual([])
})

test('nothing can be added to an entry of an earlier transaction', async () => {
  await book(charged('usd', 100))
  const { id } = await db.selectFrom('ledger_entries').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
  const more = charged('usd', 5).map(({ account, currency, amountCents }, i) => ({
    entry_id: id,
    line: 10 + i,
    account,
    currency,
    amount_cents: amountCents,
  }))
  await expect(insert(db, 'ledger_postings', more)).rejects.toThrow(/is closed/)
})

test('a reference is booked once, also by twenty at the same time', async () => {
  const once = entry(charged('usd', 777))
  const results = await Promise.all(Array.from({ length: 20 }, () => inTransaction(db, (trx) => post(trx, once))))
  expect(results.filter(Boolean)).toHaveLength(1)
})

test('what was earned is the income in dollars, refunds taken off [spec-5]', async () => {
  const ctx = { db } as Parameters<typeof earned>[0]
  const before = (await earned(ctx)).usd_cents
  await book(charged('usd', 4_900))
  await book(charged('eur', 9_900))
  await book(refunded('usd', 900))
  expect((await earned(ctx)).usd_cents - before).toBe(4_000)
})

test('balances are the sums of random entries, and every entry balances', async () => {
  const before = new Map(
    (await ledgerBalances(db)).balances.map(({ account, currency, amount_cents }) => [`${account} ${currency}`, amount_cents]),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('usd', 'eur'),
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.constantFrom('charge', 'fee', 'refund', 'sale'),
      async (currency, cents, kind) => {
        const nothing = { heldCents: 0, dueCents: 0, reservedCents: 0, payingCents: 0, owedCents: 0, connectedCents: 0 }
        const terms = {
          seller: '0190aaaa-0000-7000-8000-000000000001',
          currency,
          grossCents: cents,
          taxCents: 0,
          shareCents: sellerShare(cents),
        }
        const lines =
          kind === 'charge'
            ? charged(currency, cents)
            : kind === 'fee'
              ? feeTaken(currency, cents)
              : kind === 'refund'
                ? refunded(currency, cents)
                : sold(terms, nothing).lines
        await book(lines)
        for (const { account, amountCents } of lines)
          before.set(`${account} ${currency}`, (before.get(`${account} ${currency}`) ?? 0) + amountCents)
      },
    ),
    { numRuns: 150 },
  )
  const after = await ledgerBalances(db)
  expect(new Map(after.balances.map(({ account, currency, amount_cents }) => [`${account} ${currency}`, amount_cents]))).toEqual(before)
  expect(after.unbalanced).toBe(0)
  expect(after.balances.reduce((sum, { amount_cents }) => sum + amount_cents, 0)).toBe(0)
})
