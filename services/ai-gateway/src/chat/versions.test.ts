import { randomUUID } from 'node:crypto'
import { exportUser } from '@operon/contracts/personal-data'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'
import { erasure } from '../erasure.ts'
import { aiGatewayService } from '../service.ts'
import { closeAbandoned } from './conversations.ts'
import { wordsOf } from './search.ts'

const platform = await startTestPlatform([aiGatewayService, sandboxService], { SANDBOX_MODEL_PACE_MS: '1' })
afterAll(() => platform.close())

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
const messagesOf = (user: TestUser, id: string) => rest(user, `ai_messages?conversation_id=eq.${id}&order=id`)
const tipOf = async (user: TestUser, id: string) => (await rest(user, `ai_conversations?id=eq.${id}`))[0].tip_id
const say = async (user: TestUser, message: string, more: object = {}) =>
  (await call(user, 'ai-chat', { message, conversation_id: 'new', ...more })).body

test('an answer written anew leaves the turns after the old one in place, as versions [spec-72]', async () => {
  const user = platform.user()
  const first = await say(user, 'Name three teas')
  const { conversation_id } = first
  await say(user, 'Which is the cheapest?', { conversation_id })
  const before = await messagesOf(user, conversation_id)
  const { body } = await call(user, 'ai-chat', { conversation_id, replace_message_id: first.message_id })
  const after = await messagesOf(user, conversation_id)
  expect(after.slice(0, 4)).toEqual(before)
  expect(after).toHaveLength(5)
  const [said, old, , , anew] = after
  expect([old.after_id, anew.after_id, anew.id]).toEqual([said.id, said.id, body.message_id])
  expect(said.after_id).toBe(conversation_id)
  expect(await tipOf(user, conversation_id)).toBe(body.message_id)
})

test('a message of somebody else is never what an answer follows, not even where it stands in the conversation', async () => {
  const user = platform.user()
  const { conversation_id, message_id } = await say(user, 'Name three teas')
  const { db } = platform.services['ai-gateway']!.rt
  // As an earlier release wrote them: none names the one before it.
  await update(db, 'ai_messages', { conversation_id }, { after_id: null })
  const [said] = await messagesOf(user, conversation_id)
  const id = `${said.id.slice(0, -12)}ffffffffffff`
  expect([said.id < id, id < message_id]).toEqual([true, true])
  const nothing = { after_id: null, model: null, answered_by: null, prompt_tokens: null, completion_tokens: null, cost_microusd: null }
  await insert(db, 'ai_messages', {
    ...nothing,
    id,
    conversation_id,
    user_id: platform.user().id,
    role: 'user',
    content: 'planted',
    state: 'complete',
  })
  const { body } = await call(user, 'ai-chat', { conversation_id, replace_message_id: message_id })
  const anew = (await messagesOf(user, conversation_id)).find(({ id }: any) => id === body.message_id)
  expect(anew.after_id).toBe(said.id)
})

test('an answer that nobody has written on for a while is said to be cut; one that is being written is not', async () => {
  const user = platform.user()
  const [old, young] = [await say(user, 'One'), await say(user, 'Two')]
  const { rt } = platform.services['ai-gateway']!
  const write = (id: string, secondsAgo: number) =>
    update(rt.db, 'ai_messages', { id }, { state: 'streaming', updated_at: new Date(Date.now() - secondsAgo * 1000) })
  await write(old.message_id, 600)
  await write(young.message_id, 1)
  await closeAbandoned(rt.ctx(), 300_000)
  const stateOf = async (id: string) => (await rest(user, `ai_messages?id=eq.${id}`))[0].state
  expect([await stateOf(old.message_id), await stateOf(young.message_id)]).toEqual(['cut', 'streaming'])
})

test('what is said next follows the version that is shown, and the model hears that version alone', async () => {
  const user = platform.user()
  const first = await say(user, `Remember the word ${'oak '.repeat(200)}`)
  const { conversation_id } = first
  const later = await say(user, `And these: ${'elm '.repeat(400)}`, { conversation_id })
  const short = await call(user, 'ai-chat', { conversation_id, replace_message_id: first.message_id })
  const next = await say(user, 'Which word?', { conversation_id })
  expect(next.usage.prompt_tokens).toBeLessThan(later.usage.prompt_tokens)
  const rows = await messagesOf(user, conversation_id)
  const asked = rows.find(({ content }: any) => content === 'Which word?')
  expect(asked.after_id).toBe(short.body.message_id)
  const back = await say(user, 'And which now?', { conversation_id, after_message_id: later.message_id })
  expect(back.usage.prompt_tokens).toBeGreaterThan(next.usage.prompt_tokens)
  expect(await tipOf(user, conversation_id)).toBe(back.message_id)
})

test('a question said differently stands beside the first one, also where it is the first of all', async () => {
  const user = platform.user()
  const { conversation_id } = await say(user, 'Plan the week')
  const [said] = await messagesOf(user, conversation_id)
  await say(user, 'Plan the month', { conversation_id, replace_message_id: said.id })
  const rows = await messagesOf(user, conversation_id)
  expect(rows.map(({ role, after_id }: any) => [role, after_id])).toEqual([
    ['user', conversation_id],
    ['assistant', rows[0].id],
    ['user', conversation_id],
    ['assistant', rows[2].id],
  ])
  expect((await rest(user, `ai_conversations?id=eq.${conversation_id}`))[0].title).toBe('Plan the week')
})

test('a version is chosen among the messages of the conversation, by its owner alone', async () => {
  const [user, stranger] = [platform.user(), platform.user()]
  const first = await say(user, 'Mine')
  const other = await say(user, 'Another conversation')
  const again = await call(user, 'ai-chat', { conversation_id: first.conversation_id, replace_message_id: first.message_id })
  const show = async (tip_id: string, who = user) =>
    (await send(who, `/rest/v1/ai_conversations?id=eq.${first.conversation_id}`, { tip_id }, 'PATCH')).json()
  expect(await show(first.message_id)).toHaveLength(1)
  expect(await tipOf(user, first.conversation_id)).toBe(first.message_id)
  expect(await show(other.message_id)).toEqual([])
  expect(await show(again.body.message_id, stranger)).toEqual([])
  expect(await tipOf(user, first.conversation_id)).toBe(first.message_id)
  // Neither does a stranger go on with it, at its end or at one of its messages.
  for (const where of [{}, { replace_message_id: first.message_id }, { after_message_id: first.message_id }])
    expect((await call(stranger, 'ai-chat', { message: 'x', conversation_id: first.conversation_id, ...where })).status).toBe(404)
  for (const field of ['replace_message_id', 'after_message_id'])
    for (const id of [other.message_id, randomUUID()])
      expect((await call(user, 'ai-chat', { message: 'x', conversation_id: first.conversation_id, [field]: id })).status).toBe(404)
})

test('a conversation of the release before, which knows no versions, goes on where it was left', async () => {
  const user = platform.user()
  const { db } = platform.services['ai-gateway']!.rt as { db: any }
  const { conversation_id } = await say(user, `One ${'long '.repeat(300)}`)
  await say(user, 'Two', { conversation_id })
  await update(db, 'ai_messages', { conversation_id }, { after_id: null })
  await update(db, 'ai_conversations', { id: conversation_id }, { tip_id: null })
  const old = await messagesOf(user, conversation_id)
  const three = await say(user, 'Three', { conversation_id })
  expect(three.usage.prompt_tokens).toBeGreaterThan(300)
  const { body } = await call(user, 'ai-chat', { conversation_id, replace_message_id: old[1].id })
  expect((await messagesOf(user, conversation_id)).find(({ id }: any) => id === body.message_id).after_id).toBe(old[0].id)
})

test('the export has every version', async () => {
  const user = platform.user()
  const first = await say(user, 'Export me')
  await call(user, 'ai-chat', { conversation_id: first.conversation_id, replace_message_id: first.message_id })
  const { rt } = platform.services['ai-gateway']!
  const from = { part: erasure.holds.findIndex(({ table }) => table === 'ai_messages'), after: null }
  const { name, rows } = await rt.ask(exportUser('ai-gateway'), { user_id: user.id, from })
  expect([name, rows.map(({ after_id }) => after_id)]).toEqual([
    'ai_messages',
    [first.conversation_id, expect.any(String), rows[1]!.after_id],
  ])
})

test('conversations are found by words of their title or of what was said, with every assistant, by their owner alone', async () => {
  const user = platform.user()
  const named = await say(user, 'Zebra stripes for the shop window')
  const said = await say(user, 'Something else', { feature: 'lab' })
  await say(user, "What about the okapi's enclosure?", { feature: 'lab', conversation_id: said.conversation_id })
  const find = async (query: string, more: object = {}, who = user) =>
    (await call(who, 'search-conversations', { query, ...more })).body.found.map((each: any) => each.conversation_id)
  expect(await find('zebra')).toEqual([named.conversation_id])
  expect(await find('shop zeb')).toEqual([named.conversation_id])
  expect(await find("okapi's")).toEqual([said.conversation_id])
  expect(await find('okapi', { features: ['chat'] })).toEqual([])
  expect(await find('okapi', {}, platform.user())).toEqual([])
  expect(await find('zebra nowhere')).toEqual([])
  expect(await find('?!')).toEqual([])
  const { found } = (await call(user, 'search-conversations', { query: 'okapi' })).body
  expect(found[0]).toMatchObject({
    title: 'Something else',
    feature: 'lab',
    excerpt: expect.stringContaining('okapi'),
    message_id: expect.any(String),
  })
  expect((await call(user, 'search-conversations', { query: 'x'.repeat(201) })).status).toBe(400)
})

test('what is searched for cannot be more than words', () => {
  expect(wordsOf(`it's \\ a:* | b & !c`)).toBe(`'it''s' & 'a:*' & 'b' & '!c':*`)
  expect(wordsOf(' ? ')).toBeNull()
})
