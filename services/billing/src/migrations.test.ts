import { openDatabase } from '@operon/kit/db'
import { migrate } from '@operon/kit/migrate'
import { dropTestDatabase, emptyTestDatabase } from '@operon/kit/testing/database'
import { expect, test } from 'vitest'
import { migrations } from './migrations/index.ts'

const ANN = '0199a000-0000-7000-8000-000000000001'
const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0040'))

test('what moved a seller’s money before is added up once by its month, and what comes later as it comes', async () => {
  const url = await emptyTestDatabase()
  await migrate(url, before)
  const { pool, db } = openDatabase(url, 4, () => {})
  await pool.query("insert into ledger_accounts (code, kind) select part || ':' || $1, 'liability' from unnest($2::text[]) part", [
    ANN,
    ['seller_held', 'seller_connected'],
  ])
  const book = (on: { query: typeof pool.query }, from: number, to: number) =>
    on.query(
      `with entries as (
         insert into ledger_entries (id, reference, kind, description, occurred_at)
         select lpad(to_hex(n), 32, '0')::uuid, 'test:' || n, 'test', 'test', '2026-01-31T12:00Z'::timestamptz + (n % 2) * interval '1 day'
         from generate_series($1::int, $2::int) n returning id)
       insert into ledger_postings (entry_id, line, account, currency, amount_cents)
       select id, line, account, 'usd', cents from entries, (values (1, 'seller_held:' || $3, -7), (2, 'seller_connected:' || $3, 3), (3, 'bank', 4)) lines (line, account, cents)`,
      [from, to, ANN] as never,
    )
  const months = async () =>
    (
      await pool.query('select month::text, cents::int, first_entry, last_entry from seller_months where seller_id = $1 order by month', [
        ANN,
      ])
    ).rows
  const idOf = (n: number) => `00000000-0000-0000-0000-${n.toString(16).padStart(12, '0')}`
  await book(pool, 1, 4_010)
  // Begun before the migration, and ended while it fills.
  const early = await pool.connect()
  await early.query('begin')
  await early.query('select pg_current_xact_id()')

  const { up, fill } = migrations['0040_seller_months']!
  await migrate(url, { ...before, '0040_seller_months': { up: up! } })
  await book(pool, 4_011, 4_012)
  const filling = fill!(db)
  await book(early as never, 4_013, 4_014)
  await early.query('commit')
  early.release()
  await filling
  const expected = [
    { month: '2026-01-01', cents: 2_007 * 7, first_entry: idOf(2), last_entry: idOf(4_014) },
    { month: '2026-02-01', cents: 2_007 * 7, first_entry: idOf(1), last_entry: idOf(4_013) },
  ]
  expect(await months()).toEqual(expected)
  await fill!(db)
  expect(await months()).toEqual(expected)

  await migrate(url, migrations)
  await book(pool, 4_015, 4_016)
  expect(await months()).toMatchObject([{ cents: 2_008 * 7 }, { cents: 2_008 * 7 }])
  await db.destroy()
  await dropTestDatabase(url)
})
