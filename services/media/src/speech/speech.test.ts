import { voices } from '@operon/contracts/media/speech'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { mediaService } from '../service.ts'

const platform = await startTestPlatform([mediaService, sandboxService], { SANDBOX_MODEL_PACE_MS: '0', MEDIA_CIRCUIT_FAILURES: '1000' })
const db: any = platform.services.media!.rt.db
afterAll(() => platform.close())

const call = (user: TestUser | null, name: string, body: object = {}) => platform.call(name, user, body)
const order = (user: TestUser, fault: object) => platform.fault({ provider: 'openai', account: user.id, ...fault })
const truthOf = async (user: TestUser, kind: string): Promise<any[]> => {
  const answer: any = await (await fetch(`${platform.url('sandbox')}/sandbox/api/truth?kind=${kind}`)).json()
  return answer.truth.filter(({ account }: any) => account === user.id)
}
async function spentBy(user: TestUser) {
  const row = await db
    .selectFrom('usage_counters')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('unit', '=', 'speech')
    .executeTakeFirst()
  return row ? [row.used, row.reserved, row.cost_used, row.cost_reserved] : [0, 0, 0, 0]
}
const recordingsOf = (user: TestUser) => db.selectFrom('recordings').selectAll().where('user_id', '=', user.id).execute() as Promise<any[]>
const isMp3 = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 3)).toString() === 'ID3'

test('a text is read aloud in each of the six voices, as MP3, and what was said is heard again [spec-127] [spec-130]', async () => {
  const user = platform.user()
  const heard = []
  for (const voice of voices) {
    const { status, body } = await call(user, 'text-to-voice', { text: `The ${voice} voice reads this.`, voice })
    expect([status, body.voice, body.cached, body.sandbox], JSON.stringify(body).slice(0, 200)).toEqual([200, voice, false, true])
    const audio = Buffer.from(body.audioContent, 'base64')
    expect(isMp3(audio)).toBe(true)
    heard.push(audio.subarray(200).toString('latin1'))
    const text = await call(user, 'voice-to-text', { audio: body.audioContent })
    expect(text.body).toMatchObject({ text: `The ${voice} voice reads this.`, answered_by: 'gpt-4o-transcribe' })
  }
  expect(new Set(heard).size).toBe(6)
  expect((await truthOf(user, 'speech')).map(({ voice }) => voice)).toEqual([...voices])
})

test('the confidence is the one that the recogniser tells, and none is made up [spec-129]', async () => {
  const user = platform.user()
  const { body } = await call(user, 'text-to-voice', { text: 'Book a table for two.' })
  const sure = (await call(user, 'voice-to-text', { audio: body.audioContent })).body.confidence
  const webm = Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(8000, 7)]).toString('base64')
  const unsure = (await call(user, 'voice-to-text', { audio: `data:audio/webm;codecs=opus;base64,${webm}` })).body.confidence
  expect(sure).toBeGreaterThan(0.9)
  expect(unsure).toBeLessThan(0.3)
  await order(user, { kind: 'empty_choices', times: 1 })
  expect((await call(user, 'voice-to-text', { audio: webm })).body).toMatchObject({ text: '', confidence: null })
})

test('elevenlabs-tts is the same call: a voice by name or id, an address that plays, and one recording for both [spec-130]', async () => {
  const user = platform.user()
  const byId = await call(user, 'elevenlabs-tts', {
    text: 'Good morning.',
    voice_id: '21m00Tcm4TlvDq8ikWAM',
    model_id: 'eleven_multilingual_v2',
  })
  expect(byId.body).toMatchObject({ model: 'eleven_multilingual_v2', answered_by: 'eleven_multilingual_v2', cached: false })
  const file = await fetch(byId.body.audio_url.replace('http://localhost:8080', platform.url('media')))
  expect([file.status, file.headers.get('content-type'), isMp3(new Uint8Array(await file.arrayBuffer()))]).toEqual([
    200,
    'audio/mpeg',
    true,
  ])
  const byName = await call(user, 'elevenlabs-tts', { text: 'Good morning.', voice_id: 'alloy' })
  expect(byName.body.cached).toBe(true)
  expect((await call(user, 'elevenlabs-tts', { text: 'x', voice_id: 'nobody' })).body.code).toBe('voice_unknown')
  expect((await truthOf(user, 'speech')).length).toBe(1)
})

test('the same text in the same voice is made once, however many ask at the same time, and for each person apart', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const ask = (user: TestUser, voice = 'alloy') => call(user, 'text-to-voice', { text: 'We open at nine.', voice })
  const all = await Promise.all(Array.from({ length: 6 }, () => ask(ann)))
  expect(new Set(all.map(({ body }) => body.audioContent)).size).toBe(1)
  expect((await truthOf(ann, 'speech')).length).toBe(1)
  expect((await ask(ann)).body.cached).toBe(true)
  expect((await ask(ann, 'onyx')).body.cached).toBe(false)
  expect((await ask(bob)).body.cached).toBe(false)
  expect((await recordingsOf(ann)).length).toBe(2)
  // A file that is gone is made again instead of answering with nothing.
  const [kept] = await recordingsOf(bob)
  await platform.services.media!.rt.storage.delete(`recordings/${bob.id}/${kept.id}.mp3`)
  expect((await ask(bob)).body.cached).toBe(false)
})

test('recordings take no space of the plan, so those heard longest ago make room for a new one', async () => {
  const { storage } = platform.services.media!.rt
  const user = platform.user()
  const old = await Promise.all(
    [1, 2, 3].map(async (hours) => {
      const id = newId()
      await storage.put(`recordings/${user.id}/${id}.mp3`, Buffer.from('ID3'), { contentType: 'audio/mpeg' })
      const made = { model: 'tts-1', answered_by: 'tts-1', type: 'audio/mpeg', ending: 'mp3', characters: 4, sandbox: true }
      const times = { used_at: sql`now() - ${hours} * interval '1 hour'` }
      await insert(db, 'recordings', { id, user_id: user.id, text_key: id, bytes: 100 * 1024 * 1024, ...made, ...times })
      return id
    }),
  )
  expect((await call(user, 'text-to-voice', { text: 'We open at nine.', voice: 'alloy' })).status).toBe(200)
  const kept = (await recordingsOf(user)).map(({ id }) => id)
  expect(old.filter((id) => kept.includes(id))).toEqual(old.slice(0, 2))
  expect(kept).toHaveLength(3)
  expect(await storage.list(`recordings/${user.id}/`)).toHaveLength(3)
})

test('a voice that fails before or midway charges nothing, keeps nothing and says so in the words of the specification [spec-127]', async () => {
  const user = platform.user()
  for (const fault of [{ kind: 'status', status: 500 }, { kind: 'truncate' }, { kind: 'wrong_content_type' }]) {
    await order(user, { ...fault, times: 1 })
    const { status, body } = await call(user, 'text-to-voice', {
      text: `A longer text that breaks somewhere, by ${fault.kind}. `.repeat(10),
    })
    expect([status, body.code, body.message], fault.kind).toEqual([502, 'speech_failed', 'Text-to-speech failed'])
  }
  await order(user, { kind: 'status', status: 500, times: 1 })
  const webm = Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(800, 7)]).toString('base64')
  expect((await call(user, 'voice-to-text', { audio: webm })).body.message).toBe('Speech recognition failed')
  expect(await spentBy(user)).toEqual([0, 0, 0, 0])
  expect(await recordingsOf(user)).toEqual([])
})

test('what is no recording is refused before anything is spent: a page, a picture, a text', async () => {
  const user = platform.user()
  for (const bytes of [Buffer.from('<html><script>alert(1)</script>'), Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('hello')]) {
    const { status, body } = await call(user, 'voice-to-text', { audio: bytes.toString('base64') })
    expect([status, body.code]).toEqual([415, 'audio_unreadable'])
  }
  expect((await call(user, 'voice-to-text', { audio: '§§§' })).status).toBe(415)
  const before = performance.now()
  expect((await call(user, 'voice-to-text', { audio: `${' '.repeat(60_000)}!` })).status).toBe(415)
  expect(performance.now() - before).toBeLessThan(3_000)
  expect((await truthOf(user, 'transcription')).length).toBe(0)
  expect((await call(user, 'text-to-voice', { text: '  ' })).status).toBe(400)
  expect((await call(user, 'text-to-voice', { text: 'x'.repeat(4097) })).status).toBe(400)
  expect((await call(null, 'text-to-voice', { text: 'hi' })).body).toMatchObject({ status: 401, message: 'Not authenticated' })
})

test('speech ends at its own budget in money, uses no image and no prompt, and each use is told', async () => {
  const user = platform.user()
  await call(user, 'text-to-voice', { text: 'One.' })
  expect(await spentBy(user)).toEqual([1, 0, 0, 0])
  const { rows } = await sql<{
    payload: any
  }>`select payload from outbox where name = 'media.speech_recorded' and user_id = ${user.id}`.execute(db)
  expect(rows[0]!.payload).toMatchObject({ unit: 'speech', limit: null, amount: 1, feature: 'text-to-voice', budget_microusd: 100_000 })
  // The plan's budget for images does not open speech any further.
  const images = { tier: 'basic', status: 'active', limits: JSON.stringify({ images: 150 }), budget_microusd: 20_000_000 }
  await insert(db, 'entitlements', { user_id: user.id, ...images, period_start: new Date(), version: 1 })
  await insert(db, 'usage_counters', {
    ...{ user_id: user.id, unit: 'speech', used: 1, reserved: 0, cost_used: 2_999_999, cost_reserved: 0 },
    period_start: (await db.selectFrom('entitlements').select('period_start').where('user_id', '=', user.id).executeTakeFirst())
      .period_start,
  })
  const refused = await call(user, 'text-to-voice', { text: 'Two.' })
  expect([refused.status, refused.body.code]).toEqual([402, 'limit_budget'])
  expect((await truthOf(user, 'speech')).length).toBe(1)
})

test('an uploaded recording is transcribed for its owner alone', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const { body } = await call(ann, 'text-to-voice', { text: 'Welcome to the show.' })
  const audio = Buffer.from(body.audioContent, 'base64')
  const id = await platform.upload(ann, audio)
  expect((await call(ann, 'transcribe-file', { file_id: id })).body).toMatchObject({ text: 'Welcome to the show.' })
  expect((await call(bob, 'transcribe-file', { file_id: id })).status).toBe(404)
  expect((await call(ann, 'transcribe-file', { file_id: newId() })).status).toBe(404)
})
