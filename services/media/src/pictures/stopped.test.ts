import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { budgetsOf } from '@operon/contracts/plans'
import { DomainError } from '@operon/kit/errors'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { costOf } from '../providers/models.ts'
import { mediaService } from '../service.ts'
import { drawPicture, fail } from './draw.ts'

/** Takes orders for pictures and never answers, as a slow model does; recordings it writes down once it is told to. */
const heard = Promise.withResolvers<void>()
const mayAnswer = Promise.withResolvers<void>()
const provider: Server = createServer(async (request, response) => {
  request.resume()
  if (!request.url?.endsWith('/audio/transcriptions')) return
  heard.resolve()
  await mayAnswer.promise
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: 'Hello', usage: { type: 'duration', seconds: 60 } }))
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

const call = (user: TestUser, name: string, body: object) => platform.call(name, user, body)
const asked = async (id: string) => (await db.selectFrom('pictures').select('asked_at').where('id', '=', id).executeTakeFirst())?.asked_at
const running = () =>
  db
    .selectFrom('lane_items')
    .select('id')
    .where('leased_until', 'is not', null)
    .execute()
    .then((rows: unknown[]) => rows.length)
const counted = (user: TestUser) =>
  db
    .selectFrom('usage_counters')
    .select(['used', 'reserved', 'cost_used', 'cost_reserved'])
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow()

test('a picture that was stopped stays stopped: no worker takes it over, and one that fails late says nothing of it', async () => {
  const user = platform.user()
  const { id } = (await call(user, 'start-images', { prompt: 'a boat' })).body.pictures[0]
  await expect.poll(() => asked(id), { timeout: 10_000 }).not.toBeNull()
  await call(user, 'cancel-image', { picture_id: id })
  const stopped = () => db.selectFrom('pictures').select(['state', 'problem', 'fence']).where('id', '=', id).executeTakeFirstOrThrow()
  const before = await stopped()
  expect(before).toMatchObject({ state: 'cancelled', problem: 'image_stopped' })
  const deps = {
    rt: platform.services.media!.rt,
    progress: { hold: () => ({ signal: new AbortController().signal, done() {} }), tell() {} },
  }
  await drawPicture(deps as never, { id, fence: before.fence + 1, signal: new AbortController().signal })
  expect(await stopped()).toEqual(before)
  await fail(deps as never, { id, fence: before.fence }, new DomainError('image_failed'))
  expect(await stopped()).toEqual(before)
  expect(
    await db.selectFrom('outbox').select('id').where('user_id', '=', user.id).where('name', '=', 'media.job_failed').execute(),
  ).toEqual([])
})

test('whoever starts and stops pictures in turn uses no image, and is refused when the month’s model cost is spent', async () => {
  const user = platform.user()
  const cost = costOf('gpt-image-1', '1024x1024')
  const most = Math.floor(budgetsOf('none').media! / cost)
  for (let n = 0; n < most; n++) {
    const { status, body } = await call(user, 'start-images', { prompt: 'a boat' })
    expect(status, JSON.stringify(body)).toBe(200)
    const { id } = body.pictures[0]
    await expect.poll(() => asked(id), { timeout: 10_000 }).not.toBeNull()
    expect((await call(user, 'cancel-image', { picture_id: id })).body).toEqual({ cancelled: true })
  }
  expect(await counted(user)).toEqual({ used: 0, reserved: 0, cost_used: most * cost, cost_reserved: 0 })
  expect((await call(user, 'start-images', { prompt: 'a boat' })).body.code).toBe('limit_budget')
  const told = await db
    .selectFrom('outbox')
    .select('payload')
    .where('user_id', '=', user.id)
    .where('name', '=', 'media.usage_recorded')
    .execute()
  expect(told.map(({ payload }: any) => [payload.amount, payload.cost_microusd])).toEqual(Array(most).fill([0, cost]))
})

test('whoever hangs up while a recording is written down has used it all the same', async () => {
  const user = platform.user()
  const caller = new AbortController()
  const audio = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(64_000)]).toString('base64')
  const asking = fetch(`${platform.url('media')}/functions/v1/voice-to-text`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...user.headers },
    body: JSON.stringify({ audio }),
    signal: caller.signal,
  })
  await heard.promise
  caller.abort()
  await expect(asking).rejects.toThrow()
  mayAnswer.resolve()
  await expect.poll(async () => (await counted(user)).used, { timeout: 10_000 }).toBe(1)
  const { reserved, cost_used, cost_reserved } = await counted(user)
  expect([reserved, cost_used > 0, cost_reserved]).toEqual([0, true, 0])
})

test('however many pictures are stopped, the provider is asked for the next person’s', async () => {
  for (let n = 0; n < 7; n++) {
    const user = platform.user()
    const { id } = (await call(user, 'start-images', { prompt: 'a boat' })).body.pictures[0]
    await expect.poll(() => asked(id), { timeout: 5000, message: `after ${n} stopped pictures` }).not.toBeNull()
    expect((await call(user, 'cancel-image', { picture_id: id })).body).toEqual({ cancelled: true })
    await expect.poll(() => running(), { timeout: 5000 }).toBe(0)
  }
})
