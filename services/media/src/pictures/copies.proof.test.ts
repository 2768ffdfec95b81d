import { fileContracts, pictureCopy } from '@operon/contracts/files'
import { readPicture } from '@operon/contracts/media/events'
import { mountPictureCopies } from '@operon/kit/files/copy'
import { mountFiles } from '@operon/kit/files/mount'
import { fileTables } from '@operon/kit/files/schema'
import type { ServiceDefinition } from '@operon/kit/service'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { imageSize } from 'image-size'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { mediaService } from '../service.ts'

/** Any service that keeps files of people, as marketplace does. */
const keeper: ServiceDefinition = {
  name: 'marketplace',
  config: z.object({}),
  migrations: { '0001_files': fileTables },
  setup(rt) {
    mountFiles(rt, fileContracts('marketplace'))
    mountPictureCopies(rt, pictureCopy('marketplace'))
  },
}
const platform = await startTestPlatform([mediaService, keeper, sandboxService], { SANDBOX_MODEL_PACE_MS: '0' })
afterAll(() => platform.close())

async function call(service: string, user: TestUser, name: string, body: object) {
  const response = await fetch(`${platform.url(service)}/functions/v1/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...user.headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as any }
}
const filesOf = (user: TestUser) =>
  platform.services.marketplace!.rt.db.selectFrom('files').selectAll().where('user_id', '=', user.id).execute() as Promise<any[]>

test('a picture becomes a file of another service: its own copy, in its quota, that outlives the picture [spec-84]', async () => {
  const user = platform.user()
  const { picture_id } = (await call('media', user, 'generate-image', { prompt: 'a red bicycle' })).body
  const copy = await call('marketplace', user, 'marketplace-file-from-picture', { picture_id, width: 640 })
  expect(copy.status, JSON.stringify(copy.body)).toBe(200)
  expect(copy.body).toMatchObject({ name: 'a-red-bicycle.webp', bytes: expect.any(Number) })
  const [file] = await filesOf(user)
  expect(file).toMatchObject({ id: copy.body.file_id, type: 'image/webp', state: 'ready', bytes: copy.body.bytes })
  await call('media', user, 'delete-image', { picture_id })
  const stored = await platform.services.marketplace!.rt.storage.get(file.key)
  expect(imageSize(Buffer.concat(await stored.body.toArray()))).toMatchObject({ width: 640, height: 640, type: 'webp' })
})

test('a picture of somebody else, and one that is gone, is copied nowhere and takes no space', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const { picture_id } = (await call('media', ann, 'generate-image', { prompt: 'a boat' })).body
  expect((await call('marketplace', bob, 'marketplace-file-from-picture', { picture_id })).status).toBe(404)
  await call('media', ann, 'delete-image', { picture_id })
  expect((await call('marketplace', ann, 'marketplace-file-from-picture', { picture_id })).status).toBe(404)
  expect([...(await filesOf(ann)), ...(await filesOf(bob))]).toEqual([])
})

test('a picture is changed as a sentence says: a new one beside the old one, by a model that can see it', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const { picture_id } = (await call('media', ann, 'generate-image', { prompt: 'a house' })).body
  const edited = await call('media', ann, 'edit-image', { picture_id, prompt: 'make the roof red' })
  expect(edited.status, JSON.stringify(edited.body)).toBe(200)
  const { pictures } = (await call('media', ann, 'list-images', {})).body
  expect(pictures.map(({ id, from_id }: any) => [id, from_id])).toEqual([
    [edited.body.picture_id, picture_id],
    [picture_id, null],
  ])
  expect((await call('media', ann, 'edit-image', { picture_id, prompt: 'x', model: 'flux' })).body.code).toBe('image_no_source')
  expect((await call('media', bob, 'edit-image', { picture_id, prompt: 'x' })).status).toBe(404)
})

test('a piece begins at any offset, so that a large picture crosses in several', async () => {
  const user = platform.user()
  const { picture_id } = (await call('media', user, 'generate-image', { prompt: 'a cat' })).body
  const { rt } = platform.services.marketplace!
  const ask = (offset: number) => rt.ask(readPicture, { picture_id, offset }, { actor: { kind: 'user', id: user.id } as never })
  const whole = await ask(0)
  const rest = await ask(1000)
  expect([rest.sha256, rest.bytes]).toEqual([whole.sha256, whole.bytes])
  expect(Buffer.from(whole.piece, 'base64').subarray(1000)).toEqual(Buffer.from(rest.piece, 'base64'))
})
