import { texts } from '@operon/contracts/messages'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'
import { capabilities } from '../approvals/offered.ts'
import { aiGatewayService } from '../service.ts'
import { absent } from './words.ts'

const platform = await startTestPlatform([aiGatewayService, sandboxService], { SANDBOX_MODEL_PACE_MS: '0' })
afterAll(() => platform.close())

const pages = [
  { path: '/dashboard', name: 'Dashboard' },
  { path: '/dashboard/ai-lab', name: 'AI Assistant Lab' },
]
async function say(user: TestUser, message: string, more: object = {}) {
  const response = await fetch(`${platform.url('ai-gateway')}/functions/v1/ai-chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...user.headers },
    body: JSON.stringify({ message, feature: 'assistant', tools: true, pages, conversation_id: 'new', ...more }),
  })
  return (await response.json()) as any
}
const rows = async (user: TestUser, path: string): Promise<any[]> =>
  (await fetch(`${platform.url('ai-gateway')}/rest/v1/${path}`, { headers: user.headers })).json() as never
const promptsOf = async (user: TestUser) => {
  const counters = platform.services['ai-gateway']!.rt.db.selectFrom('usage_counters').select(['used', 'reserved'])
  const counter = await counters.where('user_id', '=', user.id).executeTakeFirst()
  return counter ? counter.used + counter.reserved : 0
}

test('a page is opened without a model and without a prompt, and the conversation keeps what was said [spec-64]', async () => {
  const user = platform.user()
  const led = await say(user, 'please go to the ai lab')
  expect(led).toMatchObject({ response: 'Taking you to AI Assistant Lab.', open: pages[1], answered_by: '', approval: null })
  const absentPage = await say(user, 'open the calendar', { conversation_id: led.conversation_id })
  expect(absentPage).toMatchObject({ response: 'Calendar is not available yet, so you stay on this page.', open: null })
  const kept = await rows(user, `ai_messages?conversation_id=eq.${led.conversation_id}&order=id`)
  expect(kept.map(({ content, state }) => [content, state])).toEqual([
    ['please go to the ai lab', 'complete'],
    ['Taking you to AI Assistant Lab.', 'complete'],
    ['open the calendar', 'complete'],
    ['Calendar is not available yet, so you stay on this page.', 'complete'],
  ])
  expect(await promptsOf(user)).toBe(0)
})

test('a question beside the page is answered by the model, and then the page opens [spec-64]', async () => {
  const { response, open, answered_by } = await say(platform.user(), 'Go to the dashboard. What should I plan first?')
  expect([open, answered_by]).toEqual([pages[0], 'gpt-4o-mini'])
  expect(response).toMatch(/.{20,}\n\nTaking you to Dashboard\.$/s)
})

test('a business name asks for five names at once: one prompt, nothing to approve [spec-65]', async () => {
  const user = platform.user()
  const { response, approval, sandbox } = await say(user, 'Suggest a business name for my flower shop')
  expect(response.split('\n')).toEqual([1, 2, 3, 4, 5].map((at) => expect.stringMatching(new RegExp(`^${at}\\. \\S`))))
  expect([approval, sandbox]).toEqual([null, true])
  expect(await promptsOf(user)).toBe(1)
  expect(await rows(user, 'ai_approvals')).toEqual([])
})

test('research is answered by the model that searches, with its sources [spec-69]', async () => {
  const { model, citations } = await say(platform.user(), 'research how bakeries price subscription boxes')
  expect([model, citations.length > 0]).toEqual(['perplexity', true])
})

test('what nobody offers yet is said, not tried [spec-65] [spec-66] [spec-67] [spec-68]', async () => {
  for (const [said, tool] of [
    ['create voice agent', 'voice'],
    ['send email to my list', 'email'],
  ] as const)
    expect((await say(platform.user(), said)).response).toBe(absent[tool])
})

test('ads and notes are asked of the connected app, and without one the person is told where to connect it [spec-66] [spec-68]', async () => {
  expect((await say(platform.user(), 'analyze meta ads')).response).toBe(texts.metaUnavailable)
  expect((await say(platform.user(), 'put this into Notion')).response).toContain('Please make sure it is connected on the Notion page.')
})

test('an image that cannot be made is said in its own words [spec-65]', async () => {
  // Nobody answers for media here.
  expect((await say(platform.user(), 'generate an image of a cat')).response).toBe(texts.assistantImageFailed)
})

test('what the plan does not include is said in the conversation, and no prompt is spent on it', async () => {
  const image = capabilities().get('generate-image')!
  const { unit } = image
  image.unit = 'emails'
  try {
    const user = platform.user()
    expect((await say(user, 'generate an image of a cat')).response).toBe(
      'Make an image needs a plan that includes emails. Choose one on the plan page.',
    )
    expect(await promptsOf(user)).toBe(0)
  } finally {
    image.unit = unit
  }
})

test('the words do nothing by themselves in the Lab, with the analyst, or for a program that asks for no tools', async () => {
  for (const more of [{ feature: 'lab' }, { tools: false }]) {
    const { open = null, answered_by } = await say(platform.user(), 'open the calendar', more)
    expect([open, answered_by]).toEqual([null, 'gpt-4o-mini'])
  }
})

test('a model leads to a page of the app, and to no other [spec-77]', async () => {
  const lab = await say(platform.user(), 'Open the AI lab page', { feature: 'lab' })
  expect(lab.open).toEqual(pages[1])
  const none = await say(platform.user(), 'Open the AI lab page', { feature: 'lab', pages: [] })
  expect(none.open).toBeNull()
})
