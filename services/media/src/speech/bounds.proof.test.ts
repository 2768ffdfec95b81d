import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { userDeleted } from '@operon/contracts/identity/events'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { mediaService } from '../service.ts'

/** Speaks without an end, and hears half an hour in a few bytes, once it is told to. */
const mayAnswer = Promise.withResolvers<void>()
let heard = 0
const [spoken, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
const provider: Server = createServer(async (request, response) => {
  const asked = Buffer.concat(await request.toArray()).toString('latin1')
  if (request.url?.endsWith('/audio/speech')) {
    if (asked.includes('a slow voice')) {
      spoken.resolve()
      await mayEnd.promise
      return void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('ID3 sound')
    }
    response.writeHead(200, { 'content-type': 'audio/pcm' })
    for (let n = 0; n < 30; n++) response.write(Buffer.alloc(1024 * 1024))
    return void response.end()
  }
  heard++
  await mayAnswer.promise
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: '', usage: { type: 'duration', seconds: 1500 } }))
}).listen(0, '127.0.0.1')
await once(provider, 'listening')
const at = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
const platform = await startTestPlatform([mediaService], { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: at })
const db: any = platform.services.media!.rt.db
afterAll(async () => {
  await platform?.close()
  provider.closeAllConnections()
  provider.close()
})

const counted = (user: TestUser) =>
  db
    .selectFrom('usage_counters')
    .select(['reserved', 'cost_used', 'cost_reserved'])
    .where('user_id', '=', user.id)
    .where('unit', '=', 'speech')
    .executeTakeFirst()

test('a recording that its caller has made too long to be kept is paid for all the same', async () => {
  const user = platform.user()
  const body = { model: 'tts-1', input: 'A very long story. '.repeat(100), voice: 'alloy', response_format: 'pcm', speed: 0.25 }
  const answer = await fetch(`${platform.url('media')}/ai/v1/audio/speech`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await expect(answer.arrayBuffer()).rejects.toThrow()
  await expect
    .poll(() => counted(user))
    .toEqual({ reserved: 0, cost_used: Math.ceil((body.input.length * 15_000) / 1000), cost_reserved: 0 })
  expect(await db.selectFrom('recordings').select('id').where('user_id', '=', user.id).execute()).toEqual([])
})

test('a recording that ends after its account was erased is not kept', async () => {
  const user = platform.user()
  const asking = platform.call('text-to-voice', user, { text: 'a slow voice' })
  await spoken.promise
  await platform.emit(userDeleted, user.id, { version: 2 })
  const held = () => db.selectFrom('usage_reservations').select('id').where('user_id', '=', user.id).execute()
  await expect.poll(async () => (await held()).length, { timeout: 20_000 }).toBe(0)
  mayEnd.resolve()
  expect((await asking).body.code).toBe('speech_failed')
  expect(await db.selectFrom('recordings').select('id').where('user_id', '=', user.id).execute()).toEqual([])
  expect(await platform.services.media!.rt.storage.list(`recordings/${user.id}/`)).toEqual([])
})

test('a few bytes that last half an hour are heard a few at once, so that the budget ends them', async () => {
  const user = platform.user()
  const audio = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(60)]).toString('base64')
  const hear = () => platform.call('voice-to-text', user, { audio })
  const asked = Array.from({ length: 12 }, hear)
  await expect.poll(() => heard, { timeout: 10_000 }).toBe(4)
  const refused = await Promise.all(Array.from({ length: 3 }, hear))
  expect(refused.map(({ body }) => body.code)).toEqual(Array(3).fill('rate_limited'))
  mayAnswer.resolve()
  const answers = await Promise.all(asked)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
  expect(heard).toBe(4)
  expect((await hear()).body.code).toBe('limit_budget')
  // Somebody else is heard meanwhile.
  expect((await platform.call('voice-to-text', platform.user(), { audio })).status).toBe(200)
})
