import { wordsForNotion, writesToNotion } from '@operon/contracts/integrations/said'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'
import { integrationsService } from '../service.ts'
import { connectingIn } from '../testing.ts'

const platform = await startTestPlatform([integrationsService, sandboxService])
const world = connectingIn(platform)
afterAll(() => platform.close())

async function inWorkspace() {
  const user = platform.user()
  await world.connected(user, 'notion')
  return user
}
/** As somebody else changes the page in Notion itself. */
const changedThere = (user: TestUser, page: string, fields: Record<string, string>) =>
  fetch(`${world.sandbox}/sandbox/apps/notion/${page}`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email: user.email, ...fields }),
  })
const show = async (user: TestUser, page_id: string) => (await world.call(user, 'show-notion-page', { page_id })).body

test('pages are read with their seven fields, by words and by database [spec-89]', async () => {
  const user = await inWorkspace()
  const { body } = await world.call(user, 'find-notion-pages')
  expect(body.pages.map(({ title }: any) => title)).toEqual(['Plan the launch', 'Ideas for posts', 'Answer the survey replies'])
  expect(body.pages[0]).toMatchObject({
    title: 'Plan the launch',
    database: 'Tasks',
    status: 'In progress',
    priority: 'High',
    assignee: 'Maya Patel',
    due_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    last_edited: expect.any(String),
  })
  const titles = async (asked: object) => (await world.call(user, 'find-notion-pages', asked)).body.pages.map(({ title }: any) => title)
  expect(await titles({ words: 'launch' })).toEqual(['Plan the launch'])
  expect(await titles({ database_id: 'db-2' })).toEqual(['Ideas for posts'])
  expect(await titles({ database_id: 'db-1', words: 'survey' })).toEqual(['Answer the survey replies'])
})

test('what is written here stands in Notion, and nothing else of the page is touched [spec-89]', async () => {
  const user = await inWorkspace()
  const { page, options } = await show(user, 'page-1')
  expect(options).toEqual({ status: ['Not started', 'In progress', 'Done'], priority: ['Low', 'Medium', 'High'] })
  const { body } = await world.call(user, 'update-notion-page', {
    page_id: 'page-1',
    base: page,
    changes: { status: 'Done', due_date: null },
  })
  expect(body).toMatchObject({ saved: true, conflicts: [] })
  expect((await show(user, 'page-1')).page).toMatchObject({ title: 'Plan the launch', status: 'Done', priority: 'High', due_date: null })
})

test('a field that was changed in Notion meanwhile is not overwritten unseen: both values are told, and the person settles it [spec-89]', async () => {
  const user = await inWorkspace()
  const { page } = await show(user, 'page-1')
  await changedThere(user, 'page-1', { status: 'Not started' })
  const write = (base: object, changes: object) => world.call(user, 'update-notion-page', { page_id: 'page-1', base, changes })
  const first = (await write(page, { status: 'Done', title: 'Plan the big launch' })).body
  expect(first).toMatchObject({
    saved: false,
    conflicts: [{ field: 'status', yours: 'Done', theirs: 'Not started' }],
    page: { title: 'Plan the launch', status: 'Not started' },
  })
  expect((await show(user, 'page-1')).page).toMatchObject({ title: 'Plan the launch', status: 'Not started' })
  const settled = (await write({ ...page, status: first.conflicts[0].theirs }, { status: 'Done', title: 'Plan the big launch' })).body
  expect(settled).toMatchObject({ saved: true, page: { title: 'Plan the big launch', status: 'Done' } })
  // The other side changed what this one does not write.
  await changedThere(user, 'page-1', { priority: 'Low' })
  expect((await write(settled.page, { title: 'Plan it' })).body).toMatchObject({ saved: true, page: { title: 'Plan it', priority: 'Low' } })
})

test('a page of somebody else is not found, and an unknown field or option is refused in words', async () => {
  const [ann, eve] = [await inWorkspace(), platform.user()]
  expect((await world.call(eve, 'show-notion-page', { page_id: 'page-1' })).body.code).toBe('app_not_connected')
  const odd = await world.call(ann, 'update-notion-page', { page_id: 'page-1', changes: { status: 'Forgotten' } })
  expect([odd.status, odd.body.code]).toEqual([422, 'app_refused'])
  expect((await world.call(ann, 'show-notion-page', { page_id: '../users/me' })).status).toBe(422)
})

test("the words of a typed request are what is looked for, and a page's name [spec-68]", () => {
  expect(
    [
      'find the launch plan in Notion',
      'Put this into Notion',
      'please search notion for pricing',
      'add a page called Offers to my Notion',
    ].map(wordsForNotion),
  ).toEqual(['launch plan', '', 'pricing', 'Offers'])
  expect(['Put this into Notion', 'could you save the plan in Notion', 'find it in Notion'].map(writesToNotion)).toEqual([
    true,
    true,
    false,
  ])
  const before = performance.now()
  wordsForNotion(`put this${' '.repeat(60_000)}into it`)
  expect(performance.now() - before).toBeLessThan(3_000)
})
