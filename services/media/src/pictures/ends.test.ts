import { userDeleted } from '@operon/contracts/identity/events'
import { exportUser } from '@operon/contracts/personal-data'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
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
