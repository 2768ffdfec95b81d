import { imageSizes } from '@operon/contracts/media/images'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { imageSize } from 'image-size'
import { afterAll, expect, test } from 'vitest'
import { mediaService } from '../service.ts'

const platform = await startTestPlatform([mediaService, sandboxService], { SANDBOX_MODEL_PACE_MS: '0', MEDIA_CIRCUIT_FAILURES: '1000' })
const db: any = platform.services.media!.rt.db
afterAll(() => platform.close())

const call = (user: TestUser | null, name: string, body: object = {}, headers: Record<string, string> = {}) =>
  platform.call(name, user, body, headers)
const here = (url: string) => url.replace('http://localhost:8080', platform.url('media'))
const open = (url: string, headers = {}) => fetch(here(url), { headers })
async function bytesOf(url: string, headers = {}) {
  const response = await open(url, headers)
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}
const order = (user: TestUser, fault: object) => platform.fault({ provider: 'openai', account: user.id, ...fault })
const truthOf = async (user: TestUser): Promise<any[]> => {
  const answer: any = await (await fetch(`${platform.url('sandbox')}/sandbox/api/truth?kind=image`)).json()
  return answer.truth.filter(({ account }: any) => account === user.id)
}
async function usageOf(user: TestUser) {
  const row = await db
    .selectFrom('usage_counters')
    .select(['used', 'reserved', 'cost_reserved'])
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  return row ? [row.used, row.reserved, row.cost_reserved] : [0, 0, 0]
}
async function ended(user: TestUser, ids: string[]): Promise<any[]> {
  let found: any[] = []
  await expect
    .poll(
      async () => {
        found = (await call(user, 'find-images', { ids })).body.pictures
        return found.every(({ state }) => ['done', 'failed', 'cancelled'].includes(state))
      },
      { timeout: 20_000 },
    )
    .toBe(true)
  return found
}

test('a picture is answered in the three shapes, kept as a file, and counted once [spec-82]', async () => {
  const user = platform.user()
  const { status, body } = await call(user, 'generate-image', {
    prompt: 'a red bicycle',
    model: 'gpt-image-1',
    size: '1024x1024',
    quality: 'high',
  })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({ images: [body.image], data: [{ url: body.image }], answered_by: 'gpt-image-2.6-flare', sandbox: true })
  expect(imageSize(await bytesOf(body.image))).toMatchObject({ width: 1024, height: 1024, type: 'png' })
  expect(await usageOf(user)).toEqual([1, 0, 0])
  const [file] = await db.selectFrom('files').selectAll().where('user_id', '=', user.id).execute()
  expect(file).toMatchObject({ id: body.picture_id, name: 'a-red-bicycle.png', type: 'image/png', state: 'ready' })
  const space = await db.selectFrom('file_usage').select('bytes').where('user_id', '=', user.id).executeTakeFirst()
  expect(space.bytes).toBe(file.bytes)
  expect((await truthOf(user)).length).toBe(1)
})

test('every size of every model is exactly that size [spec-81]', { timeout: 60_000 }, async () => {
  const user = platform.user()
  await insert(db, 'entitlements', {
    user_id: user.id,
    tier: 'pro',
    status: 'active',
    limits: JSON.stringify({ images: 200 }),
    period_start: new Date(),
    version: 1,
  })
  for (const model of ['gpt-image-1', 'dalle-3', 'gemini', 'flux'])
    for (const size of imageSizes) {
      const { body } = await call(user, 'generate-image', { prompt: 'a house', model, size })
      const { width, height } = imageSize(await bytesOf(body.image))
      expect([model, size, `${width}x${height}`]).toEqual([model, size, size])
    }
})

test('gemini-image is called by itself [spec-82]', async () => {
  const { status, body } = await call(platform.user(), 'gemini-image', { prompt: 'a cat', model: 'gemini' })
  expect([status, body.model, body.answered_by]).toEqual([200, 'gemini', 'gemini-2.5-flash-image'])
  expect(imageSize(await bytesOf(body.image)).width).toBe(1024)
})

test('four at once are four jobs; where the model cannot draw, Gemini does, and each counts once [spec-82]', async () => {
  const user = platform.user()
  await order(user, { kind: 'status', status: 500, times: 0, match: 'gpt-image' })
  const { body } = await call(user, 'start-images', { prompt: 'a dog', count: 4 })
  expect(body.pictures.map(({ state, url }: any) => [state, url])).toEqual(Array(4).fill(['queued', null]))
  const done = await ended(
    user,
    body.pictures.map(({ id }: any) => id),
  )
  expect(done.map(({ state, model, used_model, answered_by }) => [state, model, used_model, answered_by])).toEqual(
    Array(4).fill(['done', 'gpt-image-1', 'gemini', 'gemini-2.5-flash-image']),
  )
  expect(await usageOf(user)).toEqual([4, 0, 0])
})

test('where nobody can draw, nothing is kept and nothing is charged, and it can be made again [spec-83]', async () => {
  const user = platform.user()
  await order(user, { kind: 'status', status: 500, times: 2 })
  const { body } = await call(user, 'start-images', { prompt: 'a dog' })
  const [failed] = await ended(user, [body.pictures[0].id])
  expect([failed.state, failed.problem.code, failed.url]).toEqual(['failed', 'image_failed', null])
  expect(await usageOf(user)).toEqual([0, 0, 0])
  expect(await db.selectFrom('files').select('id').where('user_id', '=', user.id).execute()).toEqual([])
  const again = await call(user, 'retry-image', { picture_id: failed.id })
  expect((await ended(user, [again.body.id]))[0].state).toBe('done')
  expect(await usageOf(user)).toEqual([1, 0, 0])
})

test('an answer without a picture, and a refusal, say so and charge nothing', async () => {
  const user = platform.user()
  await order(user, { kind: 'empty_choices', times: 1 })
  const empty = await call(user, 'generate-image', { prompt: 'a dog' })
  expect([empty.status, empty.body.code]).toEqual([502, 'image_empty'])
  const refused = await call(user, 'generate-image', { prompt: 'gore', fallback: true })
  expect([refused.status, refused.body.code]).toEqual([400, 'image_refused'])
  expect(await usageOf(user)).toEqual([0, 0, 0])
})

test('the last image of a plan is spent once, and a batch is taken whole or not at all', async () => {
  const user = platform.user()
  const all = await Promise.all(Array.from({ length: 8 }, () => call(user, 'start-images', { prompt: 'a cup', count: 1 })))
  expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 402, 402, 402])
  expect((await call(user, 'start-images', { prompt: 'a cup', count: 2 })).body.code).toBe('limit_images')
  await ended(
    user,
    all.filter(({ status }) => status === 200).map(({ body }) => body.pictures[0].id),
  )
  expect(await usageOf(user)).toEqual([5, 0, 0])
})

test('a picture that is stopped charges nothing and leaves no file [spec-82]', async () => {
  const user = platform.user()
  await order(user, { kind: 'slow_headers', ms: 1500, times: 1 })
  const { body } = await call(user, 'start-images', { prompt: 'a boat' })
  const { id } = body.pictures[0]
  await expect.poll(async () => (await call(user, 'find-images', { ids: [id] })).body.pictures[0].state).toBe('running')
  expect((await call(user, 'cancel-image', { picture_id: id })).body).toEqual({ cancelled: true })
  expect((await call(user, 'cancel-image', { picture_id: id })).body).toEqual({ cancelled: false })
  expect(await usageOf(user)).toEqual([0, 0, 0])
  await expect.poll(() => db.selectFrom('lane_items').select('id').where('tenant', '=', user.id).execute()).toEqual([])
  expect(await platform.services.media!.rt.storage.list(`pictures/${user.id}/`)).toEqual([])
})

test('who waits for a picture that is erased meanwhile is told that there is none', async () => {
  const user = platform.user()
  await order(user, { kind: 'slow_headers', ms: 1500, times: 1 })
  const waiting = call(user, 'generate-image', { prompt: 'a boat' })
  await expect
    .poll(() => db.selectFrom('pictures').select('state').where('user_id', '=', user.id).execute())
    .toEqual([{ state: 'running' }])
  await db.deleteFrom('pictures').where('user_id', '=', user.id).execute()
  expect((await waiting).body.code).toBe('not_found')
})

test('the gallery is found by words, saved ones apart, page by page, and one person never sees or changes what is another’s [spec-84]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const made = []
  for (const prompt of ['a red bicycle', 'a blue boat', 'two red boats'])
    made.push((await call(ann, 'generate-image', { prompt })).body.picture_id)
  const list = async (body: object, user = ann) => (await call(user, 'list-images', body)).body.pictures.map(({ prompt }: any) => prompt)
  expect(await list({ q: 'red' })).toEqual(['two red boats', 'a red bicycle'])
  expect(await list({ q: "boa 'x' & |" })).toEqual([])
  expect(await list({ q: 'boa' })).toEqual(['two red boats', 'a blue boat'])
  const first = await call(ann, 'list-images', { limit: 2 })
  expect(await list({ limit: 2, after: first.body.next })).toEqual(['a red bicycle'])
  await call(ann, 'save-image', { picture_id: made[1], saved: true })
  expect(await list({ saved: true })).toEqual(['a blue boat'])
  expect(await list({}, bob)).toEqual([])
  for (const name of ['save-image', 'share-image', 'retry-image'])
    expect((await call(bob, name, { picture_id: made[0], saved: true })).status, name).toBe(404)
  expect((await call(bob, 'delete-image', { picture_id: made[0] })).body).toEqual({ deleted: false })
  expect((await call(bob, 'start-images', { prompt: 'x', from_id: made[0] })).body.code).toBe('image_variation')
  expect((await call(bob, 'start-images', { prompt: 'x', reference_ids: [newId()] })).body.code).toBe('image_variation')
  expect((await call(ann, 'image-stats')).body).toMatchObject({ total: 3, this_month: 3, saved: 1 })
})

test('a file comes as it was made, as WebP and JPEG, and in a smaller size, to its owner alone [spec-84]', async () => {
  const user = platform.user()
  const { picture_id } = (await call(user, 'generate-image', { prompt: 'a tree', size: '1024x768' })).body
  const at = `${platform.url('media')}/files/v1/media/~pictures/${picture_id}`
  for (const [query, type, width, height] of [
    ['', 'png', 1024, 768],
    ['?format=png&width=512', 'png', 512, 384],
    ['?format=webp', 'webp', 1024, 768],
    ['?format=jpeg&width=300', 'jpg', 300, 225],
    ['?format=png&width=4000', 'png', 1024, 768],
  ] as const)
    expect(imageSize(await bytesOf(at + query, user.headers)), query).toMatchObject({ type, width, height })
  expect((await fetch(at, { headers: platform.user().headers })).status).toBe(404)
  expect((await fetch(at)).status).toBe(401)
})

test('a public link is one and the same until it is revoked; then page and file are gone at once [spec-84]', async () => {
  const user = platform.user()
  const { picture_id } = (await call(user, 'generate-image', { prompt: 'a rocket' })).body
  const { url } = (await call(user, 'share-image', { picture_id })).body
  expect((await call(user, 'share-image', { picture_id })).body.url).toBe(url)
  const token = url.split('/').at(-1)
  const shared = await call(null, 'shared-image', { token })
  expect(shared.body).toMatchObject({ width: 1024, height: 1024 })
  expect(JSON.stringify(shared.body)).not.toContain('rocket')
  const file = await open(shared.body.url)
  expect([file.status, file.headers.get('cache-control'), file.headers.get('content-type')]).toEqual([200, 'no-store', 'image/png'])
  const forged = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
  expect((await call(null, 'shared-image', { token: forged })).status).toBe(404)
  expect((await call(user, 'unshare-image', { picture_id })).body).toEqual({ revoked: true })
  expect([(await call(null, 'shared-image', { token })).status, (await open(shared.body.url)).status]).toEqual([404, 404])
  const next = (await call(user, 'share-image', { picture_id })).body.url
  expect(next).not.toBe(url)
  expect((await call(null, 'shared-image', { token })).status).toBe(404)
  // A deleted picture takes its link with it, and brings none back.
  await call(user, 'delete-image', { picture_id })
  expect((await call(null, 'shared-image', { token: next.split('/').at(-1) })).status).toBe(404)
  expect((await call(user, 'restore-image', { picture_id })).body).toEqual({ restored: true })
  expect((await call(null, 'shared-image', { token: next.split('/').at(-1) })).status).toBe(404)
})

test('a call that died finds its picture by its key and makes no second one', async () => {
  const user = platform.user()
  const key = newId()
  const asked = { prompt: 'a robot', size: '512x512' }
  const [one, two] = await Promise.all([
    call(user, 'generate-image', asked, { 'idempotency-key': key }),
    call(user, 'generate-image', asked, { 'idempotency-key': key }),
  ])
  // The answer of the first is lost with its process.
  await db.deleteFrom('idempotency_keys').where('key', '=', key).execute()
  const again = await call(user, 'generate-image', asked, { 'idempotency-key': key })
  const ids = [one, two, again].filter(({ status }) => status === 200).map(({ body }) => body.picture_id)
  expect(new Set(ids).size).toBe(1)
  expect(await usageOf(user)).toEqual([1, 0, 0])
  expect((await truthOf(user)).length).toBe(1)
})
