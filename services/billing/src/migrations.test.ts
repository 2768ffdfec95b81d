import { openDatabase } from '@operon/kit/db'
import { migrate } from '@operon/kit/migrate'
import { dropTestDatabase, emptyTestDatabase } from '@operon/kit/testing/database'
import { expect, test } from 'vitest'
import { sumLedger } from './ledger/sums.ts'
import { migrations } from './migrations/index.ts'
import { sumFigures } from './staff/figures.ts'

const ANN = '0199a000-0000-7000-8000-000000000001'
const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0040'))

test('what moved a seller’s money before is added up once by its month, and what comes later as it comes', {
  timeout: 60_000,
}, async () => {
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
  // The same entries wait for the sums of the books, and are in them once.
  const balances = async () => (await pool.query('select account, amount_cents::int as cents from ledger_balances order by account')).rows
  const all = [
    { account: 'bank', cents: 4_016 * 4 },
    { account: `seller_connected:${ANN}`, cents: 4_016 * 3 },
    { account: `seller_held:${ANN}`, cents: 4_016 * -7 },
  ]
  expect(await balances()).toEqual(all)
  await sumLedger(db as never)
  expect([(await pool.query('select * from ledger_entries_unsummed')).rows, await balances()]).toEqual([[], all])

  // Referrals from before are counted once, and later changes as they come.
  const sums = async () =>
    (await pool.query('select sign_ups, credit_cents::int as cents from referral_sums where user_id = $1', [ANN])).rows
  await pool.query(
    "insert into referrals (referred_user_id, referrer_user_id, state, credit_cents, paid_at) select gen_random_uuid(), $1, 'credited', 990, now() from generate_series(1, 3)",
    [ANN],
  )
  await pool.query('delete from referral_sums')
  await migrations['0092_referral_sums']!.fill!(db)
  expect(await sums()).toEqual([{ sign_ups: 3, cents: 2970 }])
  await pool.query('insert into referrals (referred_user_id, referrer_user_id) select gen_random_uuid(), $1 from generate_series(1, 2)', [
    ANN,
  ])
  await pool.query(
    "update referrals set state = 'void' where referred_user_id = (select referred_user_id from referrals where state = 'credited' limit 1)",
  )
  await migrations['0092_referral_sums']!.fill!(db)
  expect(await sums()).toEqual([{ sign_ups: 5, cents: 1980 }])

  // Subscriptions from before are counted once, however often they queued.
  await pool.query(
    `with people as (insert into accounts (user_id, referral_code) select gen_random_uuid(), 'code-' || n from generate_series(1, 3) n returning user_id)
     insert into subscriptions (user_id, plan, status, period_start) select user_id, 'pro', 'active', now() from people`,
  )
  await pool.query('delete from figures_unsummed')
  const counted = async () => (await pool.query('select figure, plan, accounts from figure_counts')).rows
  for (const _ of ['the first time', 'again']) {
    await migrations['0121_figures']!.fill!(db)
    await sumFigures(db as never)
    expect(await counted()).toEqual([{ figure: 'mrr', plan: 'pro', accounts: 3 }])
  }
  await pool.query("update subscriptions set status = 'none'")
  await sumFigures(db as never)
  expect(await counted()).toEqual([])
  await db.destroy()
  await dropTestDatabase(url)
})
