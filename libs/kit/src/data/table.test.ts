import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../ids.ts'
import { startDataApi } from './fixture.ts'

let api: Awaited<ReturnType<typeof startDataApi>>
let ann: Awaited<ReturnType<typeof api.person>>
let bob: typeof ann

beforeAll(async () => {
  api = await startDataApi()
  ;[ann, bob] = await Promise.all([api.person(), api.person()])
  const note = (user_id: string, title: string | null, pages: number, rest: object = {}) => ({
    id: newId(),
    user_id,
    title,
    pages,
    ...rest,
  })
  await api.db
    .insertInto('notes')
    .values([
      note(ann.id, 'alpha', 1, { done: true, price: '9.90', due: '2026-11-21', created_at: '2026-01-01T00:00:00.123456Z' }),
      note(ann.id, 'beta, gamma', 2, { done: false, created_at: '2026-01-02T00:00:00Z' }),
      note(ann.id, 'say "hi"', 3, { created_at: '2026-01-03T00:00:00Z' }),
      note(ann.id, null, 4, { created_at: '2026-01-04T00:00:00Z' }),
      note(bob.id, 'alpha', 100, { done: true }),
    ])
    .execute()
})
afterAll(() => api.close())

const titles = (rows: { title: string | null }[] | null) => rows?.map(({ title }) => title)

test('a signed-in person reads their own rows and the columns of the contract alone [spec-54] [spec-138]', async () => {
  const { data, error, status } = await ann.client.from('notes').select().order('pages')
  expect([error, status]).toEqual([null, 200])
  expect(titles(data)).toEqual(['alpha', 'beta, gamma', 'say "hi"', null])
  expect(Object.keys(data![0]!).sort()).toEqual(['created_at', 'done', 'due', 'id', 'pages', 'price', 'title', 'user_id'])
  expect(data![0]).toMatchObject({
    user_id: ann.id,
    price: 9.9,
    done: true,
    due: '2026-11-21',
    created_at: '2026-01-01T00:00:00.123456+00:00',
  })
  expect((await ann.client.from('notes').select().eq('user_id', bob.id)).data).toEqual([])
  expect((await ann.client.from('notes').select().or(`user_id.eq.${bob.id},pages.gte.0`)).data).toHaveLength(4)
})

test('a stranger gets 401 where a table is for people, and only the public rows where it is not [spec-53]', async () => {
  expect(await api.stranger().from('notes').select()).toMatchObject({
    status: 401,
    data: null,
    error: { code: 'PGRST301', message: 'Not authenticated' },
  })
  const { data } = await api.stranger().from('done_notes').select()
  expect(data!.map((row) => Object.keys(row))).toEqual([
    ['id', 'title'],
    ['id', 'title'],
  ])
})

test('selects columns with renames, and a single object by Accept', async () => {
  const one = await ann.client.from('notes').select('name:title, pages').eq('title', 'alpha').single()
  expect(one).toMatchObject({ status: 200, data: { name: 'alpha', pages: 1 } })
  const none = await ann.client.from('notes').select().eq('title', 'nothing').single()
  expect(none).toMatchObject({ status: 406, error: { code: 'PGRST116', details: 'The result contains 0 rows' } })
  expect(await ann.client.from('notes').select().single()).toMatchObject({
    status: 406,
    error: { code: 'PGRST116', details: 'The result contains 4 rows' },
  })
  expect(await ann.client.from('notes').select().eq('title', 'nothing').maybeSingle()).toMatchObject({ data: null, error: null })
  const stripped = await ann.client.from('notes').select('title,pages').eq('pages', 4).stripNulls()
  expect(stripped.data).toEqual([{ pages: 4 }])
})

test.each<[string, (q: any) => any, (string | null)[]]>([
  ['eq', (q) => q.eq('title', 'alpha'), ['alpha']],
  ['eq keeps commas', (q) => q.eq('title', 'beta, gamma'), ['beta, gamma']],
  ['eq keeps quotes', (q) => q.eq('title', 'say "hi"'), ['say "hi"']],
  ['neq', (q) => q.neq('title', 'alpha'), ['beta, gamma', 'say "hi"']],
  ['gt lt', (q) => q.gt('pages', 1).lt('pages', 4), ['beta, gamma', 'say "hi"']],
  ['gte lte', (q) => q.gte('pages', 2).lte('pages', 3), ['beta, gamma', 'say "hi"']],
  ['like', (q) => q.like('title', 'beta%'), ['beta, gamma']],
  ['ilike', (q) => q.ilike('title', '*ALPHA*'), ['alpha']],
  ['in', (q) => q.in('title', ['alpha', 'beta, gamma']), ['alpha', 'beta, gamma']],
  ['in nothing', (q) => q.in('title', []), []],
  ['in numbers', (q) => q.in('pages', [1, 4]), ['alpha', null]],
  ['not in', (q) => q.not('pages', 'in', '(1,2,3)'), [null]],
  ['is null', (q) => q.is('title', null), [null]],
  ['is true', (q) => q.is('done', true), ['alpha']],
  ['not is null', (q) => q.not('title', 'is', null), ['alpha', 'beta, gamma', 'say "hi"']],
  ['not eq', (q) => q.not('pages', 'eq', 1), ['beta, gamma', 'say "hi"', null]],
  ['or', (q) => q.or('pages.eq.1,title.is.null'), ['alpha', null]],
  ['nested', (q) => q.or('and(pages.gt.1,pages.lt.3),not.and(title.not.is.null)'), ['beta, gamma', null]],
  ['quoted in or', (q) => q.or('title.eq."beta, gamma",title.eq."say \\"hi\\"",pages.in.(4)'), ['beta, gamma', 'say "hi"', null]],
  ['match', (q) => q.match({ title: 'alpha', pages: 1 }), ['alpha']],
  ['time', (q) => q.lt('created_at', '2026-01-01T00:00:00.123457Z'), ['alpha']],
  ['date', (q) => q.eq('due', '2026-11-21'), ['alpha']],
  ['numeric', (q) => q.eq('price', 9.9), ['alpha']],
])('filters: %s', async (_name, filter, expected) => {
  const { data, error } = await filter(ann.client.from('notes').select('title').order('pages'))
  expect(error).toBeNull()
  expect(titles(data)).toEqual(expected)
})

test('a filter compares with at most 4,000 characters', async () => {
  expect((await ann.client.from('notes').select().eq('title', 'a'.repeat(4_000))).status).toBe(200)
  expect(await ann.client.from('notes').select().eq('title', 'a'.repeat(4_001))).toMatchObject({
    status: 400,
    error: { code: 'PGRST100', message: expect.stringContaining('a value of 4001 characters') },
  })
})

test('orders, limits, pages by range and counts', async () => {
  const order = await ann.client.from('notes').select('title').order('title', { ascending: false, nullsFirst: false })
  expect(titles(order.data)).toEqual(['say "hi"', 'beta, gamma', 'alpha', null])
  const page = await ann.client.from('notes').select('pages', { count: 'exact' }).order('pages').range(1, 2)
  expect(page).toMatchObject({ status: 206, count: 4, data: [{ pages: 2 }, { pages: 3 }] })
  expect(await ann.client.from('notes').select('*', { count: 'exact', head: true })).toMatchObject({
    status: 200,
    count: 4,
    data: null,
    error: null,
  })
  expect(await ann.client.from('notes').select('pages', { count: 'estimated' }).limit(9)).toMatchObject({ status: 200, count: 4 })
  const planned = await ann.client.from('notes').select('pages', { count: 'planned' }).limit(9)
  expect([planned.error, planned.data!.length, planned.count! >= 4]).toEqual([null, 4, true])
  expect(await ann.client.from('notes').select('pages', { count: 'exact' }).range(50, 60)).toMatchObject({
    status: 416,
    error: { code: 'PGRST103' },
  })
  const ranged = await get('/rest/v1/notes?select=pages&order=pages', { range: '1-1', 'range-unit': 'items', prefer: 'count=exact' })
  expect([ranged.status, ranged.headers.get('content-range'), await ranged.json()]).toEqual([206, '1-1/4', [{ pages: 2 }]])
  expect((await get('/rest/v1/notes', { range: '3-1' })).status).toBe(416)
  expect((await get('/rest/v1/notes', { 'accept-profile': 'auth' })).status).toBe(406)
})

test.each<[string, (q: any) => any, number, string]>([
  ['an unknown column selected', (q) => q.select('secret'), 400, '42703'],
  ['an unknown column filtered', (q) => q.select().eq('secret', 'x'), 400, '42703'],
  ['an unknown column inside or', (q) => q.select().or('secret.eq.x'), 400, '42703'],
  ['an unknown column ordered by', (q) => q.select().order('secret'), 400, '42703'],
  ['a property of Object', (q) => q.select('constructor'), 400, '42703'],
  ['a bad uuid', (q) => q.select().eq('id', 'abc'), 400, '22P02'],
  ['a bad number', (q) => q.select().eq('pages', 'many'), 400, '22P02'],
  ['a number past its column', (q) => q.select().eq('pages', 99999999999), 400, '22003'],
  ['a bad time', (q) => q.select().gt('created_at', 'yesterday'), 400, '22007'],
  ['a day that is none', (q) => q.select().eq('due', '2026-02-31'), 400, '22008'],
  ['an embed', (q) => q.select('title,owners(name)'), 400, 'PGRST200'],
  ['a spread', (q) => q.select('...owners(name)'), 400, 'PGRST200'],
  ['an aggregate', (q) => q.select('pages.sum()'), 400, 'PGRST123'],
  ['count()', (q) => q.select('count()'), 400, 'PGRST123'],
  ['a cast', (q) => q.select('pages::text'), 400, 'PGRST100'],
  ['an operator of another kind', (q) => q.select().textSearch('title', 'x'), 400, 'PGRST100'],
  ['like over a uuid', (q) => q.select().like('id', '%a%'), 404, '42883'],
  ['a condition of no column', (q) => q.select().or('.eq.1'), 400, 'PGRST100'],
  ['is something else', (q) => q.select().filter('done', 'is', 'maybe'), 400, 'PGRST100'],
  ['is true over text', (q) => q.select().is('title', true), 400, '42804'],
  ['a filter of an embed', (q) => q.select().eq('owners.name', 'x'), 400, 'PGRST108'],
  ['csv', (q) => q.select().csv(), 406, 'PGRST107'],
  [
    'too many values',
    (q) =>
      q.select().in(
        'pages',
        Array.from({ length: 301 }, (_, i) => i),
      ),
    400,
    'PGRST100',
  ],
  ['too deep', (q) => q.select().or(`${'and('.repeat(8)}pages.eq.1${')'.repeat(8)}`), 400, 'PGRST100'],
  ['too many filters', (q) => q.select().or(Array.from({ length: 61 }, () => 'pages.eq.1').join()), 400, 'PGRST100'],
  ['a negative limit', (q) => q.select().limit(-1), 416, 'PGRST103'],
])('refuses %s', async (_name, ask, status, code) => {
  expect(await ask(ann.client.from('notes'))).toMatchObject({ status, data: null, error: { code } })
})

test('refuses more parameters than anybody names, whatever they say', async () => {
  const response = await get(`/rest/v1/notes?${Array.from({ length: 71 }, () => 'select=title').join('&')}`)
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, 'PGRST100'])
})

test.each([
  `title=eq.x'; drop table notes; --`,
  `title=eq.') or true --`,
  `select=title" from notes; --`,
  `order=title;drop table notes`,
  `order=(select 1)`,
  `or=(title.eq.x') or (true)`,
  `or=(title.eq."x\\") or true,pages.eq.1)`,
  `select=title:title",secret as "x`,
  `pages=in.(1) or true`,
  `pages=eq.1 or 1=1`,
  `id=eq.00000000-0000-0000-0000-000000000000' or '1'='1`,
  `"title" = title or "title"=eq.x`,
  `limit=1;delete from notes`,
  `title=like.%' escape '`,
])('an injection is a value or a refusal, never a statement: %s', async (query) => {
  const response = await get(
    `/rest/v1/notes?${query
      .split('&')
      .map((part) => `${encodeURIComponent(part.slice(0, part.indexOf('=')))}=${encodeURIComponent(part.slice(part.indexOf('=') + 1))}`)
      .join('&')}`,
  )
  expect([200, 400]).toContain(response.status)
  expect(JSON.stringify(await response.json())).not.toContain('hidden')
  const { count } = await api.db
    .selectFrom('notes')
    .select((eb: any) => eb.fn.countAll().as('count'))
    .executeTakeFirst()
  expect(count).toBe(5)
})

test('writes go through the domain functions, within the tenant', async () => {
  const added = await ann.client.from('notes').insert({ title: 'new', pages: 7 }).select('title,pages,user_id').single()
  expect(added).toMatchObject({ status: 201, data: { title: 'new', pages: 7, user_id: ann.id } })
  expect(
    await ann.client.from('notes').insert([
      { title: 'm1', pages: 1 },
      { title: 'm2', pages: 2 },
    ]),
  ).toMatchObject({ status: 201, data: null })
  expect(await bob.client.from('notes').update({ pages: 0 }).eq('title', 'new').select()).toMatchObject({ status: 200, data: [] })
  expect(await bob.client.from('notes').delete().eq('title', 'new')).toMatchObject({ status: 204 })
  expect((await ann.client.from('notes').update({ pages: 8 }).eq('title', 'new').select('pages')).data).toEqual([{ pages: 8 }])
  expect((await ann.client.from('notes').delete().in('title', ['new', 'm1', 'm2']).select('title')).data).toHaveLength(3)
  expect((await bob.client.from('notes').select('pages')).data).toEqual([{ pages: 100 }])
})

test('a refused write leaves nothing behind', async () => {
  const notes = ann.client.from('notes')
  expect(await notes.insert({ title: 'x', pages: 1, user_id: bob.id } as never)).toMatchObject({ status: 400, error: { code: 'PGRST204' } })
  expect(await notes.insert({ title: 'x' } as never)).toMatchObject({ status: 400, error: { code: '23502' } })
  expect(await notes.insert({ title: 'x'.repeat(41), pages: 1 })).toMatchObject({ status: 400, error: { code: '22001' } })
  expect(await notes.insert({ title: 'x', pages: 'many' } as never)).toMatchObject({ status: 400, error: { code: '22P02' } })
  expect(await notes.insert({ title: 'alpha', pages: 1 })).toMatchObject({ status: 409, error: { code: '23505' } })
  expect(await notes.upsert({ title: 'alpha', pages: 1 })).toMatchObject({ status: 400 })
  expect(await notes.update({ pages: 1 })).toMatchObject({ status: 400, error: { code: '21000' } })
  expect(await notes.update({ user_id: bob.id } as never).eq('title', 'alpha')).toMatchObject({ status: 400, error: { code: 'PGRST204' } })
  expect(await notes.update({}).eq('title', 'alpha')).toMatchObject({ status: 400, error: { code: 'PGRST102' } })
  const named = await fetch(`${api.url}/rest/v1/notes?title=eq.alpha&columns=title`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
    body: '{"pages":0}',
  })
  expect([named.status, await named.json()]).toMatchObject([400, { code: 'PGRST102', message: 'The change names no column.' }])
  expect(await notes.update({ pages: 0 }).gte('pages', 1).maxAffected(1)).toMatchObject({ status: 400, error: { code: 'PGRST124' } })
  expect(await notes.update({ pages: 0 }).gte('pages', 1).select().single()).toMatchObject({ status: 406, error: { code: 'PGRST116' } })
  expect((await ann.client.from('notes').select('pages').order('pages')).data).toEqual([
    { pages: 1 },
    { pages: 2 },
    { pages: 3 },
    { pages: 4 },
  ])
})

test('a verb that the contract does not name answers 42501', async () => {
  const insert = await ann.client.from('done_notes').insert({ title: 'x' })
  expect(insert).toMatchObject({ status: 403, error: { code: '42501', message: 'permission denied for table done_notes' } })
  expect(await api.stranger().from('done_notes').delete().eq('title', 'alpha')).toMatchObject({ status: 401, error: { code: '42501' } })
  expect(await api.stranger().from('nothing').select()).toMatchObject({ status: 404, error: { code: 'PGRST205' } })
})

function get(path: string, headers: Record<string, string> = {}) {
  return fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${ann.token}`, ...headers } })
}
