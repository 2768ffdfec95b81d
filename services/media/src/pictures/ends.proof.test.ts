import { userDeleted } from '@operon/contracts/identity/events'
import { sweepPictures } from '@operon/contracts/media/events'
import { exportUser } from '@operon/contracts/personal-data'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { mediaService } from '../service.ts'

const platform = await startTestPlatform([mediaService, sandboxService], {
  SANDBOX_MODEL_PACE_MS: '0',
  MEDIA_CIRCUIT_FAILURES: '1000',
  MEDIA_LEASE_MS: '4000',
})
const db: any = platform.services.media!.rt.db
afterAll(() => platform.close())

const call = async (user: TestUser, name: string, body: object = {}) => (await platform.call(name, user, body)).body
const order = (user: TestUser, fault: object) => platform.fault({ provider: 'openai', account: user.id, ...fault })
const stateOf = (id: string) => db.selectFrom('pictures').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
async function paintedFor(user: TestUser): Promise<number> {
  const answer: any = await (await fetch(`${platform.url('sandbox')}/sandbox/api/truth?kind=image`)).json()
  return answer.truth.filter(({ account }: any) => account === user.id).length
}
const usedBy = async (user: TestUser) =>
  (await db.selectFrom('usage_counters').select(['used', 'reserved']).where('user_id', '=', user.id).execute()).map(
    ({ used, reserved }: any) => [used, reserved],
  )
/** Its worker is thought dead: another one may take the picture. */
const overtake = (id: string) =>
  sql`
    with given as (update lane_items set leased_until = null where id = ${id} returning lane, tenant)
    update tenant_lanes t set next_at = now() from given where t.lane = given.lane and t.tenant = given.tenant`.execute(db)

test('a picture whose worker was overtaken is found at its provider, kept once and charged once [spec-82]', async () => {
  const user = platform.user()
  // The first worker waits for an answer that comes late.
  await order(user, { kind: 'slow_headers', ms: 3000, match: '/status', times: 1 })
  const { pictures } = await call(user, 'start-images', { prompt: 'a boat', model: 'flux' })
  const { id } = pictures[0]
  await expect.poll(async () => (await stateOf(id)).provider_ref, { timeout: 10_000 }).not.toBeNull()
  const { fence } = await stateOf(id)
  await overtake(id)
  await expect.poll(async () => (await stateOf(id)).state, { timeout: 15_000 }).toBe('done')
  expect((await stateOf(id)).fence).toBeGreaterThan(fence)
  // The one that comes late changes nothing.
  await new Promise((resolve) => setTimeout(resolve, 3500))
  expect([await paintedFor(user), await usedBy(user)]).toEqual([1, [[1, 0]]])
  expect(await db.selectFrom('files').select('id').where('user_id', '=', user.id).execute()).toEqual([{ id }])
  expect(await platform.services.media!.rt.storage.list(`pictures/${user.id}/`)).toHaveLength(1)
})

test('an export has the pictures, and an erased account leaves no row and no file', async () => {
  const user = platform.user()
  const { picture_id } = await call(user, 'generate-image', { prompt: 'a house' })
  await call(user, 'share-image', { picture_id })
  await call(user, 'publish-image', { picture_id })
  const { rt } = platform.services.media!
  const first = await rt.ask(exportUser('media'), { user_id: user.id, from: null })
  expect([first.name, first.rows.length, first.rows[0]!.prompt]).toEqual(['pictures', 1, 'a house'])
  expect(Object.keys(first.rows[0]!)).not.toContain('reservation_id')
  await platform.emit(userDeleted, user.id, { version: 2 })
  for (const table of ['pictures', 'picture_shares', 'public_pictures', 'files', 'file_usage', 'usage_counters'])
    await expect
      .poll(() => db.selectFrom(table).select('user_id').where('user_id', '=', user.id).execute(), { timeout: 20_000 })
      .toEqual([])
  for (const prefix of ['pictures', 'thumbs', 'public']) expect(await rt.storage.list(`${prefix}/${user.id}/`)).toEqual([])
})

test('what was deleted a day ago goes with its files, and so does what a dead worker has left of a picture that failed long ago', async () => {
  const user = platform.user()
  const { rt } = platform.services.media!
  const { picture_id } = await call(user, 'generate-image', { prompt: 'a house' })
  const kept = (await call(user, 'generate-image', { prompt: 'a boat' })).picture_id
  await call(user, 'delete-image', { picture_id })
  await sql`update pictures set deleted_at = now() - interval '25 hours' where id = ${picture_id}`.execute(db)
  const failed = newId()
  await rt.storage.put(`pictures/${user.id}/${failed}.png`, Buffer.from('x'), { contentType: 'image/png' })
  const order = { prompt: 'a cat', model: 'flux', used_model: 'flux', size: '512x512', width: 512, height: 512, may_fall_back: false }
  const ended = { state: 'failed', problem: 'image_failed', finished_at: sql`now() - interval '91 days'` }
  await insert(db, 'pictures', { id: failed, batch_id: newId(), user_id: user.id, reservation_id: newId(), ...order, ...ended })
  await inTransaction(rt.db, (trx) => enqueue(trx as never, sweepPictures, {}))
  const left = async () => (await db.selectFrom('pictures').select('id').where('user_id', '=', user.id).execute()).map(({ id }: any) => id)
  await expect.poll(left, { timeout: 20_000 }).toEqual([kept])
  expect((await rt.storage.list(`pictures/${user.id}/`)).map(({ key }) => key)).toEqual([`pictures/${user.id}/${kept}.png`])
  expect((await call(user, 'media-files')).files.map(({ id }: any) => id)).toEqual([kept])
})
