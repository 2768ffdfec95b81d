import { openDatabase } from '@operon/kit/db'
import { migrate } from '@operon/kit/migrate'
import { dropTestDatabase, emptyTestDatabase } from '@operon/kit/testing/database'
import { expect, test } from 'vitest'
import { mediaService } from './service.ts'

const ANN = '0199a000-0000-7000-8000-000000000001'
const before = Object.fromEntries(Object.entries(mediaService.migrations).filter(([name]) => name < '0010'))

test('pictures from before are counted once by their month, and each change after it is', async () => {
  const url = await emptyTestDatabase()
  await migrate(url, before)
  const { pool, db } = openDatabase(url, 2, () => {})
  const draw = (from: number, to: number, state: string) =>
    pool.query(
      `insert into pictures (id, user_id, batch_id, state, prompt, model, used_model, size, width, height, may_fall_back, reservation_id, saved, created_at)
       select lpad(to_hex(n), 32, '0')::uuid, $3, gen_random_uuid(), $4, 'p', 'm', 'm', '1x1', 1, 1, false, gen_random_uuid(), n % 10 = 0, '2026-01-31T12:00Z'::timestamptz + (n % 2) * interval '1 day'
       from generate_series($1::int, $2::int) n`,
      [from, to, ANN, state],
    )
  const counted = async () =>
    (await pool.query('select month::text, shown, saved from picture_months where user_id = $1 order by month', [ANN])).rows
  await draw(1, 4_010, 'done')
  await draw(5_001, 5_005, 'running')

  const { up, fill } = mediaService.migrations['0010_months']!
  await migrate(url, { ...before, '0010_months': { up: up! } })
  // A change of a picture before it is counted counts it.
  await pool.query("update pictures set saved = false where id = lpad(to_hex(10), 32, '0')::uuid")
  await pool.query("delete from pictures where id = lpad(to_hex(11), 32, '0')::uuid")
  const expected = [
    { month: '2026-01-01', shown: 2_005, saved: 400 },
    { month: '2026-02-01', shown: 2_004, saved: 0 },
  ]
  for (let times = 0; times < 2; times++) {
    await fill!(db)
    expect(await counted()).toEqual(expected)
  }

  await migrate(url, mediaService.migrations)
  await pool.query("update pictures set state = 'done' where state = 'running'")
  await pool.query("update pictures set deleted_at = now() where id = lpad(to_hex(20), 32, '0')::uuid")
  await pool.query("update pictures set deleted_at = now() where id = lpad(to_hex(30), 32, '0')::uuid")
  await pool.query("update pictures set deleted_at = null where id = lpad(to_hex(30), 32, '0')::uuid")
  await pool.query("update pictures set saved = true where id = lpad(to_hex(12), 32, '0')::uuid")
  expect(await counted()).toEqual([
    { month: '2026-01-01', shown: 2_006, saved: 400 },
    { month: '2026-02-01', shown: 2_007, saved: 0 },
  ])
  await pool.query('delete from picture_months')
  await pool.query('delete from pictures')
  expect(await counted()).toEqual([])
  await db.destroy()
  await dropTestDatabase(url)
})
