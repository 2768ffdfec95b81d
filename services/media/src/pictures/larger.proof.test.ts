import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestPlatform, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { imageSize } from 'image-size'
import { afterAll, expect, test } from 'vitest'
import { mediaService } from '../service.ts'

const platform = await startTestPlatform([mediaService, sandboxService], { SANDBOX_MODEL_PACE_MS: '0', MEDIA_CIRCUIT_FAILURES: '1000' })
const db: any = platform.services.media!.rt.db
afterAll(() => platform.close())

const call = (at: TestPlatform, user: TestUser, name: string, body: object = {}) => at.call(name, user, body)
const here = (url: string) => url.replace('http://localhost:8080', platform.url('media'))
const made = async (user: TestUser, size = '1024x768') =>
  (await call(platform, user, 'generate-image', { prompt: 'a red bicycle', size })).body.picture_id as string
async function ended(user: TestUser, id: string): Promise<any> {
  let found: any
  const look = async () => {
    found = (await call(platform, user, 'find-images', { ids: [id] })).body.pictures[0]
    return found.state
  }
  await expect.poll(look, { timeout: 20_000 }).toMatch(/done|failed/)
  return found
}
const used = async (user: TestUser) =>
  (await db.selectFrom('usage_counters').select(['used', 'reserved']).where('user_id', '=', user.id).executeTakeFirst()) ?? null

test('a picture is enlarged by the model that can: exactly twice as large, beside the earlier one, one image charged [spec-81]', async () => {
  const user = platform.user()
  const id = await made(user)
  const { pictures } = (await call(platform, user, 'find-images', { ids: [id] })).body
  expect(pictures[0].enlarges_to).toBe('2048x1536')
  const begun = await call(platform, user, 'upscale-image', { picture_id: id })
  expect([begun.status, begun.body.state, begun.body.size, begun.body.from_id]).toEqual([200, 'queued', '2048x1536', id])
  const larger = await ended(user, begun.body.id)
  expect(larger).toMatchObject({ state: 'done', model: 'esrgan', answered_by: 'fal-ai/esrgan', prompt: 'a red bicycle', enlarges_to: null })
  const file = new Uint8Array(await (await fetch(here(larger.url))).arrayBuffer())
  expect(imageSize(file)).toMatchObject({ width: 2048, height: 1536, type: 'png' })
  expect(await used(user)).toEqual({ used: 2, reserved: 0 })
  expect((await call(platform, user, 'upscale-image', { picture_id: larger.id })).body.code).toBe('image_no_upscale')
})

test('what could not be enlarged is drawn by nobody else and costs nothing; another person has nothing to enlarge', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const id = await made(ann)
  await platform.fault({ provider: 'openai', account: ann.id, kind: 'status', status: 500, times: 1, match: 'esrgan' })
  const { body } = await call(platform, ann, 'upscale-image', { picture_id: id })
  expect(await ended(ann, body.id)).toMatchObject({ state: 'failed', used_model: 'esrgan', problem: { code: 'image_failed' } })
  expect(await used(ann)).toEqual({ used: 1, reserved: 0 })
  const again = await call(platform, ann, 'retry-image', { picture_id: body.id })
  expect((await ended(ann, again.body.id)).size).toBe('2048x1536')
  expect((await call(platform, bob, 'upscale-image', { picture_id: id })).status).toBe(404)
})

test('where one server stands for all providers it draws and edits as far as it can, and nothing is offered to enlarge', async () => {
  const cat = (await call(platform, platform.user(), 'generate-image', { prompt: 'a cat' })).body.image
  const b64_json = Buffer.from(await (await fetch(here(cat))).arrayBuffer()).toString('base64')
  const asked: [url: string | undefined, type: string | undefined][] = []
  let edits = true
  const server = createServer((request, response) => {
    asked.push([request.url, request.headers['content-type']?.split(';')[0]])
    const has = edits || !request.url!.endsWith('/edits')
    response.writeHead(has ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(has ? { data: [{ b64_json }] } : { error: { message: 'Not Found' } }))
  }).listen(0)
  const AI_IMAGE_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const alone = await startTestPlatform([mediaService], { AI_IMAGE_BASE_URL, AI_IMAGE_MODEL: 'some-model' })
  try {
    const user = alone.user()
    const { picture_id } = (await call(alone, user, 'generate-image', { prompt: 'a cat' })).body
    const { pictures } = (await call(alone, user, 'list-images')).body
    expect([pictures[0].id, pictures[0].enlarges_to]).toEqual([picture_id, null])
    expect((await call(alone, user, 'upscale-image', { picture_id })).body.code).toBe('image_no_upscale')
    const edit = () => call(alone, user, 'edit-image', { picture_id, prompt: 'with a hat' })
    expect((await edit()).status).toBe(200)
    edits = false
    for (let times = 0; times < 2; times++) expect((await edit()).body.code).toBe('image_no_source')
    // The second was refused before the server was asked.
    expect(asked).toEqual([
      ['/images/generations', 'application/json'],
      ['/images/edits', 'multipart/form-data'],
      ['/images/edits', 'multipart/form-data'],
    ])
    const counted = await (alone.services.media!.rt.db as any).selectFrom('usage_counters').select(['used', 'reserved']).execute()
    expect(counted).toEqual([{ used: 2, reserved: 0 }])
  } finally {
    await alone.close()
    server.close()
  }
})

test('a public address shows a copy that outlives its picture, is the same when asked again, and ends with its file [spec-84]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const id = await made(ann, '1920x1080')
  const { status, body } = await call(platform, ann, 'publish-image', { picture_id: id })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({ width: 1200, height: 675, alt: 'a red bicycle', url: expect.stringMatching(/~public\/[0-9a-f-]{36}\.jpg$/) })
  const both = await Promise.all([1, 2].map(() => call(platform, ann, 'publish-image', { picture_id: id })))
  expect(both.map((each) => each.body.url)).toEqual([body.url, body.url])
  expect((await call(platform, bob, 'publish-image', { picture_id: id })).status).toBe(404)
  await call(platform, ann, 'delete-image', { picture_id: id })
  const shown = await fetch(here(body.url))
  expect([shown.status, shown.headers.get('content-type'), shown.headers.get('cache-control')]).toEqual([
    200,
    'image/jpeg',
    'public, max-age=31536000, immutable',
  ])
  expect(imageSize(new Uint8Array(await shown.arrayBuffer()))).toMatchObject({ width: 1200, height: 675, type: 'jpg' })
  const { files } = (await call(platform, ann, 'media-files')).body
  expect(files.map(({ id, name, kept }: any) => [id, name, kept])).toEqual([[body.file_id, 'a-red-bicycle (public).jpg', false]])
  const gone = await fetch(`${platform.url('media')}/files/v1/media/~uploads/${body.file_id}`, { method: 'DELETE', headers: ann.headers })
  expect(gone.status).toBe(204)
  expect((await fetch(here(body.url))).status).toBe(404)
  expect((await fetch(here(body.url.replace(body.file_id, 'x')))).status).toBe(404)
})

test('an upload is shown without what stood beside its pixels, and one that is no picture is refused', async () => {
  const user = platform.user()
  const upload = (bytes: Uint8Array, filename: string) => platform.upload(user, bytes, { filename })
  const picture = new Uint8Array(
    await (await fetch(here((await call(platform, user, 'generate-image', { prompt: 'a cat' })).body.image))).arrayBuffer(),
  )
  const polyglot = Buffer.concat([picture, Buffer.from('<script>alert(1)</script>')])
  const { body } = await call(platform, user, 'publish-image', { file_id: await upload(polyglot, 'cat.png') })
  const shown = Buffer.from(await (await fetch(here(body.url))).arrayBuffer())
  expect([shown.subarray(0, 3).toString('hex'), shown.includes('<script>')]).toEqual(['ffd8ff', false])
  const page = await upload(Buffer.from('<html><script>alert(1)</script>'), 'cat.png')
  expect((await call(platform, user, 'publish-image', { file_id: page })).body.code).toBe('image_unreadable')
  expect((await call(platform, user, 'publish-image', {})).status).toBe(400)
})
