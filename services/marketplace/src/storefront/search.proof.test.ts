import { storefrontPageRequest } from '@operon/contracts/marketplace/storefront'
import { newId } from '@operon/kit/ids'
import { startTestService, type TestPlatform } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'

const PRODUCTS = 10_000
const words = ['lead', 'invoice', 'support', 'calendar', 'meeting', 'report', 'campaign', 'contract', 'survey', 'payroll']
let platform: TestPlatform
let db: any
beforeAll(async () => {
  platform = await startTestService(marketplaceService)
  db = platform.services.marketplace!.rt.db
  await sql`
    with sellers as (
      insert into profiles (user_id, display_name, marketplace_slug, version)
      select gen_random_uuid(), 'Seller ' || n, 'seller-' || n, 1 from generate_series(1, 200) n returning user_id
    ), numbered as (select user_id, row_number() over () - 1 as place from sellers)
    insert into items (id, user_id, title, description, category, price_cents, item_type, is_active, published_at)
    select gen_random_uuid(), s.user_id, (${words}::text[])[1 + n % 10] || ' ' || (${words}::text[])[1 + n / 10 % 10] || ' no' || n,
      repeat('Asks the five questions, scores the answers and offers a meeting. ', 1 + n % 20), 'Category ' || n % 12, 1900, 'workflow', true,
      now() - n * interval '1 minute'
    from generate_series(1, ${PRODUCTS}::int) n join numbered s on s.place = n % 200`.execute(db)
  await sql`analyze`.execute(db)
}, 60_000)
afterAll(() => platform.close())

test('10,000 products of 200 sellers are searched, narrowed and paged with a p95 of at most 100 ms', { timeout: 60_000 }, async () => {
  const { ask } = platform.services.marketplace!.rt
  const times: number[] = []
  const timed = async (asked: object) => {
    const started = performance.now()
    const page = (await ask(storefrontPageRequest, asked)) as { offers: unknown[]; next: string | null }
    times.push(performance.now() - started)
    return page
  }
  for (let at = 0; at < 200; at++) {
    const q = ['', words[at % 10]!, `${words[at % 10]} ${words[(at * 7) % 10]}`, `no${at * 50}`, `nothing${newId()}`][at % 5]!
    const page = await timed({ q, category: at % 3 ? '' : `Category ${at % 12}` })
    if (page.next) expect((await timed({ q, after: page.next })).offers.length).toBeGreaterThan(0)
  }
  times.sort((a, b) => a - b)
  const p95 = times[Math.floor(times.length * 0.95)]!
  console.log(
    `${times.length} pages of a directory of ${PRODUCTS}: p50 ${times[times.length >> 1]!.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`,
  )
  expect(p95).toBeLessThanOrEqual(100)
})
