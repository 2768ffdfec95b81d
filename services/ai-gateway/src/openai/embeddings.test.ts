import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import OpenAI from 'openai'
import { afterAll, expect, test, vi } from 'vitest'
import { aiGatewayService } from '../service.ts'

const platform = await startTestPlatform([aiGatewayService, sandboxService])
afterAll(() => platform.close())

const client = (user: TestUser) => new OpenAI({ baseURL: `${platform.url('ai-gateway')}/ai/v1`, apiKey: user.token, maxRetries: 0 })
const db = () => platform.services['ai-gateway']!.rt.db
const rowsOf = (user: TestUser) => db().selectFrom('ai_usage').selectAll().where('user_id', '=', user.id).execute()
const model = 'text-embedding-3-small'

test('the unmodified openai SDK gets vectors, packed and as numbers, and each call is booked as one prompt with its tokens', async () => {
  const user = platform.user()
  // The SDK asks for base64 of itself and unpacks it.
  const packed = await client(user).embeddings.create({ model, input: ['A red bicycle', 'Tax returns'] })
  expect(packed.data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
    [0, 1536],
    [1, 1536],
  ])
  const plain = await client(user).embeddings.create({ model, input: 'A red bicycle', encoding_format: 'float', user: 'a' })
  expect(plain.data[0]!.embedding).toEqual([...packed.data[0]!.embedding])
  const large = await client(user).embeddings.create({ model: 'text-embedding-3-large', input: [[1, 2, 3]], dimensions: 256 })
  expect([large.data[0]!.embedding.length, large.usage.prompt_tokens]).toEqual([256, 3])
  const rows = await vi.waitFor(async () => {
    const found = await rowsOf(user)
    expect(found).toHaveLength(3)
    return found
  }, 10_000)
  const first = rows.find(({ prompt_tokens }) => prompt_tokens === packed.usage.prompt_tokens)
  expect(first).toMatchObject({ feature: 'api', model, status: 'completed', counted: true, completion_tokens: 0 })
  expect(first!.cost_microusd).toBe(Math.ceil((packed.usage.prompt_tokens * 20_000) / 1_000_000))
  const counter = await db().selectFrom('usage_counters').select(['used', 'reserved']).where('user_id', '=', user.id).executeTakeFirst()
  expect(counter).toEqual({ used: 3, reserved: 0 })
})

test('what is not offered is refused by its name and spends nothing; so does what no provider answers', async () => {
  const user = platform.user()
  for (const [param, value] of [
    ['store', true],
    ['encoding_format', 'int8'],
    ['dimensions', 4096],
    ['dimensions', 0.5],
    ['instructions', 'x'],
    ['constructor', 1],
  ] as const)
    await expect(
      client(user).embeddings.create({ model, input: 'x', encoding_format: 'float', [param]: value } as never),
    ).rejects.toMatchObject({
      status: 400,
      param,
    })
  for (const input of ['', [], [''], [[]], ['a', 1], Array.from({ length: 513 }, () => 'x'), 'x'.repeat(200_001)])
    await expect(client(user).embeddings.create({ model, input } as never)).rejects.toMatchObject({ status: 400 })
  // More than the plan takes in one call, however cheap.
  await expect(client(user).embeddings.create({ model, input: 'x'.repeat(30_000) })).rejects.toMatchObject({ code: 'limit_budget' })
  await expect(client(user).embeddings.create({ model: 'gpt-4o-mini', input: 'x' })).rejects.toMatchObject({
    status: 404,
    code: 'model_unknown',
    message: expect.stringContaining('/ai/v1/models'),
  })
  // In the words of who refuses it.
  await expect(client(user).embeddings.create({ model, input: 'x', dimensions: 2000 })).rejects.toMatchObject({
    status: 400,
    param: 'dimensions',
  })
  const order = { provider: 'openai', kind: 'status', status: 500, match: 'embeddings', account: user.id, times: 2 }
  await platform.fault(order)
  await expect(client(user).embeddings.create({ model, input: 'x' })).rejects.toMatchObject({ status: 503, code: 'model_unavailable' })
  expect(await rowsOf(user)).toEqual([])
  const open = await db().selectFrom('usage_counters').select(['used', 'reserved']).where('user_id', '=', user.id).executeTakeFirst()
  expect(open ?? { used: 0, reserved: 0 }).toEqual({ used: 0, reserved: 0 })
  // One failure is got over.
  await platform.fault({ ...order, times: 1 })
  expect((await client(user).embeddings.create({ model, input: 'x' })).data).toHaveLength(1)
})

test('the models that make vectors are listed with their price, and are not offered for chats', async () => {
  const user = platform.user()
  const listed = await client(user).models.list()
  expect(listed.data.find(({ id }) => id === model)).toMatchObject({ abilities: ['embeddings'], input_microusd_per_mtok: 20_000 })
  const asked = client(user).chat.completions.create({ model, messages: [{ role: 'user', content: 'hi' }] })
  await expect(asked).rejects.toMatchObject({ status: 404, code: 'model_unknown' })
})
