import { modelLimitsOf } from '@operon/contracts/plans'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { aiGatewayService } from './service.ts'

// The plan bounds what models cost us, whichever way they are asked.

const platform = await startTestPlatform([aiGatewayService, sandboxService], { SANDBOX_MODEL_PACE_MS: '1' })
afterAll(() => platform.close())
afterEach(() => platform.mend())

const send = (user: TestUser, path: string, body: object) =>
  fetch(platform.url('ai-gateway') + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...user.headers },
    body: JSON.stringify(body),
  })
const call = async (user: TestUser, name: string, body: object) => {
  const response = await send(user, name.startsWith('/') ? name : `/functions/v1/${name}`, body)
  const text = await response.text()
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : null }
}
const order = (fault: object) => platform.fault({ provider: 'openai', times: 0, ...fault })
const db = () => platform.services['ai-gateway']!.rt.db
const counter = (user: TestUser) =>
  db()
    .selectFrom('usage_counters')
    .select(['used', 'reserved', 'cost_used', 'cost_reserved'])
    .where('user_id', '=', user.id)
    .executeTakeFirst()
/** Nothing is held any more. */
const settled = (user: TestUser) =>
  vi.waitFor(async () => {
    const now = await counter(user)
    expect(now).toMatchObject({ reserved: 0, cost_reserved: 0 })
    return now!
  }, 15_000)
async function subscriber(budgetMicrousd: number, tier: 'basic' | 'enterprise' = 'enterprise') {
  const user = platform.user()
  await insert(db(), 'entitlements', {
    user_id: user.id,
    tier,
    status: 'active',
    limits: JSON.stringify({ prompts: null }),
    budget_microusd: budgetMicrousd,
    period_start: new Date('2026-11-01'),
    period_end: null,
    version: 1,
  })
  return user
}
const chat = (user: TestUser, body: object = {}) => call(user, 'ai-chat', { message: 'Write a blog post about bread', ...body })

test('an account without an email gets no model by any door', async () => {
  const user = platform.user({ is_anonymous: true, email: '' })
  for (const [name, body] of [
    ['ai-chat', { message: 'hi' }],
    ['ai-chat', { message: 'hi', stream: true, conversation_id: 'new' }],
    ['ai-orchestrator', { message: 'hi' }],
    ['ai-compare', { prompt: 'hi', models: ['claude'] }],
    ['generate-ads', { details: 'Candles' }],
    ['/ai/v1/chat/completions', { model: 'claude', messages: [{ role: 'user', content: 'hi' }] }],
  ] as const) {
    const { status, text } = await call(user, name, body)
    expect([name, status, text]).toEqual([name, 403, expect.stringMatching(/anonymous_no_models|aal2_required/)])
  }
  expect((await chat(user)).body.message).toContain('Add an email')
  expect(await counter(user)).toBeUndefined()
})

test('parallel questions share the last cent: what was spent never passes the budget, and the rest is told to wait or to upgrade', async () => {
  const user = await subscriber(50_000)
  const answers = await Promise.all(Array.from({ length: 40 }, () => chat(user, { model: 'claude', max_tokens: 600 })))
  const codes = new Set(answers.map(({ status, body }) => body.code ?? status))
  // One that is answered before the last is asked may have used the budget up.
  codes.delete('limit_budget')
  expect(codes).toEqual(new Set([200, 'budget_held']))
  const { cost_used } = await settled(user)
  expect(cost_used).toBeGreaterThan(5000)
  expect(cost_used).toBeLessThanOrEqual(50_000)
  await update(db(), 'usage_counters', { user_id: user.id }, { cost_used: 49_999 })
  expect(await chat(user, { model: 'claude' })).toMatchObject({ status: 402, body: { code: 'limit_budget' } })
})

test('a comparison holds the most that all its models can cost, or none of it', async () => {
  const user = await subscriber(200_000)
  const models = ['gpt-4o-mini', 'claude', 'gemini-1.5-flash', 'perplexity', 'gpt-5.4', 'gpt-5.4-mini']
  expect(await call(user, 'ai-compare', { prompt: 'hi', models })).toMatchObject({ status: 402, body: { code: 'limit_budget' } })
  expect(await counter(user)).toBeUndefined()
  const { body } = await call(user, 'ai-estimate', { models: ['perplexity'], text: 'hi' })
  expect(body).toMatchObject({ prompts: 1, remaining: null, budget_microusd: 200_000, budget_left_microusd: 200_000, too_long: false })
  expect((await call(user, 'ai-compare', { prompt: 'hi', models: ['perplexity'] })).text).toContain('"answered":1')
  const { cost_used } = await settled(user)
  // A search costs by the call.
  expect(cost_used).toBeGreaterThan(5000)
  expect(cost_used).toBeLessThanOrEqual(body.max_cost_microusd)
})

test('what is too long for the plan is said in words, and of a long conversation the oldest is left out', async () => {
  const { inputCharacters } = modelLimitsOf('none')
  const user = platform.user()
  const { status, body } = await chat(user, { message: 'x'.repeat(inputCharacters + 1) })
  expect([status, body.code, body.message]).toEqual([
    413,
    'input_too_long',
    expect.stringMatching(/^This is 20,\d+ characters long.*20,000/),
  ])
  expect((await call(user, 'ai-estimate', { models: ['claude'], text: 'x'.repeat(inputCharacters) })).body).toMatchObject({
    too_long: true,
    max_characters: inputCharacters,
  })
  const lane = await call(user, 'ai-compare', { prompt: 'x'.repeat(inputCharacters), models: ['claude'] })
  expect(lane.body.code).toBe('input_too_long')
  expect(await counter(user)).toBeUndefined()

  const first = await chat(user, { message: 'y'.repeat(9000), conversation_id: 'new' })
  const { conversation_id } = first.body
  expect((await chat(user, { message: 'z'.repeat(9000), conversation_id })).status).toBe(200)
  const third = await chat(user, { message: 'w'.repeat(9000), conversation_id })
  expect(third.status).toBe(200)
  expect(third.body.usage.prompt_tokens).toBeLessThan(inputCharacters / 4)
})

test('rounds of tools end where the plan ends them', async () => {
  const user = platform.user()
  const called = { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] }
  const round = [called, { role: 'tool', tool_call_id: 'c', content: 'done' }]
  const after = (rounds: number) =>
    call(user, '/ai/v1/chat/completions', {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'hi' }, ...Array.from({ length: rounds }, () => round).flat()],
    })
  const { steps } = modelLimitsOf('none')
  expect((await after(steps)).status).toBe(200)
  expect(await after(steps + 1)).toMatchObject({ status: 400, body: { error: { code: 'too_many_steps', param: 'messages' } } })
})

test('stopping before the first word in a loop spends the budget like answers do', async () => {
  const user = await subscriber(30_000)
  await order({ kind: 'slow_headers', ms: 20_000 })
  const text = '我'.repeat(2000)
  let refused = 0
  for (let n = 0; n < 12 && !refused; n++) {
    const stop_id = crypto.randomUUID()
    const asking = chat(user, { message: text, model: 'claude', max_tokens: 50, stop_id })
    await vi.waitFor(async () => {
      const open = db().selectFrom('usage_reservations').select('id').where('user_id', '=', user.id).where('state', '=', 'reserved')
      const answered = await Promise.race([asking, Promise.resolve(null)])
      if (!answered) expect(await open.execute()).toHaveLength(1)
    })
    await call(user, 'ai-stop', { message_id: stop_id })
    const { body } = await asking
    if (body.code === 'limit_budget') refused++
    else expect(body.code).toBe('answer_stopped')
    await settled(user)
  }
  expect(refused).toBe(1)
  expect((await counter(user))!.cost_used).toBeLessThanOrEqual(30_000)
})

test('a dearer model answers in another’s place only where the budget holds it', async () => {
  await order({ kind: 'status', status: 401, match: 'gpt' })
  const [poor, rich] = [await subscriber(5000), await subscriber(1_000_000)]
  expect(await chat(poor, { max_tokens: 1000 })).toMatchObject({ status: 503, body: { code: 'model_unavailable' } })
  expect(await settled(poor)).toMatchObject({ used: 0, cost_used: 0 })
  expect(await chat(rich, { max_tokens: 1000 })).toMatchObject({ status: 200, body: { answered_by: 'claude-sonnet-5' } })
  const { cost_used } = await settled(rich)
  expect(cost_used).toBeGreaterThan(0)
})

test('the usage page counts what the budget counts', async () => {
  const user = await subscriber(1_000_000)
  const { body } = await chat(user)
  await settled(user)
  expect((await call(user, 'ai-usage', {})).body).toMatchObject({
    used: 1,
    limit: null,
    cost_microusd: body.usage.cost_microusd,
    budget_microusd: 1_000_000,
  })
})
