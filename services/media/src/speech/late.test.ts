import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { mediaService } from '../service.ts'

/** Takes an order and is silent, or refuses it at once. */
const provider: Server = createServer(async (request, response) => {
  const asked = Buffer.concat(await request.toArray()).toString('latin1')
  if (asked.includes('refused')) response.writeHead(500).end('{}')
}).listen(0, '127.0.0.1')
await once(provider, 'listening')
const at = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
const platform = await startTestPlatform([mediaService], { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: at, MEDIA_SPEAK_MS: '1000' })
const db: any = platform.services.media!.rt.db
afterAll(async () => {
  await platform?.close()
  provider.closeAllConnections()
  provider.close()
})

const counted = (user: TestUser) =>
  db.selectFrom('usage_counters').select(['reserved', 'cost_used', 'cost_reserved']).where('user_id', '=', user.id).executeTakeFirst()
/** Half a minute at most. */
const recording = (says = '') => Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(30_000 - 4 - says.length), Buffer.from(says)])
const hear = (user: TestUser, audio: Buffer) => platform.call('voice-to-text', user, { audio: audio.toString('base64') })

test('a recording that is not answered in time counts at its most, so that long ones in turn cannot spend without end', async () => {
  const user = platform.user()
  expect((await hear(user, recording())).body.code).toBe('hearing_failed')
  const cost_used = (30 / 60) * 6_000
  expect(await counted(user)).toEqual({ reserved: 0, cost_used, cost_reserved: 0 })
  expect((await hear(user, recording('refused'))).body.code).toBe('hearing_failed')
  expect(await counted(user)).toEqual({ reserved: 0, cost_used, cost_reserved: 0 })
})

test('a text that is not read in time counts, and one that is refused does not', async () => {
  const user = platform.user()
  const say = (text: string) => platform.call('text-to-voice', user, { text, voice: 'nova' })
  const late = 'A story.'.repeat(20)
  expect((await say(late)).body.code).toBe('speech_failed')
  const cost_used = Math.ceil((late.length * 15_000) / 1000)
  expect(await counted(user)).toEqual({ reserved: 0, cost_used, cost_reserved: 0 })
  expect((await say('refused')).body.code).toBe('speech_failed')
  expect(await counted(user)).toEqual({ reserved: 0, cost_used, cost_reserved: 0 })
})
