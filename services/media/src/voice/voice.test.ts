import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { mediaService } from '../service.ts'

const platform = await startTestService(mediaService)
afterAll(() => platform.close())

const call = (user: TestUser, name: string, body: object = {}) => platform.call(name, user, body)

const usual = { voice: 'alloy', speaks: true, wakes: false, wake_word: 'Hey Jarvis', sensitivity: 0.7 }

test('voice settings are saved for each person, one at a time or together [spec-128] [spec-129]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  expect((await call(ann, 'voice-settings')).body).toEqual(usual)
  expect((await call(ann, 'save-voice-settings', { voice: 'onyx' })).body).toEqual({ ...usual, voice: 'onyx' })
  const wakes = { wakes: true, wake_word: 'Computer', sensitivity: 0.35 }
  expect((await call(ann, 'save-voice-settings', { speaks: false, ...wakes })).body).toEqual({ voice: 'onyx', speaks: false, ...wakes })
  expect((await call(ann, 'voice-settings')).body).toEqual({ voice: 'onyx', speaks: false, ...wakes })
  expect((await call(bob, 'voice-settings')).body).toEqual(usual)
  for (const wrong of [{ voice: 'siri' }, { wake_word: 'Hey Siri' }, { sensitivity: 1.1 }, { sensitivity: -1 }])
    expect((await call(ann, 'save-voice-settings', wrong)).status).toBe(400)
})

test('the history keeps the last ten commands with the confidence each was heard with [spec-129]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  for (let n = 1; n <= 12; n++)
    await call(ann, 'keep-voice-command', { command: `Command ${n}`, response: 'Done.', confidence: n === 12 ? null : n / 16 })
  const { commands } = (await call(ann, 'voice-commands')).body
  expect(commands.map(({ command }: any) => command)).toEqual(Array.from({ length: 10 }, (_, n) => `Command ${12 - n}`))
  expect(commands.slice(0, 2).map(({ confidence }: any) => confidence)).toEqual([null, 11 / 16])
  const stored = await platform.services.media!.rt.db.selectFrom('voice_commands').select('id').where('user_id', '=', ann.id).execute()
  expect(stored).toHaveLength(10)
  expect((await call(bob, 'voice-commands')).body.commands).toEqual([])
  expect((await call(bob, 'clear-voice-commands')).body).toEqual({ cleared: 0 })
  expect((await call(ann, 'clear-voice-commands')).body).toEqual({ cleared: 10 })
})
