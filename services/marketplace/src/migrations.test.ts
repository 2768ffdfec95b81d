import { openDatabase } from '@operon/kit/db'
import { migrate } from '@operon/kit/migrate'
import { dropTestDatabase, emptyTestDatabase } from '@operon/kit/testing/database'
import { expect, test } from 'vitest'
import { marketplaceService } from './service.ts'

const { migrations } = marketplaceService
const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0040'))
const [ANN, BOB] = ['0199a000-0000-7000-8000-000000000001', '0199a000-0000-7000-8000-000000000002']
const idOf = (n: number) => `00000000-0000-0000-0000-${n.toString(16).padStart(12, '0')}`

test('products and buyers from before are counted once, beside those who write while they are filled', async () => {
  const url = await emptyTestDatabase()
  await migrate(url, before)
  const { pool, db } = openDatabase(url, 4, () => {})
  const list = (from: number, to: number, on: { query: typeof pool.query } = pool) =>
    on.query(
      `insert into items (id, user_id, title, category, price_cents, item_type, is_active)
       select lpad(to_hex(n), 32, '0')::uuid, $1, 'Five questions', 'Sales', 4900, 'workflow', n % 2 = 0 from generate_series($2::int, $3::int) n`,
      [ANN, from, to] as never,
    )
  const buy = (n: number, buyer: string | null) =>
    pool.query(
      `insert into orders (id, item_id, seller_id, buyer_id, title, amount_cents, currency, token_hash) values ($1, $2, $3, $4, 'x', 4900, 'usd', $5)`,
      [idOf(n), idOf(1), ANN, buyer, Buffer.from(`${n}`)],
    )
  const counts = async () =>
    (await pool.query('select draft, active, archived, on_sale from item_counts where user_id = $1', [ANN])).rows as unknown[]
  const buyers = async () => (await pool.query('select buyer_id from order_lines order by order_id')).rows.map(({ buyer_id }) => buyer_id)
  await list(1, 5)
  await buy(1, BOB)
  await buy(2, null)

  const { up, fill } = migrations['0040_bounded_reads']!
  await migrate(url, { ...before, '0040_bounded_reads': { up: up! } })
  // A first write now counts everything that there is, and others at the same time are added to it.
  const other = await pool.connect()
  await other.query('begin')
  await list(6, 6, other as never)
  const waiting = list(7, 8)
  const waits = async () =>
    (await pool.query("select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into items%'")).rowCount
  await expect.poll(waits).toBe(1)
  await other.query('commit')
  other.release()
  await waiting
  expect(await counts()).toEqual([{ draft: 4, active: 4, archived: 0, on_sale: 4 }])
  await pool.query('delete from item_counts')
  for (const _ of ['the first time', 'again']) await fill!(db)
  expect(await counts()).toEqual([{ draft: 4, active: 4, archived: 0, on_sale: 4 }])
  await pool.query("update items set status = 'archived' where id = any($1::uuid[])", [[idOf(1), idOf(2)]])
  await pool.query('update items set suspended_at = now() where id = $1', [idOf(4)])
  await pool.query('delete from items where id = $1', [idOf(6)])
  expect(await counts()).toEqual([{ draft: 3, active: 2, archived: 2, on_sale: 1 }])

  expect(await buyers()).toEqual([BOB, null])
  await pool.query('update orders set buyer_id = $1 where id = $2', [ANN, idOf(2)])
  await buy(3, BOB)
  await pool.query('update orders set buyer_id = null where id = $1', [idOf(1)])
  expect(await buyers()).toEqual([null, ANN, BOB])
  await migrate(url, migrations)
  await db.destroy()
  await dropTestDatabase(url)
})
