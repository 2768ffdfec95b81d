import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { newId } from '../ids.ts'
import { insert } from '../testing/rows.ts'
import { startDataApi } from './fixture.ts'

const api = await startDataApi()
afterAll(() => api.close())

const get = (path: string, { token }: { token: string }, headers: Record<string, string> = {}) =>
  fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } })

test('an answer that leaves rows out says where the next page is, and pages by cursor meet every row once', async () => {
  const reader = await api.person()
  const shared = { user_id: reader.id, created_at: '2026-02-01T00:00:00.000001Z' }
  const row = (n: number) => ({ ...shared, id: newId(), title: `note ${n}`, pages: n % 3 })
  await insert(
    api.db,
    'notes',
    Array.from({ length: 1_005 }, (_, n) => row(n)),
  )
  for (const [order, page] of [
    ['created_at.desc', 'cursor'],
    ['pages', 'cursor'],
    ['pages.desc.nullslast,created_at.desc', 'cursor'],
    ['title', 'offset'],
    ['pages.asc,created_at.desc', 'offset'],
  ] as const) {
    const seen: string[] = []
    let next: string | undefined = `/rest/v1/notes?select=id&order=${order}&limit=400`
    while (next) {
      const answer: Response = await get(next, reader)
      expect(answer.status, `${next}`).toBe(200)
      seen.push(...((await answer.json()) as { id: string }[]).map(({ id }) => id))
      next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
      if (next) expect(new URLSearchParams(next.split('?')[1]).has(page)).toBe(true)
    }
    expect([order, seen.length, new Set(seen).size]).toEqual([order, 1_005, 1_005])
  }
  const whole = await get('/rest/v1/notes?select=id&order=created_at.desc', reader)
  expect([whole.headers.get('content-range'), whole.headers.get('link') !== null]).toEqual(['0-999/*', true])
  for (const bad of ['order=created_at.desc&cursor=x', 'order=title&cursor=WyJhIl0', 'cursor=WyJhIl0', 'order=pages&cursor=WyJhIiwiYiJd'])
    expect((await get(`/rest/v1/notes?${bad}`, reader)).status, bad).toBe(400)
})

test('times are ordered as they are, not as they are written', async () => {
  const reader = await api.person()
  const times = ['2026-02-01T00:00:00.1Z', '2026-02-01T00:00:00Z', '0987-01-01T00:00:00Z', '12026-01-01T00:00:00Z']
  await sql`insert into notes (id, user_id, title, pages, created_at) select gen_random_uuid(), ${reader.id}, n::text, n, t::timestamptz
    from unnest(${times}::text[]) with ordinality as each (t, n)`.execute(api.db)
  const { data } = await reader.client.from('notes').select('pages').order('created_at')
  expect(data!.map(({ pages }) => pages)).toEqual([3, 2, 1, 4])
})

test('an exact count ends at a hundred thousand rows, and says that what follows is an estimate', { timeout: 60_000 }, async () => {
  const [many, few] = await Promise.all([api.person(), api.person()])
  await sql`insert into notes (id, user_id, pages) select gen_random_uuid(), ${many.id}, n from generate_series(1, 100001) as n`.execute(
    api.db,
  )
  await sql`insert into notes (id, user_id, pages) select gen_random_uuid(), ${few.id}, n from generate_series(1, 1001) as n`.execute(
    api.db,
  )
  await sql`analyze notes`.execute(api.db)
  const count = async (person: { token: string }, how: string) => {
    const answer = await get('/rest/v1/notes?select=id&limit=1', person, { prefer: `count=${how}` })
    return [Number(answer.headers.get('content-range')!.split('/')[1]), answer.headers.get('preference-applied')] as const
  }
  expect(await count(few, 'exact')).toEqual([1_001, 'count=exact'])
  const [exact, applied] = await count(many, 'exact')
  expect([exact > 100_000, applied]).toEqual([true, 'count=estimated'])
  for (const how of ['planned', 'estimated']) {
    const [rows, told] = await count(many, how)
    expect([rows > 50_000, rows < 200_000, told]).toEqual([true, true, `count=${how}`])
  }
})
