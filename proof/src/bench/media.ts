import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@operon/deploy/postgres'
import { loadDefinitions } from '@operon/deploy/services'
import { startTestPlatform, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'

// How long a person waits for pictures and speech: until an order is visible, for a gallery of ten thousand, for the first sound, and for a resize.

const GALLERY = 10_000
const MOST = { visibleMs: 200, galleryMs: 100, soundMs: 600 }
const at = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
const line = (name: string, times: number[], most?: number) =>
  console.log(
    `${name.padEnd(44)} p50 ${at(times, 0.5).toFixed(0).padStart(5)} ms   p95 ${at(times, 0.95).toFixed(0).padStart(5)} ms` +
      (most ? `   at most ${most} ms: ${at(times, 0.95) <= most ? 'holds' : 'MISSED'}` : ''),
  )

export async function bench({ short }: { short: boolean }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-media-'))
  chmodSync(folder, 0o755)
  const postgres = await startPostgres({ dataDir: join(folder, 'pg') })
  process.env.OPERON_TEST_PG = postgres.url
  const definitions = (await loadDefinitions()).filter(({ name }) => name === 'media' || name === 'sandbox')
  const platform = await startTestPlatform(definitions, { SANDBOX_MODEL_PACE_MS: '10', LOG_LEVEL: 'error' })
  try {
    const user = platform.user()
    await unlimited(platform, user)
    await visible(platform, user, short ? 15 : 60)
    await gallery(platform, short ? 40 : 200)
    await sound(platform, user, short ? 15 : 60)
    await resize(platform, user, short ? 10 : 40)
  } finally {
    await platform.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}
async function repeat(times: number, work: (n: number) => Promise<unknown>): Promise<number[]> {
  await work(-1)
  const all: number[] = []
  for (let n = 0; n < times; n++) all.push(await timed(() => work(n)))
  return all
}
async function call(platform: TestPlatform, user: TestUser, name: string, body: object) {
  const headers = { 'content-type': 'application/json', ...user.headers }
  const response = await fetch(`${platform.url('media')}/functions/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`)
  return (await response.json()) as any
}

const unlimited = (platform: TestPlatform, { id }: TestUser) =>
  sql`
    insert into entitlements (user_id, tier, status, limits, period_start, version)
    values (${id}, 'enterprise', 'active', '{}', now(), 1)`.execute(platform.services.media!.rt.db)

/** From the press of the button to the job in the list of what is being made. */
async function visible(platform: TestPlatform, user: TestUser, times: number) {
  const taken: number[] = []
  for (let n = -1; n < times; n++) {
    let id = ''
    const took = await timed(async () => {
      const { pictures } = await call(platform, user, 'start-images', { prompt: 'a red bicycle', size: '512x512' })
      id = pictures[0].id
      const { pictures: found } = await call(platform, user, 'find-images', { ids: [id] })
      if (found.length !== 1) throw new Error('an order that is not visible')
    })
    if (n >= 0) taken.push(took)
    await call(platform, user, 'cancel-image', { picture_id: id })
  }
  line('an order is visible', taken, MOST.visibleMs)
}

async function gallery(platform: TestPlatform, times: number) {
  const user = platform.user()
  await sql`
    insert into pictures (id, user_id, batch_id, state, prompt, model, used_model, size, width, height, may_fall_back, reservation_id, percent, finished_at)
    select uuidv7(), ${user.id}, gen_random_uuid(), 'done', 'A picture of a ' || (array['bicycle', 'boat', 'house', 'cat'])[1 + n % 4] || ' ' || n,
      'gemini', 'gemini', '1024x1024', 1024, 1024, false, gen_random_uuid(), 100, now() from generate_series(1, ${GALLERY}) n`.execute(
    platform.services.media!.rt.db,
  )
  let after: string | null = null
  const pages = await repeat(times, async () => {
    const { next } = await call(platform, user, 'list-images', { after })
    after = next
  })
  line(`a page of ${GALLERY.toLocaleString('en-US')} pictures, one after another`, pages, MOST.galleryMs)
  line(
    'the same by a word of the prompt',
    await repeat(times, (n) => call(platform, user, 'list-images', { q: ['boat', 'house', 'bicy'][n % 3] })),
    MOST.galleryMs,
  )
}

async function sound(platform: TestPlatform, user: TestUser, times: number) {
  const say = (text: string) => async () => {
    const response = await fetch(`${platform.url('media')}/ai/v1/audio/speech`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...user.headers },
      body: JSON.stringify({ model: 'tts-1', voice: 'nova', input: text }),
    })
    const reader = response.body!.getReader()
    await reader.read()
    // Heard to its end, outside of what is measured by the next one.
    void (async () => {
      while (!(await reader.read()).done);
    })()
  }
  line(
    'the first sound of a new text',
    await repeat(times, (n) => say(`${'This is read aloud for somebody who listens. '.repeat(12)}${n}`)()),
    MOST.soundMs,
  )
  line('the first sound of a text that was read before', await repeat(times, say('Good morning.')), MOST.soundMs)
}

/** A picture as its owner downloads it: unpacked, scaled, encoded. */
async function resize(platform: TestPlatform, user: TestUser, times: number) {
  const { picture_id } = await call(platform, user, 'generate-image', { prompt: 'a house', size: '1920x1080' })
  const open = async (query: string) => {
    const response = await fetch(`${platform.url('media')}/files/v1/media/~pictures/${picture_id}?${query}`, { headers: user.headers })
    return response.arrayBuffer()
  }
  line('a download at half the width, as WebP', await repeat(times, () => open('format=webp&width=960')))
  const before = process.cpuUsage()
  for (let n = 0; n < times; n++) await open('format=webp&width=960')
  const { user: own, system } = process.cpuUsage(before)
  console.log(`${'processor time of one such download'.padEnd(44)} ${((own + system) / 1000 / times).toFixed(0).padStart(9)} ms`)
}
