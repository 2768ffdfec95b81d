import type { Page } from '@playwright/test'
import { enter, expect, expectSound, newEmail, newTrial, test } from './steps.ts'

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
