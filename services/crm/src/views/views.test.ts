import { startTestService } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { crmService } from '../service.ts'

const platform = await startTestService(crmService)
afterAll(() => platform.close())

const { call } = platform

test('a view keeps filters, order and columns and nothing else, is replaced by its name, bounded, and its owner’s alone [spec-135]', async () => {
  const [ann, eve] = [platform.user(), platform.user()]
  const save = (name: string, query: string, by = ann) => call('save-contact-view', by, { name, query })
  const { view_id } = (await save('Hot', 'temperature=hot&sort=heat&contact=01931a5c&tab=deals&x=%26y')).body
  expect((await save('HOT', 'temperature=hot&cols=phone,source')).body.view_id).toBe(view_id)
  expect((await call('list-contact-views', ann)).body.views).toEqual([
    { id: view_id, name: 'HOT', query: 'temperature=hot&cols=phone%2Csource' },
  ])
  const more = await Promise.all(Array.from({ length: 31 }, (_, n) => save(`View ${n}`, 'q=x')))
  expect(more.filter(({ body }) => body.code === 'views_full')).toHaveLength(2)
  expect((await save('hot', 'q=again')).status).toBe(200)
  expect((await call('list-contact-views', eve)).body.views).toEqual([])
  expect((await call('delete-contact-view', eve, { view_id })).status).toBe(404)
  expect((await call('delete-contact-view', ann, { view_id })).body).toEqual({ deleted: true })
})
