import type { Page } from '@playwright/test'
import { shotsOf } from './shots.ts'
import { call, enter, expect, expectSound, newEmail, newTrial, test } from './steps.ts'

/** On the vendor's own page, as the person named. */
async function approve(page: Page, account: string) {
  await page.getByLabel('Or another email address').fill(account)
  await page.getByRole('button', { name: 'Approve' }).click()
}

test('Notion is connected by a redirect, its pages are found and changed, and a conflict shows both values and is settled [spec-88] [spec-89]', async ({
  page,
}) => {
  test.slow()
  const session = await newTrial(page.request)
  await enter(page, session, '/dashboard/notion')
  await page.getByRole('button', { name: 'Connect Notion Workspace' }).click()
  const account = newEmail()
  await approve(page, account)
  await page.waitForURL('**/dashboard/notion')
  for (const tab of ['Overview', 'Databases', 'Pages', 'Settings']) await expect(page.getByRole('tab', { name: tab })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Plan the launch' })).toBeVisible()
  await expectSound(page)

  await page.getByRole('tab', { name: 'Databases' }).click()
  await page.getByRole('button', { name: 'Tasks' }).click()
  await expect(page.getByRole('button', { name: 'Answer the survey replies' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Ideas for posts' })).toHaveCount(0)
  await page.getByRole('searchbox', { name: 'Search pages' }).fill('launch')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Answer the survey replies' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Plan the launch' }).click()
  const panel = page.getByRole('dialog', { name: 'Plan the launch' })
  await panel.getByLabel('Status').selectOption('Done')

  // Somebody else changes the same page in Notion meanwhile.
  const there = await page.request.post('/sandbox/apps/notion/page-1', { form: { email: account, status: 'Not started' }, maxRedirects: 0 })
  expect(there.status()).toBe(303)
  await panel.getByRole('button', { name: 'Save in Notion' }).click()
  const conflict = panel.getByText('Changed in Notion since you opened it')
  await expect(conflict).toBeVisible()
  await expect(panel.getByRole('row', { name: 'Status Not started Done' })).toBeVisible()
  await expectSound(page)
  await panel.getByRole('button', { name: 'Keep mine' }).click()
  await expect(page.getByText('Saved in Notion')).toBeVisible()
  await expect(page.getByRole('row', { name: /Plan the launch.*Done/ })).toBeVisible()

  await page.getByRole('button', { name: 'New page' }).click()
  const form = page.getByRole('dialog', { name: 'New page in Notion' })
  await form.getByLabel('Title').fill('Write the launch letter')
  await form.getByRole('button', { name: 'Write the page' }).click()
  await expect(page.getByRole('dialog', { name: 'Write the launch letter' })).toBeVisible()
})

test('contacts are synced with a Notion database: its columns are matched, rows become contacts, and a conflict is settled', async ({
  page,
}) => {
  test.slow()
  const shot = shotsOf('notion-contacts')
  const session = await newTrial(page.request)
  await enter(page, session, '/dashboard/notion')
  await page.getByRole('button', { name: 'Connect Notion Workspace' }).click()
  const account = newEmail()
  await approve(page, account)
  await page.waitForURL('**/dashboard/notion')
  const inNotion = (fields: Record<string, string>) =>
    page.request.post('/sandbox/apps/notion/ines', { form: { email: account, database: 'db-3', ...fields }, maxRedirects: 0 })
  await inNotion({ title: 'Ines Ortega', Email: 'ines@harbour-cafe.example', Phone: '+351 910 000 000' })

  await page.getByRole('tab', { name: 'Contacts' }).click()
  await expectSound(page)
  await page.getByRole('button', { name: 'Choose a database' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sync contacts with Notion' })
  await dialog.getByLabel('Database').selectOption('People')
  await expect(dialog.getByLabel('Email', { exact: true })).toHaveValue('em')
  await expect(dialog.getByLabel('Job title')).toHaveValue('')
  await shot(page, 'columns')
  await expectSound(page)
  await dialog.getByRole('button', { name: 'Start syncing' }).click()
  await expect(page.getByText('Synced just now')).toBeVisible({ timeout: 20_000 })
  const { contacts } = await call(page.request, session, 'find-contacts', { query: 'Ines' })
  expect(contacts).toMatchObject([{ name: 'Ines Ortega', phone: '+351 910 000 000' }])

  await call(page.request, session, 'update-contact', { contact_id: contacts[0].id, phone: '+351 910 000 001' })
  await inNotion({ Phone: '+351 910 000 002' })
  await page.getByRole('button', { name: 'Sync now' }).click()
  const conflicts = page.getByRole('list', { name: 'Conflicts' })
  await expect(conflicts.getByRole('row', { name: 'Phone +351 910 000 002 +351 910 000 001' })).toBeVisible({ timeout: 20_000 })
  await shot(page, 'conflict')
  await expectSound(page)
  await conflicts.getByRole('button', { name: 'Keep Notion’s' }).click()
  await expect(conflicts).toBeHidden({ timeout: 20_000 })
  await expect
    .poll(async () => (await call(page.request, session, 'find-contacts', { query: 'Ines' })).contacts[0].phone)
    .toBe('+351 910 000 002')
  await page.getByRole('button', { name: 'Stop syncing' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop syncing' }).click()
  await expect(page.getByText('Your contacts are not synced')).toBeVisible()
})

test.describe('A database for tasks alone', () => {
  // Of the refusal at its end.
  test.use({ allowed: [/400/] })
  test('tasks are synced with a database of their own: rows become tasks, what is done here is done there, and a conflict is settled', async ({
    page,
  }) => {
    test.slow()
    const shot = shotsOf('notion-tasks')
    const session = await newTrial(page.request)
    await enter(page, session, '/dashboard/notion')
    await page.getByRole('button', { name: 'Connect Notion Workspace' }).click()
    const account = newEmail()
    await approve(page, account)
    await page.waitForURL('**/dashboard/notion')
    const inNotion = (row: string, fields: Record<string, string>) =>
      page.request.post(`/sandbox/apps/notion/${row}`, { form: { email: account, database: 'db-4', ...fields }, maxRedirects: 0 })
    await inNotion('quote', { title: 'Send the quote', Due: '2031-05-04' })
    await inNotion('call', { title: 'Call the harbour' })

    await page.getByRole('tab', { name: 'Tasks' }).click()
    await expect(page.getByText('Your tasks are not synced')).toBeVisible()
    await shot(page, 'none')
    await expectSound(page)
    await page.getByRole('button', { name: 'Choose a database' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sync tasks with Notion' })
    await dialog.getByLabel('Database').selectOption('To do')
    await expect(dialog.getByLabel('Due', { exact: true })).toHaveValue('du')
    await expect(dialog.getByLabel('Done', { exact: true })).toHaveValue('dn')
    await shot(page, 'columns')
    await expectSound(page)
    await dialog.getByRole('button', { name: 'Start syncing' }).click()
    await expect(page.getByText('Synced just now')).toBeVisible({ timeout: 20_000 })
    const { tasks } = await call(page.request, session, 'list-tasks', {})
    expect(tasks.map(({ title }: { title: string }) => title)).toEqual(['Send the quote', 'Call the harbour'])

    await call(page.request, session, 'update-task', {
      task_id: tasks[0].id,
      title: 'Send the new quote',
      due_at: '2031-05-06T15:00:00.000Z',
    })
    await call(page.request, session, 'complete-task', { task_id: tasks[1].id })
    await inNotion('quote', { title: 'Send the quote again', Due: '2031-05-05' })
    await page.getByRole('button', { name: 'Sync now' }).click()
    const conflicts = page.getByRole('list', { name: 'Conflicts' })
    await expect(conflicts.getByRole('row', { name: 'Title Send the quote again Send the new quote' })).toBeVisible({ timeout: 20_000 })
    await expect(conflicts.getByRole('row', { name: /^Due May 5, 2031 May 6, 2031/ })).toBeVisible()
    await shot(page, 'conflict')
    await expectSound(page)
    await conflicts.getByRole('button', { name: 'Keep Notion’s' }).click()
    await expect(conflicts).toBeHidden({ timeout: 20_000 })
    await expect
      .poll(async () => (await call(page.request, session, 'list-tasks', {})).tasks)
      .toMatchObject([{ title: 'Send the quote again' }])

    // The same database is not for contacts too.
    await page.getByRole('tab', { name: 'Contacts' }).click()
    await page.getByRole('button', { name: 'Choose a database' }).click()
    const other = page.getByRole('dialog', { name: 'Sync contacts with Notion' })
    await other.getByLabel('Database').selectOption('To do')
    await other.getByRole('button', { name: 'Start syncing' }).click()
    await expect(other.getByText(/Your tasks are synced with this database/)).toBeVisible()
    await shot(page, 'same')
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Tasks' }).click()
    await page.getByRole('button', { name: 'Stop syncing' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop syncing' }).click()
    await expect(page.getByText('Your tasks are not synced')).toBeVisible()
  })
})

test('a Meta ads account is connected, its ads are paused and read back, and a variation becomes an ad that is paused [spec-90] [spec-91] [spec-92] [spec-94]', async ({
  page,
}) => {
  test.slow()
  const session = await newTrial(page.request)
  await enter(page, session, '/dashboard/meta-ads')
  await expect(page.getByLabel('Product or service details')).toBeVisible()
  await page.getByRole('tab', { name: 'Campaigns' }).click()
  await page.getByRole('button', { name: 'Connect Meta Ads' }).click()
  await approve(page, newEmail())
  await page.waitForURL('**/dashboard/meta-ads')
  await page.getByRole('button', { name: 'Spring offer' }).click()
  const panel = page.getByRole('dialog', { name: 'Spring offer' })
  await panel.getByRole('button', { name: 'Pause' }).click()
  const question = page.getByRole('dialog', { name: 'Pause Spring offer?' })
  await expect(question.getByText('It is paused, and Meta spends nothing on it.')).toBeVisible()
  await question.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByText('As Meta says now.')).toBeVisible()
  await expect(question).toBeHidden()
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await expect(page.getByRole('row', { name: /Spring offer.*Paused/ })).toBeVisible()
  await expectSound(page)

  await page.getByRole('tab', { name: 'Analytics' }).click()
  for (const figure of ['$4,340', '214,660', '5,220', '232']) await expect(page.getByText(figure, { exact: true }).first()).toBeVisible()
  await expectSound(page)

  await page.getByRole('tab', { name: 'AI Generator' }).click()
  await page.getByLabel('Product or service details').fill('Fresh bread, delivered at seven every morning')
  await page.getByRole('button', { name: 'Generate ads' }).click()
  await page.getByRole('button', { name: 'Create variation 1 as an ad' }).click()
  const form = page.getByRole('dialog', { name: 'Create this ad on Meta' })
  await expect(form.getByText('Spends nothing now. Up to $10 a day once you resume it')).toBeVisible()
  await form.getByRole('button', { name: 'Create it paused' }).click()
  await expect(page.getByText('Ad created successfully!')).toBeVisible()
  await page.getByRole('tab', { name: 'Ads', exact: true }).click()
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(5)
})
