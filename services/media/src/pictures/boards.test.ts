import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { mediaService } from '../service.ts'

const platform = await startTestPlatform([mediaService, sandboxService], { SANDBOX_MODEL_PACE_MS: '0' })
const db: any = platform.services.media!.rt.db
afterAll(() => platform.close())

const call = (user: TestUser, name: string, body: object = {}) => platform.call(name, user, body)
const made = async (user: TestUser, prompt: string) => (await call(user, 'generate-image', { prompt, size: '512x512' })).body.picture_id
const on = async (user: TestUser, board_id: string, more: object = {}) =>
  (await call(user, 'list-images', { board_id, ...more })).body.pictures.map(({ prompt }: any) => prompt)

test('a picture is put on boards, found there, taken off and back; nobody else has to do with them [spec-84]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const [bicycle, boat] = [await made(ann, 'a red bicycle'), await made(ann, 'a boat')]
  const { board_id } = (await call(ann, 'create-board', { name: 'Spring' })).body
  expect((await call(ann, 'create-board', { name: 'spring' })).body.code).toBe('board_exists')
  const { board_id: other } = (await call(ann, 'create-board', { name: 'Autumn' })).body
  for (const id of [bicycle, boat, bicycle])
    expect((await call(ann, 'put-on-board', { board_id, picture_id: id })).body).toEqual({ on: true })
  await call(ann, 'put-on-board', { board_id: other, picture_id: boat })
  expect(await on(ann, board_id)).toEqual(['a boat', 'a red bicycle'])
  expect(await on(ann, board_id, { q: 'bicycle' })).toEqual(['a red bicycle'])
  expect((await call(ann, 'boards-of-image', { picture_id: boat })).body.board_ids.toSorted()).toEqual([board_id, other].toSorted())
  const { boards } = (await call(ann, 'list-boards')).body
  expect(boards.map(({ name, pictures }: any) => [name, pictures])).toEqual([
    ['Autumn', 1],
    ['Spring', 2],
  ])
  expect((await fetch(boards[0].cover_url.replace('http://localhost:8080', platform.url('media')))).status).toBe(200)

  // Neither a stranger's board nor a stranger's picture.
  const { board_id: hers } = (await call(bob, 'create-board', { name: 'Mine' })).body
  const bobs = await made(bob, 'a cat')
  for (const [user, asked] of [
    [bob, { board_id, picture_id: bobs }],
    [bob, { board_id: hers, picture_id: boat }],
    [ann, { board_id: hers, picture_id: boat }],
  ] as const)
    expect((await call(user, 'put-on-board', asked)).status).toBe(404)
  expect(await on(bob, board_id)).toEqual([])
  expect((await call(bob, 'rename-board', { board_id, name: 'x' })).status).toBe(404)
  expect((await call(bob, 'delete-board', { board_id })).body.deleted).toBe(false)
  expect((await call(bob, 'boards-of-image', { picture_id: boat })).body.board_ids).toEqual([])

  await call(ann, 'put-on-board', { board_id, picture_id: boat, on: false })
  expect(await on(ann, board_id)).toEqual(['a red bicycle'])
  expect((await call(ann, 'rename-board', { board_id, name: 'AUTUMN' })).body.code).toBe('board_exists')
  expect((await call(ann, 'rename-board', { board_id, name: 'Summer' })).body).toEqual({ name: 'Summer' })
  // A picture that is deleted is on no board until it is brought back.
  await call(ann, 'delete-image', { picture_id: bicycle })
  expect(await on(ann, board_id)).toEqual([])
  expect((await call(ann, 'list-boards')).body.boards[1].pictures).toBe(0)
  await call(ann, 'restore-image', { picture_id: bicycle })
  expect(await on(ann, board_id)).toEqual(['a red bicycle'])

  await call(ann, 'delete-board', { board_id })
  expect(await on(ann, board_id)).toEqual([])
  expect((await call(ann, 'boards-of-image', { picture_id: bicycle })).body.board_ids).toEqual([])
  expect((await call(ann, 'list-images')).body.pictures).toHaveLength(2)
  expect((await call(bob, 'restore-board', { board_id })).body.restored).toBe(false)
  expect((await call(ann, 'restore-board', { board_id })).body.restored).toBe(true)
  expect(await on(ann, board_id)).toEqual(['a red bicycle'])
})

test('an account has 100 boards at most, however many are made at once', async () => {
  const user = platform.user()
  await sql`insert into boards (id, user_id, name) select gen_random_uuid(), ${user.id}, 'Board ' || n from generate_series(1, 98) n`.execute(
    db,
  )
  const all = await Promise.all(['a', 'b', 'c', 'd'].map((name) => call(user, 'create-board', { name })))
  expect(all.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409])
})
