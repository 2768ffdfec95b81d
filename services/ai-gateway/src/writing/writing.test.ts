import { contentTypes } from '@operon/contracts/ai-gateway/content'
import { fallbackNames, namesIn } from '@operon/contracts/ai-gateway/names'
import { newId } from '@operon/kit/ids'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { aiGatewayService } from '../service.ts'
import { blockOf } from './emails.ts'
import { promptOf } from './prompts.ts'

const platform = await startTestPlatform([aiGatewayService, sandboxService], { SANDBOX_MODEL_PACE_MS: '0' })
afterAll(() => platform.close())
afterEach(() => platform.mend())

const fault = (order: object) => platform.fault({ provider: 'openai', ...order })
const post = (user: TestUser, name: string, body: unknown, headers: Record<string, string> = {}) => platform.call(name, user, body, headers)
const used = async (user: TestUser) => (await post(user, 'ai-usage', {})).body.used

test('a blog asks for 1000-1500 words, social for 5 posts, and each type for a piece of its own [spec-86]', () => {
  const systems = (Object.keys(contentTypes) as (keyof typeof contentTypes)[]).map(
    (type) => promptOf({ kind: 'content', type, topic: 'x' }).system,
  )
  expect(new Set(systems).size).toBe(6)
  expect(systems[0]).toContain('about 1000-1500 words')
  expect(systems[1]).toContain('5 social media posts')
})

test('each of the six types is written whole, under the title that its conversations have [spec-86]', async () => {
  const user = platform.user()
  for (const [type, name] of Object.entries(contentTypes)) {
    const { status, body } = await post(user, 'write-content', { type, topic: 'spring sale at our shop' })
    expect([type, status]).toEqual([type, 200])
    expect(body).toMatchObject({ title: `${name} about: spring sale at our shop`, answered_by: 'gpt-4o-mini', sandbox: true })
    expect(body.words).toBeGreaterThan(50)
  }
  await vi.waitFor(async () => expect(await used(user)).toBe(6), 10_000)
})

test('the screen streams by the same prompt, and the conversation has the title of old ones [spec-86]', async () => {
  const user = platform.user()
  const writing = { kind: 'content', type: 'social', topic: 'spring sale', requirements: 'friendly' }
  const { body } = await post(user, 'ai-chat', { writing, feature: 'content', conversation_id: 'new' })
  const whole = await post(user, 'write-content', { type: 'social', topic: 'spring sale', requirements: 'friendly' })
  expect(body.content).toBe(whole.body.content)
  const place = { conversation_id: body.conversation_id, replace_message_id: body.message_id }
  const again = await post(user, 'ai-chat', { writing, feature: 'content', ...place })
  expect(again.status).toBe(200)
  const rows = await fetch(`${platform.url('ai-gateway')}/rest/v1/ai_messages?role=eq.user`, { headers: user.headers })
  expect(await rows.json()).toHaveLength(1)
  const kept = (await (
    await fetch(`${platform.url('ai-gateway')}/rest/v1/ai_conversations?id=eq.${body.conversation_id}`, { headers: user.headers })
  ).json()) as any
  expect(kept[0]).toMatchObject({ title: 'Social posts about: spring sale Additional requirements: friendly', feature: 'content' })
})

test('one key writes once: the second call gets the first text and uses no prompt', async () => {
  const user = platform.user()
  const key = { 'idempotency-key': newId() }
  const first = await post(user, 'write-email', { about: 'the new opening hours' }, key)
  expect(await post(user, 'write-email', { about: 'the new opening hours' }, key)).toEqual(first)
  await vi.waitFor(async () => expect(await used(user)).toBe(1), 10_000)
})

test('an email is a subject and a body, a product text has its four parts', async () => {
  const user = platform.user()
  const email = await post(user, 'write-email', { about: 'Thank you for a payment of $99.00', to: 'Ada', tone: 'warm' })
  expect(email.body.subject).toMatch(/thank/i)
  expect(email.body.body.length).toBeGreaterThan(50)
  const product = await post(user, 'write-product-text', { product: 'Handmade oak cutting board', details: '40 x 25 cm' })
  expect(product.status).toBe(200)
  expect(product.body.benefits.length).toBeGreaterThan(0)
  expect(product.body.headline).not.toBe('')
})

test('an email is designed in blocks, with merge fields that have fallbacks, three subjects and a footer [spec-132]', async () => {
  const user = platform.user()
  expect((await post(user, 'generate-email', { request: ' \n ' })).status).toBe(400)
  const sender = { name: 'Harbour Café', address: 'Rua do Porto 4, Lisbon' }
  const { status, body } = await post(user, 'generate-email', {
    request: 'Announce the spring sale at our shop',
    sender,
    accent: '#175cd3',
  })
  expect([status, body.sandbox]).toEqual([200, true])
  expect(new Set(body.subjects).size).toBe(3)
  expect(body.document.blocks.map(({ kind }: any) => kind)).toEqual(['heading', 'text', 'button', 'footer'])
  expect(body.document.blocks[1].text).toContain('Hi {{ first_name | default: "there" }},')
  expect(body.document).toMatchObject({ theme: { accent: '#175cd3' } })
  expect(body.document.blocks.at(-1)).toMatchObject(sender)
  const ideas = await post(user, 'suggest-subjects', { text: 'Spring is here. 20 % off until Sunday.' })
  expect(ideas.body.subjects).toHaveLength(5)
})

test('of what a model writes only blocks that are there, fields that contacts have and https links are kept', () => {
  const written = (kind: string, text: string, url = '') => ({ kind, text, url })
  const blocks = [
    written('heading', '# **Hello** {{ first_name }}'),
    written('text', 'Your {{ coupon | default: "code" }} at {{company}} {{ broken\u0007 }}'),
    written('text', '  '),
    written('button', 'Go', 'javascript:alert(1)'),
  ].flatMap((block, at) => blockOf(block as never, at))
  expect(blocks).toEqual([
    { kind: 'heading', id: 'ai-1', text: 'Hello {{ first_name | default: "there" }}', level: 1 },
    { kind: 'text', id: 'ai-2', text: 'Your code at {{ company | default: "your company" }}  broken' },
    { kind: 'button', id: 'ai-4', label: 'Go', url: '' },
  ])
})

test('a text that breaks off is asked for once more, and then charged twice', async () => {
  const user = platform.user()
  await fault({ kind: 'truncate', times: 1 })
  expect((await post(user, 'write-email', { about: 'the new opening hours' })).status).toBe(200)
  await vi.waitFor(async () => expect(await used(user)).toBe(2), 10_000)
  await fault({ kind: 'truncate', times: 0 })
  expect((await post(user, 'write-email', { about: 'the new opening hours' })).body).toMatchObject({ code: 'upstream_failed' })
})

test('up to eight names come without their numbers [spec-95]', async () => {
  const { body } = await post(platform.user(), 'suggest-names', { description: 'A mobile bike repair service' })
  expect(body).toMatchObject({ fallback: false, problem: null })
  expect(body.names).toHaveLength(8)
  for (const name of body.names) expect(name).not.toMatch(/^\d|^[-*]/)
})

test('when nobody answers, eight fallback names come with the reason, and nothing is charged [spec-96]', async () => {
  const user = platform.user()
  await fault({ kind: 'status', status: 401, times: 0 })
  const { body } = await post(user, 'suggest-names', { description: 'A bakery' })
  expect(body).toMatchObject({ names: fallbackNames, fallback: true, answered_by: null })
  expect(body.problem).toContain('No model could answer')
  expect(await used(user)).toBe(0)
})

test('at most eight names, without list numbers, bullets, quotes and remarks [spec-95]', () => {
  const answer = [
    '1. Crumb & Crust',
    '2) "Risewell"',
    '- Flour Street – warm',
    '**The Warm Loaf**: local',
    'Here are some more:',
    '5: Oatcake',
  ]
  expect(namesIn(answer.join('\n'))).toEqual(['Crumb & Crust', 'Risewell', 'Flour Street', 'The Warm Loaf', 'Oatcake'])
  expect(namesIn(Array.from({ length: 12 }, (_, index) => `${index + 1}. Name${index}`).join('\n'))).toHaveLength(8)
  expect(namesIn('I cannot help with that.')).toEqual([])
  expect(new Set(fallbackNames).size).toBe(8)
})
