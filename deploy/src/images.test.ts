import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { loadDefinitions } from './services.ts'

const platform = await startTestPlatform(await loadDefinitions(['ai-gateway', 'media', 'sandbox']), {
  SANDBOX_MODEL_PACE_MS: '0',
  MEDIA_CIRCUIT_FAILURES: '1000',
})
afterAll(() => platform.close())

async function post(user: TestUser, service: string, name: string, body: object) {
  const response = await fetch(`${platform.url(service)}/functions/v1/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...user.headers },
    body: JSON.stringify(body),
  })
  return (await response.json()) as any
}
const say = (user: TestUser, message: string) =>
  post(user, 'ai-gateway', 'ai-chat', { message, feature: 'assistant', tools: true, pages: [], conversation_id: 'new' })

test('an image that is asked for in the assistant is made at once, without a prompt, and shown by its id [spec-65]', async () => {
  const user = platform.user()
  const { response, approval } = await say(user, 'Generate an image of a red bicycle')
  const id = /image=([0-9a-f-]{36})/.exec(response)![1]!
  expect([approval, response]).toEqual([null, expect.stringContaining('Here is your image:')])
  const { pictures } = await post(user, 'media', 'find-images', { ids: [id] })
  expect(pictures[0]).toMatchObject({ prompt: 'a red bicycle', model: 'gpt-image-1', size: '1024x1024', state: 'done' })
  const used = (service: string) =>
    platform.services[service]!.rt.db.selectFrom('usage_counters').select(['unit', 'used']).where('user_id', '=', user.id).execute()
  expect([await used('media'), await used('ai-gateway')]).toEqual([[{ unit: 'images', used: 1 }], []])
  const plain = await say(user, 'generate an image')
  const second = /image=([0-9a-f-]{36})/.exec(plain.response)![1]!
  expect((await post(user, 'media', 'find-images', { ids: [second] })).pictures[0].prompt).toBe('a beautiful landscape')
})

test('where nobody can draw, the assistant says so in its own words and nothing is charged [spec-65]', async () => {
  const user = platform.user()
  await platform.fault({ provider: 'openai', account: user.id, kind: 'status', status: 500, times: 0 })
  expect((await say(user, 'create an image of a boat')).response).toBe(
    "I'm having trouble generating images right now. Please try again or visit the Image Studio directly.",
  )
})
