import { expect, test, wake } from './steps.ts'

test('two visitors open the demo, find it filled, and do not meet', async ({ page, browser }) => {
  const other = await (await browser.newContext()).newPage()
  const ids: string[] = []
  for (const visitor of [page, other]) {
    await visitor.goto('/auth/seller')
    await wake(visitor)
    await visitor.getByRole('button', { name: 'Try the demo as a seller' }).click()
    await expect(visitor).toHaveURL(/\/dashboard$/, { timeout: 20_000 })
    await expect(visitor.getByRole('complementary', { name: 'Demo' })).toContainText(/This is a demo\. It ends .+\./)
    await expect(visitor.getByText('Draft three ad variations for the spring offer')).toBeVisible()
    await expect(visitor.getByText(/^\d+ with an email$/)).toBeVisible()
    await visitor.goto('/dashboard/operon-ai')
    await expect(visitor.getByText('Give me five subject lines for a spring sale').first()).toBeVisible()
    ids.push(await visitor.evaluate(() => JSON.parse(localStorage.getItem('operon-auth') ?? '{}').user?.id))
  }
  expect(ids[0]).toBeTruthy()
  expect(ids[0]).not.toBe(ids[1])
  // A demo's settings offer nothing that a demo cannot have.
  await other.goto('/dashboard/settings')
  await expect(other.getByLabel('Name', { exact: true })).toBeVisible()
  await expect(other.getByLabel('Email', { exact: true })).toHaveCount(0)
  await other.getByRole('tab', { name: 'Security' }).click()
  await expect(other.getByText('A demo has no sign-in to protect')).toBeVisible()
  await other.getByRole('button', { name: 'Create an account' }).click()
  await expect(other).toHaveURL(/\/auth$/)
})

test('the landing tabs are worked where the tool exists, and are labelled previews where it does not [spec-4]', async ({ page }) => {
  await page.goto('/')
  await wake(page)
  const tabs = page.getByRole('tablist', { name: 'Product screens' })
  for (const name of ['Workflow Builder', 'Voice Agents']) await expect(tabs.getByRole('tab', { name })).toContainText('Preview')
  for (const name of ['AI Dashboard', 'AI Assistant Lab']) await expect(tabs.getByRole('tab', { name })).not.toContainText('Preview')
  await page.locator('#demo').getByRole('button', { name: 'Quick Actions' }).click()
  const dialog = page.getByRole('dialog', { name: 'Quick Actions' })
  await expect(dialog.getByRole('link').first()).toHaveAttribute('href', '/auth')
})
