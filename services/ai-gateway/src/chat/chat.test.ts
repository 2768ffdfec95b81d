import { randomUUID } from 'node:crypto'
import { taskTypes } from '@operon/contracts/ai-gateway/api'
import { completionFinished } from '@operon/contracts/ai-gateway/events'
import { update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { aiGatewayService } from '../service.ts'

const platform = await startTestPlatform([aiGatewayService, sandboxService], { SANDBOX_MODEL_PACE_MS: '1' })
afterAll(() => platform.close())
afterEach(() => platform.mend())

const order = (fault: object) => platform.fault({ provider: 'openai', times: 0, ...fault })
const send = (user: TestUser, path: string, body: object, method = 'POST') =>
  fetch(platform.url('ai-gateway') + path, {
    method,
    headers: { 'content-type': 'application/json', prefer: 'return=representation', ...user.headers },
    body: JSON.stringify(body),
  })
const call = async (user: TestUser, name: string, body: object) => {
  const response = await send(user, `/functions/v1/${name}`, body)
  return { status: response.status, body: (await response.json()) as any }
}
const rest = async (user: TestUser, path: string): Promise<any> =>
  (await fetch(`${platform.url('ai-gateway')}/rest/v1/${path}`, { headers: user.headers })).json()
const counter = (user: TestUser) =>
  platform.services['ai-gateway']!.rt.db.selectFrom('usage_counters')
    .select(['used', 'reserved'])
    .where('user_id', '=', user.id)
    .executeTakeFirst()
const eventsIn = (text: string) =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((part) => ({ event: /^event: (.*)$/m.exec(part)![1], data: JSON.parse(/^data: (.*)$/m.exec(part)![1]!) }))

test('stopped before its first word, an answer counts as one prompt with what reading it cost, and is kept as stopped', async () => {
  const user = platform.user()
  await order({ kind: 'slow_headers', ms: 20_000 })
  const stop_id = randomUUID()
  const asking = call(user, 'ai-chat', { message: 'Slow one', conversation_id: 'new', stop_id })
  await vi.waitFor(async () => expect((await counter(user))?.reserved).toBe(1))
  expect((await call(user, 'ai-stop', { message_id: stop_id })).body).toEqual({ stopped: true })
  const { status, body } = await asking
  expect([status, body.code]).toEqual([409, 'answer_stopped'])
  expect(body.message).toContain('counts as one prompt')
  await vi.waitFor(async () => expect(await counter(user)).toEqual({ used: 1, reserved: 0 }))
  expect((await call(user, 'ai-usage', {})).body.cost_microusd).toBeGreaterThan(0)
  const [message] = await rest(user, `ai_messages?id=eq.${body.details.message_id}`)
  expect(message).toMatchObject({ state: 'stopped', content: '' })
})

test.each(['ai-chat', 'ai-orchestrator'])(
  '%s says where it is kept before anybody has said a word, and then what went wrong',
  async (name) => {
    const user = platform.user()
    await order({ kind: 'slow_headers', ms: 20_000 })
    const response = await send(user, `/functions/v1/${name}`, { message: 'Slow one', conversation_id: 'new', stream: true })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const [kept] = eventsIn((await reader.read()).value!)
    expect(kept).toEqual({
      event: 'kept',
      data: { conversation_id: expect.any(String), message_id: expect.any(String), said_id: expect.any(String) },
    })
    const [said, answer] = await rest(user, `ai_messages?conversation_id=eq.${kept!.data.conversation_id}&order=id`)
    expect([said.content, answer.id, answer.state]).toEqual(['Slow one', kept!.data.message_id, 'streaming'])
    await call(user, 'ai-stop', { message_id: answer.id })
    let text = ''
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value
    expect(eventsIn(text)).toEqual([
      {
        event: 'error',
        data: expect.objectContaining({ code: 'answer_stopped', status: 409, details: expect.objectContaining(kept!.data) }),
      },
    ])
    expect((await rest(user, `ai_messages?id=eq.${answer.id}`))[0].state).toBe('stopped')
  },
)

test('what is told of an answer names the conversation that keeps it', async () => {
  const user = platform.user()
  const { conversation_id } = (await call(user, 'ai-chat', { message: 'One', conversation_id: 'new' })).body
  await call(user, 'ai-chat', { message: 'Two' })
  const told = async () => {
    const rows = await platform.services['ai-gateway']!.rt.db.selectFrom('outbox').select('payload').where('kind', '=', 'event').execute()
    return rows
      .flatMap(({ payload }) => (Array.isArray(payload) ? payload : []))
      .filter(({ name, user_id }) => name === completionFinished.name && user_id === user.id)
      .map(({ payload }) => [payload.command, payload.conversation_id])
      .sort()
  }
  await vi.waitFor(
    async () =>
      expect(await told()).toEqual([
        ['One', conversation_id],
        ['Two', null],
      ]),
    10_000,
  )
})

test('whose allowance is used up is told so in a stream as well', async () => {
  const user = platform.user()
  const { db } = platform.services['ai-gateway']!.rt
  await call(user, 'ai-chat', { message: 'One' })
  await update(db, 'usage_counters', { user_id: user.id }, { used: 1000 })
  const response = await send(user, '/functions/v1/ai-chat', { message: 'One more', conversation_id: 'new', stream: true })
  expect(eventsIn(await response.text()).at(-1)).toMatchObject({ event: 'error', data: { code: 'limit_prompts', status: 402 } })
})

test('a stop that overtakes its question still ends it, before anything is sent or charged', async () => {
  const user = platform.user()
  await order({ kind: 'slow_headers', ms: 20_000 })
  const stop_id = randomUUID()
  await call(user, 'ai-stop', { message_id: stop_id })
  const { body } = await call(user, 'ai-chat', { message: 'Late', stop_id })
  expect([body.code, body.message]).toEqual(['answer_stopped', expect.stringContaining('Nothing was charged')])
  expect(await counter(user)).toEqual({ used: 0, reserved: 0 })
})

test('a stranger ends nobody: neither before the question nor while it is answered', async () => {
  const [user, stranger] = [platform.user(), platform.user()]
  await order({ kind: 'slow_headers', ms: 1500 })
  const stop_id = randomUUID()
  await call(stranger, 'ai-stop', { message_id: stop_id })
  const asking = call(user, 'ai-chat', { message: 'Mine', stop_id })
  await vi.waitFor(async () => expect((await counter(user))?.reserved).toBe(1))
  await call(stranger, 'ai-stop', { message_id: stop_id })
  expect((await asking).status).toBe(200)
})

test('a comparison stopped before its first word says stopped, not failed, and counts each model that had begun to read [spec-70]', async () => {
  const user = platform.user()
  await order({ kind: 'slow_headers', ms: 20_000 })
  const response = await send(user, '/functions/v1/ai-compare', { prompt: 'hi', models: ['gpt-4o-mini', 'claude'] })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = (await reader.read()).value ?? ''
  await call(user, 'ai-compare-stop', { comparison_id: eventsIn(text)[0]!.data.comparison_id })
  for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value
  const events = eventsIn(text)
  expect(events.filter(({ event }) => event === 'done').map(({ data }) => data.stopped)).toEqual([true, true])
  expect(events.some(({ event }) => event === 'error')).toBe(false)
  const [{ lanes }] = await rest(user, 'ai_comparisons')
  expect(lanes.map((lane: any) => [lane.state, lane.cost_microusd > 0])).toEqual([
    ['stopped', true],
    ['stopped', true],
  ])
  await vi.waitFor(async () => expect(await counter(user)).toEqual({ used: 2, reserved: 0 }))
})

test('a comparison that cannot be kept ends without its end, and is charged for what was answered', async () => {
  const user = platform.user()
  const { db } = platform.services['ai-gateway']!.rt as { db: any }
  await db.schema.alterTable('ai_comparisons').renameTo('comparisons_away').execute()
  const asked = { prompt: 'hi', models: ['gpt-4o-mini', 'claude'] }
  const response = await send(user, '/functions/v1/ai-compare', asked)
  const events = eventsIn(
    await response.text().finally(() => db.schema.alterTable('comparisons_away').renameTo('ai_comparisons').execute()),
  )
  expect(events.filter(({ event }) => event === 'done').map(({ data }) => data.stopped)).toEqual([false, false])
  expect(events.some(({ event }) => event === 'end')).toBe(false)
  await vi.waitFor(async () => expect(await counter(user)).toEqual({ used: 2, reserved: 0 }))
})

test('a conversation begins with what was carried over, which the model hears and the account keeps [spec-70]', async () => {
  const user = platform.user()
  const seed = [
    { role: 'user', content: 'What should I call my shop?' },
    { role: 'assistant', content: 'Call it Candlewick.' },
  ]
  const { body } = await call(user, 'ai-chat', { message: 'Shorter, please', conversation_id: 'new', feature: 'lab', seed })
  const kept = await rest(user, `ai_messages?conversation_id=eq.${body.conversation_id}&order=id`)
  expect(kept.slice(0, 3).map((message: any) => message.content)).toEqual([seed[0]!.content, seed[1]!.content, 'Shorter, please'])
  const alone = await call(user, 'ai-chat', { message: 'Shorter, please', feature: 'lab' })
  expect(body.usage.prompt_tokens).toBeGreaterThan(alone.body.usage.prompt_tokens)
  const again = await call(user, 'ai-chat', { message: 'And now?', conversation_id: body.conversation_id, seed })
  expect(await rest(user, `ai_messages?conversation_id=eq.${again.body.conversation_id}&content=eq.${seed[1]!.content}`)).toHaveLength(1)
})

test('what was said is kept although no answer came, and the error says where to ask again in its place', async () => {
  const user = platform.user()
  await order({ kind: 'status', status: 400 })
  const { status, body } = await call(user, 'ai-chat', { message: 'Explain', conversation_id: 'new' })
  expect([status, body.code]).toEqual([400, 'model_refused'])
  const { conversation_id, message_id, said_id } = body.details
  expect((await rest(user, `ai_messages?conversation_id=eq.${conversation_id}&order=id`)).map((message: any) => message.id)).toEqual([
    said_id,
    message_id,
  ])
  await platform.mend()
  const again = await call(user, 'ai-chat', { conversation_id, replace_message_id: message_id })
  expect(again.status).toBe(200)
  const kept = await rest(user, `ai_messages?conversation_id=eq.${conversation_id}&order=id`)
  expect(kept.map((message: any) => [message.role, message.state])).toEqual([
    ['user', 'complete'],
    ['assistant', 'complete'],
  ])
})

test('the analyst streams its words, then its proposals; asked again, it answers in place [spec-76] [spec-78]', async () => {
  const user = platform.user()
  const response = await send(user, '/functions/v1/ai-orchestrator', {
    message: 'Analyse where a salon loses leads',
    task_type: 'analysis',
    conversation_id: 'new',
    stream: true,
  })
  const events = eventsIn(await response.text())
  expect(events[1]).toMatchObject({ event: 'start', data: { sandbox: true, message_id: events[0]!.data.message_id } })
  const words = events.filter(({ event }) => event === 'delta').map(({ data }) => data.text)
  const done = events.at(-1)!.data
  expect([words.length > 5, words.join('')]).toEqual([true, done.response])
  const { conversation_id, message_id } = done
  const again = await call(user, 'ai-orchestrator', { conversation_id, replace_message_id: message_id, task_type: 'analysis' })
  expect(again.status).toBe(200)
  expect(again.body.message_id).not.toBe(message_id)
  const kept = await rest(user, `ai_messages?conversation_id=eq.${conversation_id}&order=id`)
  expect(kept.map(({ role }: any) => role)).toEqual(['user', 'assistant', 'assistant'])
})

test('one question gets six answers, as the kind of task says; in the sandbox too, which knows the kinds by our words alone', async () => {
  const user = platform.user()
  const answers = await Promise.all(
    taskTypes.map(
      async (task_type) => (await call(user, 'ai-orchestrator', { message: 'How do I keep my regulars?', task_type })).body.response,
    ),
  )
  expect([taskTypes.length, new Set(answers).size]).toEqual([6, 6])
})

test('a dismissed proposal stays dismissed and cannot be run until it is taken back; a done one cannot be dismissed [spec-77]', async () => {
  const user = platform.user()
  const { body } = await call(user, 'ai-orchestrator', {
    message: 'Suggest names for my shop',
    task_type: 'action',
    conversation_id: 'new',
  })
  const { id } = body.approval
  const mark = async (state: string, who = user) =>
    (await send(who, `/rest/v1/ai_approvals?id=eq.${id}`, { state }, 'PATCH')).json() as Promise<any>
  const approve = () => call(user, 'approve-actions', { approval_id: id })
  expect(await mark('dismissed', platform.user())).toEqual([])
  expect((await mark('dismissed'))[0].state).toBe('dismissed')
  expect((await approve()).status).toBe(409)
  expect((await mark('proposed'))[0].state).toBe('proposed')
  await approve()
  await vi.waitFor(async () => expect((await rest(user, `ai_approvals?id=eq.${id}`))[0].state).toBe('done'), 20_000)
  expect(await mark('dismissed')).toEqual([])
  expect((await send(user, `/rest/v1/ai_approvals?id=eq.${id}`, { state: 'done' }, 'PATCH')).status).toBe(400)
})

test('the figures of the Content Creator count every piece that has words, and only those [spec-87]', async () => {
  const user = platform.user()
  expect((await call(user, 'content-stats', {})).body).toEqual({ pieces: 0, words: 0, finished: 0, this_month: 0 })
  const first = await call(user, 'ai-chat', { message: 'Blog post about: candles', conversation_id: 'new', feature: 'content' })
  await call(user, 'ai-chat', { message: 'Not a piece', conversation_id: 'new', feature: 'chat' })
  await order({ kind: 'status', status: 400 })
  await call(user, 'ai-chat', { message: 'Blog post about: nothing', conversation_id: 'new', feature: 'content' })
  const words = first.body.content.trim().split(/\s+/).length
  expect((await call(user, 'content-stats', {})).body).toEqual({ pieces: 1, words, finished: 1, this_month: 1 })
  expect((await call(platform.user(), 'content-stats', {})).body.pieces).toBe(0)
})
