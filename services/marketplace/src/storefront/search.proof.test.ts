import { storefrontPageRequest } from '@operon/contracts/marketplace/storefront'
import { newId } from '@operon/kit/ids'
import { startTestService } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { marketplaceService } from '../service.ts'

const PRODUCTS = 10_000
/** Before the words were kept with the row, a search took some 100 times as long as the first page. */
const MOST_FIRST_PAGES = 12
const words = ['lead', 'invoice', 'support', 'calendar', 'meeting', 'report', 'campaign', 'contract', 'survey', 'payroll']
const platform = await startTestService(marketplaceService)
const db: any = platform.services.marketplace!.rt.db
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
afterAll(() => platform.close())

test('10,000 products of 200 sellers are searched, narrowed and paged in the time of a few first pages', { timeout: 60_000 }, async () => {
  const { ask } = platform.services.marketplace!.rt
  const searches = new Map<string, number[]>()
  const firstPages: number[] = []
  const timesOf = (kind: string) => {
    if (!searches.has(kind)) searches.set(kind, [])
    return searches.get(kind)!
  }
  const timed = async (times: number[], asked: object) => {
    const started = performance.now()
    const page = (await ask(storefrontPageRequest, asked)) as { offers: unknown[]; next: string | null }
    times.push(performance.now() - started)
    return page
  }
  for (let at = 0; at < 200; at++) {
    const kinds = {
      'one word': words[at % 10]!,
      'two words': `${words[at % 10]} ${words[(at * 7) % 10]}`,
      'one product': `no${at * 50}`,
      nothing: `nothing${newId()}`,
    }
    const [kind, q] = Object.entries(kinds)[at % 4]!
    const category = at % 3 ? '' : `Category ${at % 12}`
    // Beside each search, since a busy machine slows both.
    await timed(firstPages, {})
    const page = await timed(timesOf(kind), { q, category })
    if (page.next) expect((await timed(timesOf(`${kind}, next page`), { q, category, after: page.next })).offers.length).toBeGreaterThan(0)
  }
  const all = [...searches.values()].flat()
  console.log(
    `a directory of ${PRODUCTS}: first page ${share(firstPages, 0.5).toFixed(1)} ms, searches p95 ${share(all, 0.95).toFixed(1)} ms`,
  )
  for (const [kind, times] of searches) {
    const ratio = share(times, 0.5) / share(firstPages, 0.5)
    expect(ratio, `${kind}: ${ratio.toFixed(1)} times the first page`).toBeLessThanOrEqual(MOST_FIRST_PAGES)
  }
})

const share = (times: number[], part: number) => times.toSorted((a, b) => a - b)[Math.floor(times.length * part)]!
