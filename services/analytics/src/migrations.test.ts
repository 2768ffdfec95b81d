import { openDatabase } from '@operon/kit/db'
import { migrate } from '@operon/kit/migrate'
import { dropTestDatabase, emptyTestDatabase } from '@operon/kit/testing/database'
import { expect, test } from 'vitest'
import { analyticsService } from './service.ts'

const ANN = '0199a000-0000-7000-8000-000000000001'
const before = Object.fromEntries(Object.entries(analyticsService.migrations).filter(([name]) => name < '0005'))

test('facts from before are counted once each while others come and go, and a kill loses none', async () => {
  const url = await emptyTestDatabase()
  await migrate(url, before)
  const { pool: here, db } = openDatabase(url, 2, () => {})
  const slow = await here.connect()
  const add = (from: number, to: number) =>
    here.query(
      `insert into facts (event_id, name, user_id, at, payload)
       select lpad(to_hex(n), 32, '0')::uuid, 'crm.lead_created', $3, now() - n * interval '1 hour', '{}' from generate_series($1::int, $2::int) n`,
      [from, to, ANN],
    )
  const allTime = async () => (await here.query('select amount::int as n from fact_all_time where user_id = $1', [ANN])).rows
  const total = async () => (await here.query('select sum(amount)::int as n from fact_days where user_id = $1', [ANN])).rows[0].n
  await add(1, 12_000)
  await here.query("insert into fact_sums values ($1, 'crm.lead_created', 100)", [ANN])

  const { up } = analyticsService.migrations['0005_daily_figures']!
  await migrate(url, { ...before, '0005_daily_figures': { up: up! } })
  // Held so that the second piece stops there.
  await slow.query('begin')
  await slow.query("select from facts where event_id = lpad(to_hex(7000), 32, '0')::uuid for update")
  const first = migrate(url, analyticsService.migrations)
  await expect.poll(total).toBe(5_100)
  await add(20_001, 20_010)
  await here.query(
    "delete from facts where event_id < lpad(to_hex(11), 32, '0')::uuid or event_id > lpad(to_hex(11990), 32, '0')::uuid and event_id <= lpad(to_hex(12000), 32, '0')::uuid",
  )
  await Promise.all([
    expect(first).rejects.toThrow(),
    expect
      .poll(async () => {
        const ended = await here.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%marked as%' and pid <> pg_backend_pid()",
        )
        return ended.rowCount
      })
      .toBe(1),
  ])
  await slow.query('rollback')
  await migrate(url, analyticsService.migrations)
  expect(await total()).toBe(12_000 + 100 + 10)
  await add(20_011, 20_011)
  expect(await total()).toBe(12_000 + 100 + 11)
  expect(await allTime()).toEqual([{ n: 12_000 + 100 + 11 }])

  // The sum of all time comes with a fill or with the first change, and is the same whichever it was.
  const { fill } = analyticsService.migrations['0108_all_time']!
  for (const comes of [() => fill!(db), () => add(20_012, 20_012)]) {
    await here.query('delete from fact_all_time')
    await comes()
    await fill!(db)
    expect(await allTime()).toEqual([{ n: await total() }])
  }
  slow.release()
  await db.destroy()
  await dropTestDatabase(url)
})
