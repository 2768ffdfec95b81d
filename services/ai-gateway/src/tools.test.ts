import { newId } from '@operon/kit/ids'
import { update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { labelOf } from './domains/domains.ts'
import { fill as becomeApprovals } from './migrations/0010_actions_become_approvals.ts'
import { chainOf } from './registry/models.ts'
import { aiGatewayService } from './service.ts'
import { forecast } from './usage/usage.ts'
import { parseAds } from './writing/ads.ts'

const platform = await startTestPlatform([aiGatewayService, sandboxService], { SANDBOX_MODEL_PACE_MS: '1' })
afterAll(() => platform.close())

const post = (user: TestUser | null, name: string, body: unknown) =>
  fetch(`${platform.url('ai-gateway')}/functions/v1/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...user?.headers },
    body: JSON.stringify(body),
  })
const rest = async (user: TestUser, path: string): Promise<any> =>
  (await fetch(`${platform.url('ai-gateway')}/rest/v1/${path}`, { headers: user.headers })).json()
/** Prompts taken so far, whether or not they are booked yet. */
const promptsOf = async (user: TestUser) => {
  const counters = platform.services['ai-gateway']!.rt.db.selectFrom('usage_counters').select(['used', 'reserved'])
  const counter = await counters.where('user_id', '=', user.id).executeTakeFirst()
  return counter ? counter.used + counter.reserved : 0
}
const json = async (response: Response) => ({ status: response.status, body: (await response.json()) as any })

test('ai-chat answers under both names from one value, and says who answered [spec-78] [spec-79]', async () => {
  const { status, body } = await json(
    await post(platform.user(), 'ai-chat', { prompt: 'What should a bakery post today?', model: 'gemini-1.5-flash' }),
  )
  expect(status).toBe(200)
  expect(body.response).toBe(body.content)
  expect(body).toMatchObject({ model: 'gemini-1.5-flash', answered_by: 'gemini-3.6-flash', sandbox: true })
})

test('every model name of the specification still answers, by whoever took over from it [spec-74]', () => {
  for (const name of ['gpt-4o-mini', 'claude', 'gemini-1.5-flash', 'perplexity', 'gpt-5-mini-2025-08-07', 'gpt-5-2025-08-07']) {
    for (const day of ['2026-11-21', '2026-12-12', '2027-02-01'])
      expect(chainOf(name, new Date(day))![0]!.shutdownAt ?? '9999').toSatisfy((gone: string) => gone > day)
  }
})

test('nobody signed in is told so, in the words of the specification [spec-53]', async () => {
  const { status, body } = await json(await post(null, 'ai-chat', { prompt: 'hi' }))
  expect([status, body.message]).toEqual([401, 'Not authenticated'])
})

test('a conversation keeps both sides, goes on with its history, and belongs to one account [spec-72]', async () => {
  const user = platform.user()
  const first = await json(await post(user, 'ai-chat', { message: 'My shop sells candles', conversation_id: 'new' }))
  const { conversation_id } = first.body
  await post(user, 'ai-chat', { message: 'What do I sell?', conversation_id })
  const kept = await rest(user, `ai_messages?conversation_id=eq.${conversation_id}&order=id`)
  expect(kept.map((message: any) => [message.role, message.state])).toEqual([
    ['user', 'complete'],
    ['assistant', 'complete'],
    ['user', 'complete'],
    ['assistant', 'complete'],
  ])
  const stranger = platform.user()
  expect(await rest(stranger, `ai_messages?conversation_id=eq.${conversation_id}`)).toEqual([])
  expect((await post(stranger, 'ai-chat', { message: 'hi', conversation_id })).status).toBe(404)
})

test('an answer that is kept is written to its end after the reader has left', async () => {
  const user = platform.user()
  const leaving = new AbortController()
  const response = await fetch(`${platform.url('ai-gateway')}/functions/v1/ai-chat`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { 'content-type': 'application/json', ...user.headers },
    body: JSON.stringify({ message: 'Write a blog post about candles', conversation_id: 'new', stream: true }),
  })
  await response.body!.getReader().read()
  leaving.abort()
  const answer = await vi.waitFor(async () => {
    const [message] = await rest(user, 'ai_messages?role=eq.assistant')
    expect(message.state).toBe('complete')
    return message
  }, 10_000)
  expect(answer.content.length).toBeGreaterThan(500)
})

test('compare streams every lane, and one that cannot answer holds up no other [spec-70]', async () => {
  const user = platform.user()
  const response = await post(user, 'ai-compare', {
    prompt: 'Name one good habit',
    models: ['gpt-4o-mini', 'claude', 'gemini-1.5-flash', 'perplexity'],
  })
  const events = (await response.text())
    .split('\n\n')
    .filter(Boolean)
    .map((part) => ({ event: /^event: (.*)$/m.exec(part)![1], data: JSON.parse(/^data: (.*)$/m.exec(part)![1]!) }))
  expect(new Set(events.filter(({ event }) => event === 'done').map(({ data }) => data.lane))).toEqual(new Set([0, 1, 2, 3]))
  expect(events.at(-1)).toMatchObject({ event: 'end', data: { answered: 4 } })
  const [kept] = await rest(user, 'ai_comparisons')
  expect(kept.lanes).toHaveLength(4)
  expect(kept.lanes.map((lane: { sandbox: boolean }) => lane.sandbox)).toEqual(kept.lanes.map((lane: any) => lane.answered_by !== null))
  const { rows } = await sql<{ payload: any }>`
    select payload from outbox where name = 'ai-gateway.comparison_finished' and user_id = ${user.id}`.execute(
    platform.services['ai-gateway']!.rt.db,
  )
  // The activity log's one line for all of its answers.
  expect(rows.map(({ payload }) => payload)).toEqual([
    expect.objectContaining({ comparison_id: kept.id, command: expect.stringMatching(/^Compared: /), status: 'completed' }),
  ])
  expect((await json(await post(user, 'ai-compare-vote', { comparison_id: kept.id, lane: 1 }))).body.lane).toBe(1)
  await vi.waitFor(async () => expect((await json(await post(user, 'ai-usage', {}))).body.used).toBe(4), 10_000)
})

test('three ad variations come back within 125/27/30 characters [spec-92]', async () => {
  const { body } = await json(
    await post(platform.user(), 'generate-ads', {
      details: 'Handmade soy candles for people who work from home and want their evenings back',
    }),
  )
  expect(body.variations).toHaveLength(3)
  for (const ad of body.variations)
    expect([ad.primary_text.length <= 125, ad.headline.length <= 27, ad.description.length <= 30]).toEqual([true, true, true])
  expect(body.sample).toBe(false)
})

test('when no model gives usable ads the built-in samples come, marked as samples, and nothing is charged [spec-93]', async () => {
  const user = platform.user()
  const fault = { provider: 'openai', kind: 'status', status: 401, times: 0 }
  await platform.fault(fault)
  const { body } = await json(await post(user, 'generate-ads', { details: 'Candles' }))
  await platform.mend()
  expect(body).toMatchObject({ sample: true, answered_by: null })
  expect(body.variations).toHaveLength(3)
  expect((await json(await post(user, 'ai-usage', {}))).body.used).toBe(0)
  expect(parseAds('no JSON at all')).toBeNull()
})

test('ads that cannot be used are asked for once more, by a schema, before any sample is shown [spec-93]', async () => {
  const user = platform.user()
  const cut = { provider: 'openai', kind: 'truncate', times: 1 }
  await platform.fault(cut)
  const { body } = await json(await post(user, 'generate-ads', { details: 'Handmade candles' }))
  expect(body).toMatchObject({ sample: false, answered_by: 'gpt-4o-mini' })
  expect(body.variations[0].primary_text).toContain('Handmade candles')
  await vi.waitFor(async () => expect((await json(await post(user, 'ai-usage', {}))).body.used).toBe(2), 10_000)
})

test('ads that are stopped before their first word count as one prompt', async () => {
  const user = platform.user()
  const order = { provider: 'openai', kind: 'slow_headers', ms: 20_000, times: 1 }
  await platform.fault(order)
  const stop = new AbortController()
  const asking = fetch(`${platform.url('ai-gateway')}/functions/v1/generate-ads`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...user.headers },
    body: JSON.stringify({ details: 'Candles' }),
    signal: stop.signal,
  })
  asking.catch(() => {})
  const { db } = platform.services['ai-gateway']!.rt
  const held = () => db.selectFrom('usage_counters').select(['used', 'reserved']).where('user_id', '=', user.id).executeTakeFirst()
  await expect.poll(held, { timeout: 10_000 }).toEqual({ used: 0, reserved: 1 })
  stop.abort()
  await expect.poll(held, { timeout: 10_000 }).toEqual({ used: 1, reserved: 0 })
})

test('a domain is available, taken or unknown by its registry; three registrars each show two prices and their date [spec-97]', async () => {
  const { body } = await json(await post(platform.user(), 'check-domains', { name: 'Google' }))
  const at = { as_of: expect.any(String), link: expect.stringContaining('google.com'), affiliate: false }
  expect(body.results[0].prices).toEqual([
    { provider: 'Porkbun', price_cents: 1108, original_price_cents: 1540, ...at },
    { provider: 'Vercel', price_cents: 1125, original_price_cents: 1525, ...at },
    { provider: 'NameSilo', price_cents: 1395, original_price_cents: 1729, ...at },
  ])
  for (const { prices } of body.results) for (const { as_of } of prices) expect(Date.now() - Date.parse(as_of)).toBeLessThan(60_000)
  expect(body.results.map((result: any) => result.domain)).toEqual(['google.com', 'google.net', 'google.org', 'google.io', 'google.co'])
  expect(body.results[0].status).toBe('taken')
  expect(labelOf('Café  Écla & Co.')).toBe('cafeeclaco')
})

test('the analyst proposes typed actions, and only the owner may approve them, once [spec-77]', async () => {
  const user = platform.user()
  const { body } = await json(
    await post(user, 'ai-orchestrator', { message: 'Please suggest names for my candle shop', task_type: 'action' }),
  )
  expect(body).toMatchObject({ model_used: expect.any(String), needs_actions: true })
  expect(body.suggested_actions).toEqual(
    body.approval.steps.map(({ action, title, does: description }: any) => ({ action, title, description })),
  )
  const approve = async (who: TestUser) => json(await post(who, 'approve-actions', { approval_id: body.approval.id }))
  expect((await approve(platform.user())).status).toBe(404)
  await approve(user)
  await vi.waitFor(async () => expect((await rest(user, 'ai_approvals'))[0].state).toBe('done'), 20_000)
  const spent = await promptsOf(user)
  expect((await approve(user)).body.approval.state).toBe('done')
  expect(await promptsOf(user)).toBe(spent)
})

test('the web is searched as an action of its own, with its sources [spec-69]', async () => {
  const { body } = await json(await post(platform.user(), 'search-web', { query: 'How bakeries price subscription boxes' }))
  expect(body).toMatchObject({ answered_by: expect.stringContaining('sonar'), sandbox: true })
  expect(body.sources.length).toBeGreaterThan(1)
})

test('what the former kinds of action came to stands beside its answer as an approval that is done [spec-77]', async () => {
  const user = platform.user()
  const { db } = platform.services['ai-gateway']!.rt
  const { body } = await json(await post(user, 'ai-chat', { message: 'Hello', conversation_id: 'new' }))
  const row = { user_id: user.id, message_id: body.message_id, title: 'Research: boxes', description: 'Searches the web', link: null }
  const input = '{"query":"boxes"}'
  const [done, open] = [newId(), newId()]
  await db
    .insertInto('ai_actions')
    .values([
      { ...row, id: done, kind: 'search', input, state: 'done', result: 'Most charge by the month.' },
      { ...row, id: open, kind: 'search', input, state: 'proposed', result: null },
    ])
    .execute()
  await becomeApprovals(db)
  expect(await rest(user, 'ai_approvals')).toEqual([
    expect.objectContaining({
      id: done,
      message_id: body.message_id,
      state: 'done',
      steps: [expect.objectContaining({ action: 'search-web', state: 'done', reply: { result: 'Most charge by the month.' } })],
    }),
  ])
})

test('a key answers prompts up to its own monthly limit, and another key of the person has its own', async () => {
  const user = platform.user()
  const complete = async (key: string) =>
    json(
      await fetch(`${platform.url('ai-gateway')}/ai/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
      }),
    )
  const limited = platform.key(user.id, { monthly_prompts: 1 })
  expect((await complete(limited.key)).status).toBe(200)
  expect(await complete(limited.key)).toMatchObject({ status: 402, body: { error: { code: 'key_limit' } } })
  expect((await complete(platform.key(user.id, { monthly_prompts: 1 }).key)).status).toBe(200)
  const write = (key: string) =>
    fetch(`${platform.url('ai-gateway')}/functions/v1/write-email`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ about: 'Thank a customer' }),
    })
  const writing = platform.key(user.id, { scopes: ['do:write-email'], monthly_prompts: 1 })
  expect([(await write(writing.key)).status, (await write(writing.key)).status, (await write(limited.key)).status]).toEqual([200, 402, 403])
  const { db } = platform.services['ai-gateway']!.rt as { db: any }
  await update(db, 'ai_key_use', { key_id: limited.id }, { month: new Date('2026-01-01') })
  expect((await complete(limited.key)).status).toBe(200)
  expect(await complete(platform.key(user.id, { scopes: ['models', 'reads'] }).key)).toMatchObject({
    status: 403,
    body: { error: { code: 'key_scope' } },
  })
})

test('who is suspended is refused with an API key as well', async () => {
  const user = platform.user()
  const { key } = platform.key(user.id)
  const list = () => fetch(`${platform.url('ai-gateway')}/ai/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  expect((await list()).status).toBe(200)
  platform.services['ai-gateway']!.rt.verifier.revoke(user.id)
  expect((await list()).status).toBe(401)
})

test('the forecast carries the pace to the end of the period', () => {
  expect(forecast(100, new Date('2026-11-01'), new Date('2026-12-01'), new Date('2026-11-11'))).toBe(300)
})
