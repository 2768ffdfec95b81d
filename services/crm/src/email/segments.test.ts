import { startTestService, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { crmService } from '../service.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestService(crmService)
})
afterAll(() => platform.close())

test('a segment is shown, changed and deleted by its owner alone, and once [spec-135]', async () => {
  const [ann, stranger] = [platform.user(), platform.user()]
  const call = async (user: TestUser, name: string, body: object) => platform.call(name, user, body)
  const vips = { name: 'VIPs', tree: { match: 'all', conditions: [{ field: 'tag', is: 'has', value: 'vip' }] } }
  const { segment_id } = (await call(ann, 'save-segment', vips)).body
  const names = async (user: TestUser) => (await call(user, 'list-segments', {})).body.segments.map(({ name }: { name: string }) => name)
  expect((await call(stranger, 'save-segment', { ...vips, segment_id, name: 'Mine' })).status).toBe(404)
  expect((await call(stranger, 'delete-segment', { segment_id })).status).toBe(404)
  expect([await names(ann), await names(stranger)]).toEqual([['VIPs'], []])
  expect((await call(ann, 'save-segment', { ...vips, segment_id, name: 'Regulars' })).body).toMatchObject({ segment_id, name: 'Regulars' })
  expect(await call(ann, 'delete-segment', { segment_id })).toMatchObject({ status: 200, body: { deleted: true } })
  expect((await call(ann, 'delete-segment', { segment_id })).status).toBe(404)
  expect(await names(ann)).toEqual([])
})
