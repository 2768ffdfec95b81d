import { createServer } from 'node:http'
import { budgetsOf } from '@operon/contracts/plans'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import type OpenAI from 'openai'
import { afterAll, expect, test } from 'vitest'
import { costOf } from '../providers/models.ts'
import { mediaService } from '../service.ts'

type Input = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }
const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg=='
/** An engine in OpenAI's own shape: it flags a word, and every picture from the moment it is told to. */
const asked: Input[][] = []
let mood: 'calm' | 'flags pictures' | 'down' = 'calm'
const engine = createServer(async (request, response) => {
  const { input = [] } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { input?: Input[] }
  if (request.url === '/v1/images/generations')
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: [{ b64_json: onePixel }] }))
  asked.push(input)
  if (mood === 'down' || request.url !== '/v1/moderations') return void response.writeHead(500).end()
  const flagged = input.some((each) => (each.type === 'text' ? each.text.includes('gore') : mood === 'flags pictures'))
  const body: Pick<OpenAI.ModerationCreateResponse, 'id' | 'model'> & { results: object[] } = {
    id: 'modr-1',
    model: 'omni-moderation-latest',
    results: [{ flagged, categories: { violence: flagged, sexual: false, illicit: null } }],
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})

await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve))
const MODERATION_BASE_URL = `http://127.0.0.1:${(engine.address() as { port: number }).port}/v1/`
const platform = await startTestPlatform([mediaService, sandboxService], {
  SANDBOX_MODEL_PACE_MS: '0',
  MODERATION_BASE_URL,
  MODERATION_API_KEY: 'k',
})
const db: any = platform.services.media!.rt.db
afterAll(async () => {
  await platform?.close()
  engine.close()
})

const make = (user: TestUser, prompt: string, more: object = {}, name = 'generate-image') => platform.call(name, user, { prompt, ...more })
const usedBy = async (user: TestUser) =>
  (await db.selectFrom('usage_counters').select(['used', 'reserved']).where('user_id', '=', user.id).executeTakeFirst()) ?? {
    used: 0,
    reserved: 0,
  }
const drawnFor = async (user: TestUser) => {
  const answer: any = await (await fetch(`${platform.url('sandbox')}/sandbox/api/truth?kind=image`)).json()
  return answer.truth.filter(({ account }: any) => account === user.id).length
}

test('what the engine flags is not drawn, or not kept, and never charged; while it is down nothing is made', async () => {
  const user = platform.user()
  const { body: first } = await make(user, 'a red bicycle')
  expect(asked.map((input) => input.map(({ type }) => type))).toEqual([['text'], ['image_url']])
  expect((asked[1]![0] as any).image_url.url).toMatch(/^data:image\/webp;base64,/)

  const refused = await make(user, 'a scene of gore', { fallback: true })
  expect([refused.status, refused.body.code]).toEqual([400, 'image_refused'])
  expect(await drawnFor(user)).toBe(1)

  asked.length = 0
  mood = 'flags pictures'
  // A picture to be changed is checked as well, before a model sees it.
  const edited = await make(user, 'make the wall blue', { picture_id: first.picture_id }, 'edit-image')
  expect([edited.status, edited.body.code]).toEqual([400, 'image_refused'])
  expect(asked.map((input) => input.map(({ type }) => type))).toEqual([['text', 'image_url']])
  expect(await drawnFor(user)).toBe(1)
  const notKept = await make(user, 'a boat')
  expect([notKept.status, notKept.body.code]).toEqual([400, 'image_refused'])
  expect(await drawnFor(user)).toBe(2)

  mood = 'down'
  const unchecked = await make(user, 'a house', { fallback: true })
  expect([unchecked.status, unchecked.body.code]).toEqual([503, 'image_unchecked'])
  mood = 'calm'
  expect(await usedBy(user)).toEqual({ used: 1, reserved: 0 })
  expect(await db.selectFrom('pictures').select('id').where('user_id', '=', user.id).where('state', '=', 'done').execute()).toHaveLength(1)
  expect(await platform.services.media!.rt.storage.list(`pictures/${user.id}/`)).toHaveLength(1)
})

test('a picture that is drawn and then refused uses no image, and its cost counts: nobody has them drawn without end', async () => {
  const OPENAI_BASE_URL = MODERATION_BASE_URL
  const paid = await startTestPlatform([mediaService], { MODERATION_BASE_URL, OPENAI_BASE_URL, OPENAI_API_KEY: 'sk-test' })
  try {
    const user = paid.user()
    mood = 'flags pictures'
    const made = () => paid.call('generate-image', user, { prompt: 'a boat' })
    const cost = costOf('gpt-image-1', '1024x1024')
    const most = Math.floor(budgetsOf('none').media! / cost)
    for (let n = 0; n < most; n++) expect((await made()).body.code).toBe('image_refused')
    expect((await made()).body.code).toBe('limit_budget')
    const counted = await (paid.services.media!.rt.db as any)
      .selectFrom('usage_counters')
      .select(['used', 'reserved', 'cost_used', 'cost_reserved'])
      .where('user_id', '=', user.id)
      .execute()
    expect(counted).toEqual([{ used: 0, reserved: 0, cost_used: most * cost, cost_reserved: 0 }])
  } finally {
    mood = 'calm'
    await paid.close()
  }
})
